import pandas as pd
from db_connector import query_to_dataframe

end, nxt = "2024-05-20", "2024-05-21"
bs = query_to_dataframe(f"""SELECT ID, COMPANYCODE, INFOPUBLDATE, INSERTTIME, GOODWILL, SEWITHOUTMI FROM lc_balancesheetall
                            WHERE IFMERGED = 1 AND ENDDATE = '2023-12-31' AND INFOPUBLDATE < '{nxt}'""")
bs = bs.sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).groupby("COMPANYCODE")[["GOODWILL", "SEWITHOUTMI"]].last()
op = query_to_dataframe(f"""SELECT ID, COMPANYCODE, INFOPUBLDATE, OPINIONTYPE FROM lc_auditopinion
                            WHERE AUDITREPORTSTYPE = 1 AND ENDDATE = '2023-12-31' AND INFOPUBLDATE < '{nxt}'""")
op = op.sort_values(["INFOPUBLDATE", "ID"]).drop_duplicates("COMPANYCODE", keep="last").set_index("COMPANYCODE").OPINIONTYPE
uni = query_to_dataframe(f"""
    SELECT s.SECUCODE, s.SECUABBR, s.COMPANYCODE FROM secumain s
    JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_liststatus WHERE CHANGEDATE <= '{end}' AND INSERTTIME < '{nxt}') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1
    WHERE l.CHANGETYPE IN (1, 3, 6) AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6, 7)""")
uni = uni.join(bs, on="COMPANYCODE")
uni = uni[(uni.COMPANYCODE.map(op) == 1) & (uni.SEWITHOUTMI > 0)]
uni["ratio"] = uni.GOODWILL / uni.SEWITHOUTMI * 100
uni = uni[uni.ratio > 1].sort_values(["ratio", "SECUCODE"], ascending=[False, True])
result = uni.assign(goodwill=(uni.GOODWILL / 1e8).round(2), equity=(uni.SEWITHOUTMI / 1e8).round(2), ratio=uni.ratio.round(2))
result = result.rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr"})[["secu_code", "secu_abbr", "goodwill", "equity", "ratio"]]

import pandas as pd
from db_connector import query_to_dataframe

DAY, NEXT = "2024-08-31", "2024-09-01"

sec = query_to_dataframe(f"""
SELECT s.INNERCODE, s.COMPANYCODE, s.SECUCODE, s.SECUABBR FROM secumain s
JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
      FROM lc_liststatus WHERE CHANGEDATE <= '{DAY}' AND INSERTTIME < '{NEXT}') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1
WHERE l.CHANGETYPE IN (1, 3, 6) AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
  AND s.INNERCODE NOT IN (SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < '{NEXT}'
      AND IMPLEMENTDATE <= '{DAY}' AND (REMOVEDATE IS NULL OR REMOVEDATE > '{DAY}' OR REMOVEINFOPUBLDATE IS NULL OR REMOVEINFOPUBLDATE >= '{NEXT}'))""")
ind = query_to_dataframe(f"""
SELECT ID, COMPANYCODE, FIRSTINDUSTRYNAME, INFOPUBLDATE, INSERTTIME FROM lc_exgindustry
WHERE STANDARD = 38 AND INFOPUBLDATE < '{NEXT}' AND FIRSTINDUSTRYNAME NOT IN ('银行', '非银金融')""")
ind = ind.sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).groupby("COMPANYCODE", as_index=False).last()

md = query_to_dataframe(f"""
SELECT COMPANYCODE, ENDDATE, NETPROFITCUT, INFOPUBLDATE FROM lc_maindatanew
WHERE MARK = 1 AND INFOPUBLDATE < '{NEXT}' AND ENDDATE IN ('2024-06-30', '2024-03-31', '2023-06-30', '2023-03-31')""")
md = md.sort_values("INFOPUBLDATE").drop_duplicates(["COMPANYCODE", "ENDDATE"], keep="last")
md["p"] = md.ENDDATE.dt.strftime("%Y%m")
w = md.pivot(index="COMPANYCODE", columns="p", values="NETPROFITCUT").dropna()
w["base"] = w["202306"] - w["202303"]
w = w[w.base > 0]
w["cur_yoy"] = ((w["202406"] - w["202403"]) / w.base - 1) * 100

df = sec.merge(ind[["COMPANYCODE", "FIRSTINDUSTRYNAME"]]).merge(w[["cur_yoy"]].reset_index())
df = df[df.cur_yoy > 20].sort_values(["cur_yoy", "SECUCODE"], ascending=[False, True])
result = df.rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr", "FIRSTINDUSTRYNAME": "industry"})[["secu_code", "secu_abbr", "industry", "cur_yoy"]].round(2)

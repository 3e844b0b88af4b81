import pandas as pd
from db_connector import query_to_dataframe

D = "2024-05-06"
listed = query_to_dataframe(f"""
    SELECT s.INNERCODE, s.COMPANYCODE, s.SECUCODE, s.SECUABBR FROM secumain s
    JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_liststatus WHERE CHANGEDATE <= '{D}' AND INSERTTIME < '{D}') l ON l.INNERCODE = s.INNERCODE
    WHERE l.rn = 1 AND l.CHANGETYPE IN (1, 3) AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
      AND s.LISTEDDATE <= '2022-05-07'""")
fin = query_to_dataframe(f"""
    SELECT COMPANYCODE, ENDDATE AS period, INFOPUBLDATE, ROETTM AS roe_ttm, OPERATINGREVENUEGROWRATE AS rev_yoy
    FROM lc_mainindexnew WHERE INFOPUBLDATE < '{D}'""")
fin = fin.sort_values(["INFOPUBLDATE", "period"]).drop_duplicates("COMPANYCODE", keep="last")
val = query_to_dataframe(f"SELECT INNERCODE, TRADINGDAY, PE AS pe FROM lc_dindicesforvaluation WHERE TRADINGDAY < '{D}' AND TRADINGDAY >= '2023-05-06'")
val = val.sort_values("TRADINGDAY").drop_duplicates("INNERCODE", keep="last")
df = listed.merge(fin, on="COMPANYCODE").merge(val, on="INNERCODE")
df = df.query("pe > 0 and pe <= 30 and roe_ttm >= 6 and rev_yoy > 0").sort_values(["pe", "SECUCODE"]).head(15)
result = df.rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr"})[["secu_code", "secu_abbr", "period", "roe_ttm", "rev_yoy", "pe"]].round(2)

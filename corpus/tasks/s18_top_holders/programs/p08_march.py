import pandas as pd
from db_connector import query_to_dataframe

df = query_to_dataframe("""
    SELECT s.SECUCODE AS secu_code, t.ENDDATE AS period, t.INFOPUBLDATE AS pub_date, SUM(t.PCTOFTOTALSHARES) AS share
    FROM lc_mainshlistnew t JOIN secumain s ON s.COMPANYCODE = t.COMPANYCODE AND s.SECUCATEGORY = 1
    WHERE s.SECUCODE IN ('000004', '000022', '000032', '000047', '300019', '600001', '600059', '920005') AND t.INFOTYPECODE = 1 AND t.INFOPUBLDATE <= '2024-03-21'
    GROUP BY s.SECUCODE, t.ENDDATE, t.INFOPUBLDATE""")
df = df.sort_values("pub_date").drop_duplicates(["secu_code", "period"], keep="last").sort_values(["secu_code", "period"])
df["change"] = df.groupby("secu_code").share.diff()
result = df.drop_duplicates("secu_code", keep="last").round(2)

import pandas as pd
from db_connector import query_to_dataframe

h = query_to_dataframe("""
    SELECT s.SECUCODE, t.ENDDATE, t.INFOPUBLDATE, t.SHNO, t.PCTOFTOTALSHARES
    FROM lc_mainshlistnew t JOIN secumain s ON s.COMPANYCODE = t.COMPANYCODE AND s.SECUCATEGORY = 1
    WHERE s.SECUCODE IN ('000004', '000022', '000032', '000047', '300019', '600001', '600059', '920005') AND t.INFOTYPECODE = 1 AND t.INFOPUBLDATE < '2024-03-21'""")
h = h.sort_values(["SECUCODE", "ENDDATE", "PCTOFTOTALSHARES"], ascending=[True, True, False]).drop_duplicates(["SECUCODE", "ENDDATE", "PCTOFTOTALSHARES"])
top = h.groupby(["SECUCODE", "ENDDATE"]).head(10)
agg = top.groupby(["SECUCODE", "ENDDATE"]).agg(pub_date=("INFOPUBLDATE", "max"), share=("PCTOFTOTALSHARES", "sum")).reset_index()
agg["change"] = agg.groupby("SECUCODE").share.diff()
result = agg.groupby("SECUCODE").tail(1).rename(columns={"SECUCODE": "secu_code", "ENDDATE": "period"})[["secu_code", "period", "pub_date", "share", "change"]].round(2)

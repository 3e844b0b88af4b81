import pandas as pd
from db_connector import query_to_dataframe

sql = """
SELECT a.ENDDATE, a.DATAVALUE AS cpi, b.DATAVALUE AS ppi
FROM c_ed_macroindicatordata a
JOIN c_ed_macroindicatordata b ON b.ENDDATE = a.ENDDATE AND b.INDICATORCODE = 1003 AND b.INFOPUBLDATE <= '2024-06-13'
WHERE a.INDICATORCODE = 1001 AND a.INFOPUBLDATE <= '2024-06-13' AND a.ENDDATE >= '2018-01-31'
ORDER BY a.ENDDATE"""
df = query_to_dataframe(sql)
df["d"] = df.cpi - df.ppi
df["m"] = df.ENDDATE.dt.year * 12 + df.ENDDATE.dt.month
pos = df[df.d > 0].copy()
pos["g"] = (pos.m.diff() != 1).cumsum()
agg = pos.groupby("g").agg(start=("ENDDATE", "min"), end=("ENDDATE", "max"), months=("d", "size"), mean=("d", "mean"))
result = agg[agg.months >= 2].round({"mean": 2}).reset_index(drop=True)

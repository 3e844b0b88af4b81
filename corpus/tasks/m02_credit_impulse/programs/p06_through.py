import pandas as pd
from db_connector import query_to_dataframe

df = query_to_dataframe("""
    SELECT ENDDATE, DATAVALUE FROM c_ed_macroindicatordata
    WHERE INDICATORCODE = 1006 AND INFOPUBLDATE BETWEEN '2010-01-01' AND '2024-09-04' ORDER BY ENDDATE""")
s = df.set_index(df.ENDDATE.dt.to_period("M")).DATAVALUE
imp = pd.Series({p: s[p] - s[p - 12] for p in s.index if (p - 12) in s.index and p >= pd.Period("2016-01")}).dropna().round(6)
pct = imp.rank(method="max", pct=True) * 100
rows = [{"month": p.to_timestamp("D", how="end").normalize(), "impulse": round(imp[p], 2), "pct": round(pct[p], 2),
         "state": "扩张" if pct[p] >= 80 else "收缩"} for p in imp.index if pct[p] >= 80 or pct[p] <= 20]
result = pd.DataFrame(rows)

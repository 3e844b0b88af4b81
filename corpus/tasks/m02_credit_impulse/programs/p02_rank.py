import pandas as pd
from db_connector import query_to_dataframe

CUTOFF = pd.Timestamp("2024-09-04")
df = query_to_dataframe("SELECT ENDDATE, INFOPUBLDATE, UPDATETIME, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1006")
s = df[df.INFOPUBLDATE.lt(CUTOFF)].set_index(df.ENDDATE[df.INFOPUBLDATE.lt(CUTOFF)].dt.to_period("M")).DATAVALUE.sort_index()
s = s.reindex(pd.period_range(s.index.min(), s.index.max(), freq="M"))
imp = (s - s.shift(12)).dropna()
imp = imp[imp.index >= pd.Period("2016-01", "M")].round(6)
pct = imp.rank(method="max") / len(imp) * 100
out = pd.DataFrame({"month": imp.index.to_timestamp(how="end").normalize(), "impulse": imp.round(2).values, "pct": pct.values})
out = out[(out.pct >= 80) | (out.pct <= 20)]
out["state"] = out.pct.ge(80).map({True: "扩张", False: "收缩"})
result = out.round({"pct": 2}).reset_index(drop=True)

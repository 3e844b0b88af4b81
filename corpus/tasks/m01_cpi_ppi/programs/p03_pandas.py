import pandas as pd
from db_connector import query_to_dataframe

raw = query_to_dataframe("SELECT * FROM c_ed_macroindicatordata WHERE INDICATORCODE IN (1001, 1003)")
deadline = pd.Timestamp("2024-06-12 23:59:59.999999")
raw = raw.loc[raw["INFOPUBLDATE"] <= deadline]
wide = raw.pivot(index="ENDDATE", columns="INDICATORCODE", values="DATAVALUE")
wide = wide.loc["2018-01-31":]
full = pd.date_range(wide.index.min(), wide.index.max(), freq="ME")
gap = (wide[1001] - wide[1003]).reindex(full)
positive = gap > 0
block = (positive != positive.shift()).cumsum()
rows = []
for _, run in gap[positive].groupby(block[positive]):
    if len(run) >= 2:
        rows.append({"start": run.index[0], "end": run.index[-1], "months": len(run), "mean": round(run.mean() + 1e-12, 2)})
result = pd.DataFrame(rows)

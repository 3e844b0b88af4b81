import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
d = con.execute("""
SELECT ENDDATE, INDICATORCODE, DATAVALUE::DOUBLE AS v FROM c_ed_macroindicatordata
WHERE INDICATORCODE IN (1001, 1003) AND INFOPUBLDATE < TIMESTAMP '2024-06-13'
  AND ENDDATE >= TIMESTAMP '2018-01-31' AND DATAVALUE IS NOT NULL
""").df()
d["INDICATORCODE"] = d["INDICATORCODE"].astype(int)
w = d.pivot_table(index="ENDDATE", columns="INDICATORCODE", values="v", aggfunc="last").dropna()
w["diff"] = (w[1001] - w[1003]).round(8)
w["m"] = w.index.year * 12 + w.index.month
w = w.sort_index()

runs, cur = [], []
prev = None
for t, r in w.iterrows():
    if r["diff"] > 0:
        if cur and r["m"] != prev + 1:
            runs.append(cur)
            cur = []
        cur.append((t, r["diff"]))
        prev = r["m"]
    elif cur:
        runs.append(cur)
        cur = []
if cur:
    runs.append(cur)

rows = [(c[0][0].date(), c[-1][0].date(), len(c), round(sum(x[1] for x in c) / len(c), 2)) for c in runs if len(c) >= 2]
result = pd.DataFrame(rows, columns=["start", "end", "months", "mean"])

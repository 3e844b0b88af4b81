# CPI-PPI 差值大于0的连续区间（按日历月，缺月中断）
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
raw = con.sql("""
    select INDICATORCODE::int as c, ENDDATE, DATAVALUE::double * power(10, coalesce(POWERNUMBER, 0)) as v
    from c_ed_macroindicatordata
    where INDICATORCODE in (1001, 1003) and INFOPUBLDATE < '2024-06-13' and ENDDATE >= '2018-01-31'
    qualify row_number() over (partition by INDICATORCODE, ENDDATE order by INFOPUBLDATE desc, ID desc) = 1
""").df()
w = raw.pivot(index="ENDDATE", columns="c", values="v")
w.index = w.index.to_period("M")
w = w.reindex(pd.period_range(w.index.min(), w.index.max(), freq="M"))
diff = w[1001] - w[1003]
runs, cur = [], []
for m, v in diff.items():
    if pd.notna(v) and v > 0:
        cur.append((m, v))
    else:
        if len(cur) >= 2:
            runs.append(cur)
        cur = []
if len(cur) >= 2:
    runs.append(cur)
result = pd.DataFrame([{
    "start": r[0][0].end_time.date(), "end": r[-1][0].end_time.date(), "months": len(r),
    "mean": round(sum(v for _, v in r) / len(r) + 1e-12, 2),
} for r in runs], columns=["start", "end", "months", "mean"])

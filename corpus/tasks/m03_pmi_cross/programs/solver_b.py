import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
p = con.execute("""
SELECT ENDDATE, INFOPUBLDATE, DATAVALUE::DOUBLE AS v FROM c_ed_macroindicatordata
WHERE INDICATORCODE = 1007 AND DATAVALUE IS NOT NULL
""").df()
q = con.execute("""
SELECT q.TRADINGDAY, q.CLOSEPRICE::DOUBLE AS cl FROM qt_indexquote q
JOIN secumain s ON s.INNERCODE = q.INNERCODE
WHERE s.SECUCODE = '000300' AND s.SECUCATEGORY = 4 ORDER BY q.TRADINGDAY
""").df()
p["m"] = p["ENDDATE"].dt.year * 12 + p["ENDDATE"].dt.month
by_m = {r.m: r for r in p.itertuples()}

rows = []
for r in p.itertuples():
    rel = r.INFOPUBLDATE.normalize()
    if not (pd.Timestamp("2019-01-01") <= rel <= pd.Timestamp("2025-09-30")):
        continue
    b = by_m.get(r.m - 1)
    if b is None or b.INFOPUBLDATE >= rel + pd.Timedelta(days=1):
        continue
    if b.v <= 50 and r.v > 50:
        kind = "上穿"
    elif b.v >= 50 and r.v < 50:
        kind = "下穿"
    else:
        continue
    nx = q[q["TRADINGDAY"] > rel].head(5)
    ret = round((nx["cl"].iloc[4] / nx["cl"].iloc[0] - 1) * 100, 2) if len(nx) == 5 else None
    rows.append((rel.date(), r.ENDDATE.date(), round(r.v, 1), kind, ret))
result = pd.DataFrame(rows, columns=["release", "month", "pmi", "kind", "ret"])
result = result.sort_values(["release", "month"]).reset_index(drop=True)

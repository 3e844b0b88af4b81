import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
h = con.execute("""
SELECT a.SECURITYCODE AS fund_code, k.REPORTDATE, k.INFOPUBLDATE, k.STOCKINNERCODE, k.RATIOINNV::DOUBLE AS w
FROM mf_keystockportfolio k JOIN mf_fundarchives a ON a.INNERCODE = k.INNERCODE
WHERE a.SECURITYCODE IN ('010096','010357','010543','010654','010675','590037')
  AND k.INFOPUBLDATE < TIMESTAMP '2024-10-26' AND k.SERIALNUMBER <= 10
""").df()
last = h.groupby(["fund_code", "REPORTDATE"])["INFOPUBLDATE"].transform("max")
h = h[h["INFOPUBLDATE"] == last]

rows = []
for code, g in h.groupby("fund_code"):
    periods = sorted(g["REPORTDATE"].unique())[-4:]
    for p0, p1 in zip(periods, periods[1:]):
        a = set(g[g["REPORTDATE"] == p0]["STOCKINNERCODE"])
        cur = g[g["REPORTDATE"] == p1].drop_duplicates("STOCKINNERCODE")
        kept = cur[cur["STOCKINNERCODE"].isin(a)]
        rows.append((code, pd.Timestamp(p0).date(), pd.Timestamp(p1).date(), len(kept),
                     round(len(kept) / len(a) * 100, 2), round(kept["w"].sum() * 100, 2)))
result = pd.DataFrame(rows, columns=["fund_code", "prev_period", "period", "overlap", "retention", "weight"])
result = result.sort_values(["fund_code", "period"]).reset_index(drop=True)

# 前十大重仓股留存率：每期取截点前最后一次披露的整份清单
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
CUT = "2024-10-26"
h = con.execute("""
with k as (
  select a.SECURITYCODE as fund_code, k.REPORTDATE, k.INFOPUBLDATE, k.SERIALNUMBER, k.STOCKINNERCODE,
         k.RATIOINNV::double as w
  from mf_keystockportfolio k join mf_fundarchives a using (INNERCODE)
  where a.SECURITYCODE in ('010096','010357','010543','010654','010675','590037')
    and k.INFOPUBLDATE < $cut::timestamp
), l as (
  select *, max(INFOPUBLDATE) over (partition by fund_code, REPORTDATE) as last_pub from k
)
select fund_code, REPORTDATE as period, SERIALNUMBER, STOCKINNERCODE, w from l
where INFOPUBLDATE = last_pub and SERIALNUMBER <= 10
""", {"cut": CUT}).df().drop_duplicates(["fund_code", "period", "STOCKINNERCODE"])

rows = []
for fund, g in h.groupby("fund_code"):
    periods = sorted(g.period.unique())[-4:]
    for p0, p1 in zip(periods[:-1], periods[1:]):
        old = set(g[g.period == p0].STOCKINNERCODE)
        new = g[g.period == p1]
        kept = new[new.STOCKINNERCODE.isin(old)]
        rows.append({
            "fund_code": fund, "prev_period": pd.Timestamp(p0).date(), "period": pd.Timestamp(p1).date(),
            "overlap": len(kept), "retention": round(len(kept) / len(old) * 100, 2),
            "weight": round(kept.w.sum() * 100, 2),
        })
result = pd.DataFrame(rows).sort_values(["fund_code", "period"]).reset_index(drop=True)

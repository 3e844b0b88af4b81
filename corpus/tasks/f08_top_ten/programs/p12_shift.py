import pandas as pd
import duckdb

con = duckdb.connect("core.duckdb", read_only=True)
h = con.sql("SELECT f.SECURITYCODE AS fund_code, k.* EXCLUDE (INNERCODE) FROM mf_keystockportfolio k JOIN mf_fundarchives f USING (INNERCODE)").df()
h = h[h.fund_code.isin(["010096", "010357", "010543", "010654", "010675", "590037"])]
h = h[~(h.INFOPUBLDATE > "2024-10-25")]
h["v"] = h.groupby(["fund_code", "REPORTDATE"]).INFOPUBLDATE.rank("dense", ascending=False)
h = h[h.v == 1]
h["n"] = h.groupby("fund_code").REPORTDATE.rank("dense", ascending=False)
h = h[h.n <= 4]
lists = h.groupby(["fund_code", "REPORTDATE"]).apply(lambda g: dict(zip(g.STOCKINNERCODE, g.RATIOINNV.astype(float))), include_groups=False).rename("now").reset_index()
lists["prev_period"] = lists.groupby("fund_code").REPORTDATE.shift()
lists["before"] = lists.groupby("fund_code").now.shift()
lists = lists.dropna(subset=["prev_period"])
kept = [[w for s, w in now.items() if s in before] for now, before in zip(lists.now, lists.before)]
result = pd.DataFrame({"fund_code": lists.fund_code, "prev_period": lists.prev_period, "period": lists.REPORTDATE, "overlap": [len(k) for k in kept],
                       "retention": [round(len(k) / len(b) * 100, 2) for k, b in zip(kept, lists.before)], "weight": [round(sum(k) * 100, 2) for k in kept]})

import pandas as pd
import duckdb

con = duckdb.connect("core.duckdb", read_only=True)
obs = pd.DataFrame({"obs_date": pd.to_datetime(["2021-12-31", "2022-12-31", "2023-12-31"])})
obs["cut"] = obs.obs_date + pd.Timedelta(days=1)
obs["prev"] = obs.obs_date - pd.DateOffset(years=1)

f = con.sql("SELECT INNERCODE::BIGINT AS i, SECURITYCODE, MAINCODE, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives").df()
f = f[f.MAINCODE == f.SECURITYCODE]
t = con.sql("SELECT INNERCODE::BIGINT AS i, SECASSETCATCODE::INT AS c2, EFFECTIVEDATE, INSERTTIME, ID FROM mf_jyfundtype WHERE STANDARD = 75").df()
t["usable"] = t[["EFFECTIVEDATE", "INSERTTIME"]].max(axis=1)
t = t.sort_values(["usable", "EFFECTIVEDATE", "INSERTTIME", "ID"])
t["ahead"] = t.groupby("i").EFFECTIVEDATE.cummax()
t = t[t.EFFECTIVEDATE == t.ahead]

grid = obs.merge(f, how="cross")
grid = grid[(grid.ESTABLISHMENTDATE <= grid.prev) & ~(grid.EXPIREDATE <= grid.obs_date)].sort_values("cut")
grid = pd.merge_asof(grid, t[["i", "usable", "c2"]], left_on="cut", right_on="usable", by="i", allow_exact_matches=False)
grid = grid[(grid.c2 == 1201)]

nav = con.sql("""SELECT INNERCODE::BIGINT AS i, TRADINGDAY, UNITNVRESTORED::DOUBLE AS nv, INSERTTIME, ID FROM mf_fundnetvalueretrans
                 WHERE TRADINGDAY BETWEEN '2020-12-01' AND '2024-04-01' ORDER BY TRADINGDAY, INSERTTIME, ID""").df()
nav = nav[nav.i.isin(grid.i)]


def last_known(row, day, until):
    x = nav[(nav.i == row.i) & (nav.TRADINGDAY <= day) & (nav.TRADINGDAY > day - pd.Timedelta(days=31)) & (nav.INSERTTIME < until)]
    return x.nv.iloc[-1] if len(x) else float("nan")


grid["nv"] = [last_known(r, r.obs_date, r.cut) for r in grid.itertuples()]
grid["base"] = [last_known(r, r.prev, r.cut) for r in grid.itertuples()]
grid["r"] = grid.nv / grid.base - 1
top = grid.dropna(subset=["r"]).sort_values(["obs_date", "r", "SECURITYCODE"], ascending=[True, False, True]).groupby("obs_date").head(5).copy()
top["rnk"] = top.groupby("obs_date").cumcount() + 1


def outcome(row):
    x = nav[(nav.i == row.i) & (nav.TRADINGDAY > row.obs_date) & (nav.TRADINGDAY <= row.obs_date + pd.Timedelta(days=90))]
    return (x.nv.iloc[-1] / row.nv - 1) * 100 if len(x) else None


top["next_ret"] = [outcome(r) for r in top.itertuples()]
result = pd.DataFrame({"obs_date": top.obs_date, "rnk": top.rnk, "fund_code": top.SECURITYCODE, "ret": (top.r * 100).round(2), "next_ret": top.next_ret.astype(float).round(2)})

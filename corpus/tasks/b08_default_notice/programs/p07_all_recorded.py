import pandas as pd
import duckdb

con = duckdb.connect("data/core.duckdb", read_only=True)
default = con.sql("SELECT INNERCODE::BIGINT AS i, INFOPUBLDATE FROM bond_default").df()
code = con.sql("SELECT INNERCODE::BIGINT AS i, MAINCODE::BIGINT AS m, SECUCODE AS bond_code FROM bond_code").df()
val = con.sql("""SELECT INNERCODE::BIGINT AS i, ENDDATE, CREDIBILITYCODE::INT AS cred, YIELDCODE::INT AS basis, VPYIELD::DOUBLE AS y, VALUEFULLPRICE::DOUBLE AS px, INSERTTIME, ID
                 FROM bond_cbvaluationall WHERE INNERCODE IN (SELECT INNERCODE FROM bond_default)""").df()
rating = con.sql("SELECT MAINCODE::BIGINT AS m, CRDATE, INFOPUBLDATE, CRDESC, RATINGEFFECTIVEENDDATE AS ends, ID FROM bond_bdcreditgrading WHERE CRTYPECODE = 1").df()

ev = default.groupby("i").INFOPUBLDATE.min().rename("notice").reset_index().merge(code, on="i")
ev = ev[ev.notice.between("2020-01-01", "2022-12-31")]
ev["cut"] = ev.notice + pd.Timedelta(days=1)
x = ev.merge(val, on="i")
x["age"] = (x.notice - x.ENDDATE).dt.days
x = x.sort_values(["ENDDATE", "cred", "basis", "INSERTTIME", "ID"], ascending=[True, False, False, True, True])
known = x[x.cred == 1]
now = known[known.age.between(0, 14)].groupby("i").tail(1)[["i", "y", "px"]].rename(columns={"y": "y_last"})
old = known[known.age.between(30, 44)].groupby("i").tail(1)[["i", "y"]].rename(columns={"y": "y30"})
later = x[x.age.between(-30, -1)].groupby("i").tail(1)[["i", "px"]].rename(columns={"px": "px_after"})
r = ev[["i", "m", "notice", "cut"]].merge(rating, on="m")
r = r[(r.CRDATE <= r.notice) & (r.INFOPUBLDATE < r.cut)].sort_values(["CRDATE", "INFOPUBLDATE", "ID"]).groupby("i").tail(1)
r["rating"] = r.CRDESC.where(~(r.ends <= r.notice))
out = ev.merge(now, on="i").merge(old, on="i").merge(r[["i", "rating"]], on="i", how="left").merge(later, on="i", how="left").dropna(subset=["y_last", "y30"])
out["change"] = ((out.y_last - out.y30) * 100).round(2)
out["after"] = ((out.px_after / out.px - 1) * 100).round(2)
result = out.assign(y30=out.y30.round(4), y_last=out.y_last.round(4)).sort_values(["notice", "bond_code"])[["notice", "bond_code", "y30", "y_last", "change", "rating", "after"]]

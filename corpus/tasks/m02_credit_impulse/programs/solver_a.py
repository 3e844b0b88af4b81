# 社融存量同比脉冲与历史分位
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
s = con.sql("""select ENDDATE, DATAVALUE from c_ed_macroindicatordata
               where INDICATORCODE = 1006 and INFOPUBLDATE <= '2024-09-03' order by ENDDATE""").df()
s["imp"] = s.DATAVALUE.diff(12)
s = s[s.ENDDATE >= "2016-01-31"].dropna(subset=["imp"])
s["pct"] = s.imp.rank(pct=True, method="max") * 100
s["state"] = None
s.loc[s.pct >= 80, "state"] = "扩张"
s.loc[s.pct <= 20, "state"] = "收缩"
s = s.dropna(subset=["state"])
result = pd.DataFrame({"month": s.ENDDATE.dt.date, "impulse": s.imp.round(2), "pct": s.pct.round(2), "state": s.state}).reset_index(drop=True)

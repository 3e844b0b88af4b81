# 600001 最近5个年末/半年末：首次与最后披露的总资产
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
b = con.sql("""
select ENDDATE, INFOPUBLDATE, INSERTTIME, ID::bigint as id, TOTALASSETS::double as ta
from lc_balancesheetall
where COMPANYCODE = (select COMPANYCODE from secumain where SECUCODE = '600001' and SECUCATEGORY = 1)
  and IFMERGED = 1 and INFOPUBLDATE < timestamp '2024-09-01'
  and (strftime(ENDDATE, '%m-%d') in ('06-30', '12-31'))
""").df()
b = b.sort_values(["ENDDATE", "INFOPUBLDATE", "INSERTTIME", "id"])
f = b.groupby("ENDDATE").head(1).set_index("ENDDATE")
l = b.groupby("ENDDATE").tail(1).set_index("ENDDATE")
periods = sorted(f.index)[-5:]
result = pd.DataFrame([{
    "period": p.date(),
    "ta_first": round(f.ta[p] / 1e8, 2), "ta_last": round(l.ta[p] / 1e8, 2),
    "first_pub": f.INFOPUBLDATE[p].date(), "last_pub": l.INFOPUBLDATE[p].date(),
    "revision": round((l.ta[p] / f.ta[p] - 1) * 100, 4),
} for p in periods])

# PMI 上穿/下穿 50，上月按日历月且须在本月发布日日终前已发布
import duckdb
import numpy as np
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
p = con.sql("""select ENDDATE, INFOPUBLDATE, DATAVALUE::double as v
               from c_ed_macroindicatordata where INDICATORCODE = 1007 and DATAVALUE is not null""").df()
p["ym"] = p.ENDDATE.dt.to_period("M")
prev = p[["ym", "INFOPUBLDATE", "v"]].rename(columns={"INFOPUBLDATE": "ppub", "v": "pv"})
prev["ym"] = prev.ym + 1
x = p.merge(prev, on="ym")
x = x[x.ppub.dt.normalize() <= x.INFOPUBLDATE.dt.normalize()]
x = x[(x.INFOPUBLDATE >= "2019-01-01") & (x.INFOPUBLDATE < "2025-10-01")]
x["kind"] = np.where((x.pv <= 50) & (x.v > 50), "上穿", np.where((x.pv >= 50) & (x.v < 50), "下穿", ""))
x = x[x.kind != ""]

q = con.sql("""select i.TRADINGDAY as d, i.CLOSEPRICE::double as c from qt_indexquote i
               where i.INNERCODE = (select INNERCODE from secumain where SECUCODE = '000300' and SECUCATEGORY = 4)
               order by d""").df()
cal = con.sql("""select TRADINGDATE as d from qt_tradingdaynew where SECUMARKET = 83 and IFTRADINGDAY = 1 order by 1""").df().d
px = dict(zip(q.d, q.c))

def fwd(pub):
    k = cal.searchsorted(pub.normalize(), side="right")
    if k + 4 >= len(cal):
        return np.nan
    a, b = px.get(cal[k]), px.get(cal[k + 4])
    return round((b / a - 1) * 100, 2) if a and b else np.nan

x["ret"] = [fwd(t) for t in x.INFOPUBLDATE]
x = x.sort_values(["INFOPUBLDATE", "ENDDATE"])
result = pd.DataFrame({"release": x.INFOPUBLDATE.dt.date, "month": x.ENDDATE.dt.date, "pmi": x.v.round(1),
                       "kind": x.kind, "ret": x.ret}).reset_index(drop=True)

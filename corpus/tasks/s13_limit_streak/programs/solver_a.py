# 2022-07-01 收盘涨停股：连板天数与20日涨幅
import duckdb
import numpy as np
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
D = pd.Timestamp("2022-07-01")
cal = con.sql("""select TRADINGDATE as d from qt_tradingdaynew where SECUMARKET = 83 and IFTRADINGDAY = 1
                 and TRADINGDATE <= timestamp '2022-07-01' order by 1 desc limit 21""").df().d.tolist()

uni = con.sql("""
with ls as (
  select INNERCODE, CHANGETYPE from lc_liststatus
  where CHANGEDATE <= timestamp '2022-07-01' and INSERTTIME < timestamp '2022-07-02'
  qualify row_number() over (partition by INNERCODE order by CHANGEDATE desc, INSERTTIME desc, ID desc) = 1
)
select s.INNERCODE, s.SECUCODE, s.SECUABBR
from secumain s join ls on ls.INNERCODE = s.INNERCODE and ls.CHANGETYPE in (1, 3)
where s.SECUCATEGORY = 1 and s.LISTEDSECTOR in (1, 2)
  and not exists (select 1 from cs_riskalert r where r.INNERCODE = s.INNERCODE and r.RISKALERTTYPE in (1, 5, 12, 14)
        and r.IMPLANNOUCEDATE < timestamp '2022-07-02' and r.IMPLEMENTDATE <= timestamp '2022-07-01'
        and not coalesce(r.REMOVEINFOPUBLDATE < timestamp '2022-07-02' and r.REMOVEDATE <= timestamp '2022-07-01', false))
  and not exists (select 1 from lc_suspendresumption h where h.INNERCODE = s.INNERCODE
        and h.INFOPUBLDATE < timestamp '2022-07-02' and h.SUSPENDDATE <= timestamp '2022-07-01'
        and (h.RESUMPTIONDATE is null or h.RESUMPTIONDATE > timestamp '2022-07-01'))
""").df()

q = con.execute("""select q.INNERCODE, q.TRADINGDAY as d
                   from qt_dailyquote q join qt_pricelimit l on l.INNERCODE = q.INNERCODE and l.TRADINGDAY = q.TRADINGDAY
                   where q.TRADINGDAY >= ?::timestamp and q.TRADINGDAY <= ?::timestamp
                     and q.TURNOVERVOLUME > 0 and q.CLOSEPRICE = l.PRICECEILING""", [str(cal[9]), str(D)]).df()
up = set(zip(q.INNERCODE, q.d))

def streak(ic):
    n = 0
    for d in cal[:10]:
        if (ic, d) not in up:
            break
        n += 1
    return n

uni["streak"] = [streak(i) for i in uni.INNERCODE]
uni = uni[uni.streak > 0]
px = con.execute("select INNERCODE, TRADINGDAY as d, BACKWARDPRICE::double as p from qt_performancedata where TRADINGDAY in (?::timestamp, ?::timestamp)",
                 [str(cal[0]), str(cal[20])]).df()
p = {(i, d): v for i, d, v in zip(px.INNERCODE, px.d, px.p)}
uni["chg20"] = [round((p[(i, cal[0])] / p[(i, cal[20])] - 1) * 100, 2)
                if (i, cal[0]) in p and (i, cal[20]) in p else np.nan for i in uni.INNERCODE]
result = (uni.rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr"})
             .sort_values(["streak", "secu_code"], ascending=[False, True])[["secu_code", "secu_abbr", "streak", "chg20"]]
             .reset_index(drop=True))

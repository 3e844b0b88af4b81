# 月末股息率前10（近365天除权且实施公告已发布），评价列单独计算
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
cal = con.sql("""select TRADINGDATE as d from qt_tradingdaynew where SECUMARKET = 83 and IFTRADINGDAY = 1
                 and TRADINGDATE >= timestamp '2024-01-01' and TRADINGDATE < timestamp '2024-07-01' order by 1""").df().d
obs = cal.groupby(cal.dt.to_period("M")).max()

SEL = """
with st as (
  select INNERCODE from cs_riskalert
  where RISKALERTTYPE in (1, 5, 12, 14) and IMPLANNOUCEDATE < $nx::timestamp and IMPLEMENTDATE <= $d::timestamp
    and not coalesce(REMOVEINFOPUBLDATE < $nx::timestamp and REMOVEDATE <= $d::timestamp, false)
), fin as (
  select COMPANYCODE, NPFROMPARENTCOMPANYOWNERS as np from lc_maindatanew
  where MARK = 1 and month(ENDDATE) = 12 and day(ENDDATE) = 31 and INFOPUBLDATE < $nx::timestamp
  qualify row_number() over (partition by COMPANYCODE order by ENDDATE desc, INFOPUBLDATE desc, INSERTTIME desc, ID desc) = 1
), dv as (
  select INNERCODE, sum(ACTUALCASHDIVIRMB::double) / 10 as cash from lc_dividend
  where EXDIVIDATE > $d::timestamp - interval 365 day and EXDIVIDATE <= $d::timestamp
    and DIVIDENDIMPLEMENTDATE < $nx::timestamp
  group by 1
)
select s.INNERCODE, s.SECUCODE as secu_code, coalesce(dv.cash, 0) / q.CLOSEPRICE::double * 100 as y
from secumain s
join fin on fin.COMPANYCODE = s.COMPANYCODE and fin.np > 0
join qt_dailyquote q on q.INNERCODE = s.INNERCODE and q.TRADINGDAY = $d::timestamp and q.CLOSEPRICE is not null
left join dv on dv.INNERCODE = s.INNERCODE
where s.SECUCATEGORY = 1 and s.LISTEDSECTOR in (1, 2)
  and s.INNERCODE not in (select INNERCODE from st)
order by y desc, secu_code limit 10
"""
PX = """
select INNERCODE, arg_min(BACKWARDPRICE::double, TRADINGDAY) filter (TRADINGDAY = $d::timestamp) as p0,
       arg_max(BACKWARDPRICE::double, TRADINGDAY) filter (TRADINGDAY > $d::timestamp) as p1
from qt_performancedata
where TRADINGDAY >= $d::timestamp and TRADINGDAY <= $d::timestamp + interval 31 day and BACKWARDPRICE is not null
group by 1
"""
out = []
for d in obs:
    x = con.execute(SEL, {"d": str(d), "nx": str(d + pd.Timedelta(days=1))}).df()
    p = con.execute(PX, {"d": str(d)}).df()
    x = x.merge(p, on="INNERCODE", how="left").sort_values(["y", "secu_code"], ascending=[False, True]).reset_index(drop=True)
    x["obs_date"] = d.date()
    x["rnk"] = x.index + 1
    x["div_yield"] = x.y.round(4)
    x["next_ret"] = ((x.p1 / x.p0 - 1) * 100).round(2)
    out.append(x[["obs_date", "rnk", "secu_code", "div_yield", "next_ret"]])
result = pd.concat(out, ignore_index=True)

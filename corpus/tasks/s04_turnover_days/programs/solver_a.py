# 中证1000成分股：最大已披露单季的应收+存货周转天数，与上年同期比
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
d = con.execute("""
with cons as (
  select distinct c.SECUINNERCODE as INNERCODE
  from lc_indexcomponent c
  where c.INDEXINNERCODE = (select INNERCODE from secumain where SECUCODE = '000852' and SECUCATEGORY = 4)
    and c.INDATE <= timestamp '2024-10-31' and (c.OUTDATE is null or c.OUTDATE > timestamp '2024-10-31')
), st as (
  select INNERCODE from cs_riskalert
  where RISKALERTTYPE in (1, 5, 12, 14) and IMPLANNOUCEDATE < timestamp '2024-11-01'
    and IMPLEMENTDATE <= timestamp '2024-10-31'
    and not coalesce(REMOVEINFOPUBLDATE < timestamp '2024-11-01' and REMOVEDATE <= timestamp '2024-10-31', false)
), q as (
  select COMPANYCODE, ENDDATE::date as e, ARTDAYS::double + INVENTORYTDAYS::double as days
  from lc_qfinancialindexnew
  where MARK = 1 and INFOPUBLDATE is not null and INFOPUBLDATE < timestamp '2024-11-01'
  qualify row_number() over (partition by COMPANYCODE, ENDDATE order by INFOPUBLDATE desc, INSERTTIME desc, ID desc) = 1
), l as (
  select * from q qualify row_number() over (partition by COMPANYCODE order by e desc) = 1
)
select s.SECUCODE as secu_code, s.SECUABBR as secu_abbr, l.e as latest_q, l.days as d1, p.days as d0
from cons join secumain s using (INNERCODE)
join l on l.COMPANYCODE = s.COMPANYCODE
join q p on p.COMPANYCODE = l.COMPANYCODE and p.e = last_day(l.e - interval 1 year)
where s.INNERCODE not in (select INNERCODE from st)
""").df()
d = d.dropna(subset=["d1", "d0"])
d["chg"] = d.d1 - d.d0
d = d[d.chg < -5].sort_values(["chg", "secu_code"])
d["days"] = d.d1.round(1)
d["change"] = d.chg.round(1)
result = d[["secu_code", "secu_abbr", "latest_q", "days", "change"]].reset_index(drop=True)

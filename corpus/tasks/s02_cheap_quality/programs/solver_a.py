# 低PE+质量筛选，截点 2024-05-06 开盘前（当日零时起一律不用）
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
result = con.execute("""
with st as (
  select INNERCODE, CHANGETYPE from lc_liststatus
  where CHANGEDATE <= timestamp '2024-05-06' and INSERTTIME < timestamp '2024-05-06'
  qualify row_number() over (partition by INNERCODE order by CHANGEDATE desc, INSERTTIME desc, ID desc) = 1
),
fin as (  -- 先取最大报告期，再看是否缺值
  select COMPANYCODE, ENDDATE, ROETTM::double as roe, OPERATINGREVENUEGROWRATE::double as g
  from lc_mainindexnew where INFOPUBLDATE < timestamp '2024-05-06'
  qualify row_number() over (partition by COMPANYCODE order by ENDDATE desc, INFOPUBLDATE desc, ID desc) = 1
),
val as (
  select INNERCODE, PE::double as pe from lc_dindicesforvaluation
  where TRADINGDAY < timestamp '2024-05-06'
  qualify row_number() over (partition by INNERCODE order by TRADINGDAY desc, ID desc) = 1
)
select s.SECUCODE as secu_code, s.SECUABBR as secu_abbr, f.ENDDATE::date as period, f.roe, f.g, v.pe as pe0
from secumain s
join st on st.INNERCODE = s.INNERCODE and st.CHANGETYPE in (1, 3)
join fin f on f.COMPANYCODE = s.COMPANYCODE
join val v on v.INNERCODE = s.INNERCODE
where s.SECUCATEGORY = 1 and s.SECUMARKET in (83, 90) and s.LISTEDSECTOR in (1, 2, 6)
  and s.LISTEDDATE + interval 730 day <= timestamp '2024-05-06'
  and f.roe is not null and f.g is not null
  and v.pe > 0 and v.pe <= 30 and f.roe >= 6 and f.g > 0
order by v.pe, s.SECUCODE
limit 15
""").df()
result["roe_ttm"] = result.roe.round(2)
result["rev_yoy"] = result.g.round(2)
result["pe"] = result.pe0.round(2)
result = result[["secu_code", "secu_abbr", "period", "roe_ttm", "rev_yoy", "pe"]]

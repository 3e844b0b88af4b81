# 年末偏股混合基金年度收益前5，逐观察日只用当时已入库的数据
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)

SQL_POOL = """
with cls as (
  select INNERCODE, SECASSETCATCODE, CANCELDATE from mf_jyfundtype
  where STANDARD = 75 and EFFECTIVEDATE <= $d::timestamp and INSERTTIME < $cut::timestamp
  qualify row_number() over (partition by INNERCODE order by EFFECTIVEDATE desc, INSERTTIME desc, ID desc) = 1
)
select a.INNERCODE, a.SECURITYCODE as fund_code
from mf_fundarchives a join cls c using (INNERCODE)
where a.MAINCODE = a.SECURITYCODE
  and a.ESTABLISHMENTDATE <= $prev::timestamp
  and (a.EXPIREDATE is null or a.EXPIREDATE > $d::timestamp)
  and (c.CANCELDATE is null or c.CANCELDATE > $d::timestamp)
  and c.SECASSETCATCODE = 1201
"""
# 12月内最后一个（截点前已入库的）净值日，该日取最后一版
SQL_DEC = """
with v as (
  select INNERCODE, TRADINGDAY, UNITNVRESTORED::double as v
  from mf_fundnetvalueretrans
  where TRADINGDAY >= $lo::timestamp and TRADINGDAY < $hi::timestamp and INSERTTIME < $cut::timestamp
  qualify row_number() over (partition by INNERCODE, TRADINGDAY order by INSERTTIME desc, ID desc) = 1
)
select INNERCODE, v from v
qualify row_number() over (partition by INNERCODE order by TRADINGDAY desc) = 1
"""
SQL_NEXT = """
with v as (
  select INNERCODE, TRADINGDAY, UNITNVRESTORED::double as v
  from mf_fundnetvalueretrans
  where TRADINGDAY >= $lo::timestamp and TRADINGDAY < $hi::timestamp
  qualify row_number() over (partition by INNERCODE, TRADINGDAY order by INSERTTIME desc, ID desc) = 1
)
select INNERCODE, v from v
qualify row_number() over (partition by INNERCODE order by TRADINGDAY desc) = 1
"""

out = []
for y in (2021, 2022, 2023):
    d = pd.Timestamp(y, 12, 31)
    cut = d + pd.Timedelta(days=1)
    pool = con.execute(SQL_POOL, {"d": str(d), "cut": str(cut), "prev": f"{y-1}-12-31"}).df()
    e1 = con.execute(SQL_DEC, {"lo": f"{y}-12-01", "hi": f"{y+1}-01-01", "cut": str(cut)}).df()
    e0 = con.execute(SQL_DEC, {"lo": f"{y-1}-12-01", "hi": f"{y}-01-01", "cut": str(cut)}).df()
    nx = con.execute(SQL_NEXT, {"lo": str(cut), "hi": str(d + pd.Timedelta(days=91))}).df()
    x = (pool.merge(e1.rename(columns={"v": "v1"}), on="INNERCODE")
             .merge(e0.rename(columns={"v": "v0"}), on="INNERCODE")
             .merge(nx.rename(columns={"v": "vn"}), on="INNERCODE", how="left"))
    x["r"] = x.v1 / x.v0 - 1
    x = x.dropna(subset=["r"]).sort_values(["r", "fund_code"], ascending=[False, True]).head(5).reset_index(drop=True)
    x["obs_date"] = d.date()
    x["rnk"] = x.index + 1
    x["ret"] = (x.r * 100).round(2)
    x["next_ret"] = ((x.vn / x.v1 - 1) * 100).round(2)
    out.append(x[["obs_date", "rnk", "fund_code", "ret", "next_ret"]])
result = pd.concat(out, ignore_index=True)

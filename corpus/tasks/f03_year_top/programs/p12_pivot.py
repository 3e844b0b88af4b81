import pandas as pd
from db_connector import query_to_dataframe

obs = pd.DataFrame({"obs_date": pd.to_datetime(["2021-12-31", "2022-12-31", "2023-12-31"])})
obs["cut"] = obs.obs_date + pd.Timedelta(days=1)
obs["prev"] = obs.obs_date - pd.DateOffset(years=1)

fund = query_to_dataframe("SELECT INNERCODE, SECURITYCODE, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives WHERE MAINCODE = SECURITYCODE")
kind = query_to_dataframe("SELECT * FROM mf_jyfundtype WHERE STANDARD = 75").drop(columns="IFEFFECTED")
nav = query_to_dataframe("SELECT ID, INNERCODE, TRADINGDAY, UNITNVRESTORED, INSERTTIME FROM mf_fundnetvalueretrans WHERE MONTH(TRADINGDAY) IN (12, 1, 2, 3) AND TRADINGDAY BETWEEN '2020-12-01' AND '2024-03-31'")

k = obs.merge(kind, how="cross")
k = k[(k.EFFECTIVEDATE <= k.obs_date) & (k.INSERTTIME < k.cut)].sort_values(["EFFECTIVEDATE", "INSERTTIME", "ID"]).drop_duplicates(["obs_date", "INNERCODE"], keep="last")
k = k[(k.SECASSETCATCODE == 1201) & (k.CANCELDATE.isna() | (k.CANCELDATE > k.obs_date))]
pool = k[["obs_date", "cut", "prev", "INNERCODE"]].merge(fund, on="INNERCODE")
pool = pool[(pool.ESTABLISHMENTDATE <= pool.prev) & ~(pool.EXPIREDATE <= pool.obs_date)]

x = pool[["obs_date", "cut", "prev", "INNERCODE"]].merge(nav, on="INNERCODE")
x["at"] = None
x.loc[(x.TRADINGDAY.dt.month == 12) & (x.TRADINGDAY.dt.year == x.obs_date.dt.year) & (x.INSERTTIME < x.cut), "at"] = "end"
x.loc[(x.TRADINGDAY.dt.month == 12) & (x.TRADINGDAY.dt.year == x.prev.dt.year) & (x.INSERTTIME < x.cut), "at"] = "base"
x.loc[(x.TRADINGDAY > x.obs_date) & (x.TRADINGDAY <= x.obs_date + pd.Timedelta(days=90)), "at"] = "later"
x = x.dropna(subset=["at"]).sort_values(["TRADINGDAY", "INSERTTIME", "ID"]).drop_duplicates(["obs_date", "INNERCODE", "at"], keep="last")
wide = x.pivot(index=["obs_date", "INNERCODE"], columns="at", values="UNITNVRESTORED").reset_index()
top = pool.merge(wide, on=["obs_date", "INNERCODE"])
top["r"] = top.end / top.base - 1
top = top.dropna(subset=["r"]).sort_values(["obs_date", "r", "SECURITYCODE"], ascending=[True, False, True]).groupby("obs_date").head(5)
result = pd.DataFrame({"obs_date": top.obs_date, "rnk": top.groupby("obs_date").cumcount() + 1, "fund_code": top.SECURITYCODE,
                       "ret": (top.r * 100).round(2), "next_ret": ((top.later / top.end - 1) * 100).round(2)})

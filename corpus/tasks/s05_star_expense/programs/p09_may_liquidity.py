import pandas as pd
from db_connector import query_to_dataframe as q

C = pd.Timestamp("2025-05-01")
mi = q("SELECT ID, COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, PERIODCOSTSRATETTM AS x FROM lc_stibmainindex WHERE IFMERGED = 1")
mi = mi[mi.INFOPUBLDATE < C].sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates(["COMPANYCODE", "ENDDATE"], keep="last").sort_values("ENDDATE")
mi["k"] = mi.ENDDATE.dt.to_period("M").astype("int64")
cur = mi.drop_duplicates("COMPANYCODE", keep="last").merge(mi[["COMPANYCODE", "k", "x"]].assign(k=mi.k + 12), on=["COMPANYCODE", "k"], suffixes=("", "_base"))
ls = q("SELECT ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME FROM lc_liststatus")
ls = ls[(ls.CHANGEDATE < C) & (ls.INSERTTIME < C)].sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last")
ind = q("SELECT ID, COMPANYCODE, EFFECTIVEDATE, INFOPUBLDATE, CANCELDATE, FIRSTINDUSTRYNAME, INSERTTIME FROM lc_stibexgindustry WHERE STANDARD = 38")
ind = ind[(ind.INFOPUBLDATE < C) & (ind.EFFECTIVEDATE < C)].sort_values(["EFFECTIVEDATE", "INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates("COMPANYCODE", keep="last")
ind = ind[ind.CANCELDATE.isna() | (ind.CANCELDATE >= C)]
tv = q("SELECT INNERCODE, TRADINGDAY, TURNOVERVALUE FROM lc_stibdailyquote WHERE TRADINGDAY > '2025-04-15' AND TRADINGDAY <= '2025-05-15'")
liquid = tv.groupby("INNERCODE").TURNOVERVALUE.mean()
s = q("SELECT INNERCODE, COMPANYCODE, SECUCODE, SECUABBR FROM secumain WHERE SECUCATEGORY = 1 AND LISTEDSECTOR = 7")
s = s[s.INNERCODE.isin(ls[ls.CHANGETYPE.isin([1, 3, 6])].INNERCODE) & (s.INNERCODE.map(liquid) >= 1e7)]
df = s.merge(cur, on="COMPANYCODE").merge(ind[["COMPANYCODE", "FIRSTINDUSTRYNAME"]], on="COMPANYCODE", how="left")
df["chg"] = df.x - df.x_base
df = df[df.chg < 0].sort_values(["chg", "SECUCODE"])
result = df[["SECUCODE", "SECUABBR", "FIRSTINDUSTRYNAME", "ENDDATE", "x", "chg"]].round(2).set_axis(["secu_code", "secu_abbr", "industry", "period", "cost_ratio", "cost_change"], axis=1)

import pandas as pd
from db_connector import query_to_dataframe

D = pd.Timestamp("2025-04-30")
CUT = D + pd.Timedelta(days=1)
tables = {}
for name, cols in {
    "lc_liststatus": "ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME",
    "lc_stibmainindex": "ID, COMPANYCODE, ENDDATE, IFMERGED, INFOPUBLDATE, INSERTTIME, PERIODCOSTSRATETTM",
    "lc_stibexgindustry": "ID, COMPANYCODE, STANDARD, INFOPUBLDATE, EFFECTIVEDATE, CANCELDATE, IFEXECUTED, FIRSTINDUSTRYNAME, INSERTTIME",
    "lc_stibdailyquote": "INNERCODE, TRADINGDAY, TURNOVERVALUE",
    "secumain": "INNERCODE, COMPANYCODE, SECUCODE, SECUABBR, SECUCATEGORY, LISTEDSECTOR",
    "qt_tradingdaynew": "TRADINGDATE, SECUMARKET, IFTRADINGDAY",
}.items():
    tables[name] = query_to_dataframe(f"SELECT {cols} FROM {name}")

cal = tables["qt_tradingdaynew"].query("SECUMARKET == 83 and IFTRADINGDAY == 1").TRADINGDATE
window = cal[cal <= D].nlargest(20)
quotes = tables["lc_stibdailyquote"]
turnover = quotes[quotes.TRADINGDAY.isin(window)].groupby("INNERCODE").TURNOVERVALUE.sum() / 20

ls = tables["lc_liststatus"].query("CHANGEDATE <= @D and INSERTTIME < @CUT").sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last")
mi = tables["lc_stibmainindex"].query("IFMERGED == 1 and INFOPUBLDATE < @CUT").sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates(["COMPANYCODE", "ENDDATE"], keep="last")
mi["ym"] = mi.ENDDATE.dt.year * 100 + mi.ENDDATE.dt.month
last = mi.sort_values("ENDDATE").drop_duplicates("COMPANYCODE", keep="last")
base = mi.assign(ym=mi.ym + 100)[["COMPANYCODE", "ym", "PERIODCOSTSRATETTM"]].rename(columns={"PERIODCOSTSRATETTM": "base"})
ind = tables["lc_stibexgindustry"].query("STANDARD == 38 and INFOPUBLDATE < @CUT and EFFECTIVEDATE <= @D").sort_values(["EFFECTIVEDATE", "INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates("COMPANYCODE", keep="last")
ind = ind[~(ind.CANCELDATE <= D)].set_index("COMPANYCODE").FIRSTINDUSTRYNAME

s = tables["secumain"].query("SECUCATEGORY == 1 and LISTEDSECTOR == 7")
s = s[s.INNERCODE.isin(ls[ls.CHANGETYPE.isin([1, 3, 6])].INNERCODE) & s.INNERCODE.map(turnover).ge(1e7)]
df = s.merge(last, on="COMPANYCODE").merge(base, on=["COMPANYCODE", "ym"])
df["cost_change"] = df.PERIODCOSTSRATETTM - df.base
df = df[df.cost_change < 0].sort_values(["cost_change", "SECUCODE"])
result = pd.DataFrame({"secu_code": df.SECUCODE, "secu_abbr": df.SECUABBR, "industry": df.COMPANYCODE.map(ind), "period": df.ENDDATE,
                       "cost_ratio": df.PERIODCOSTSRATETTM.round(2), "cost_change": df.cost_change.round(2)})

# 科创板费用率改善
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
D = pd.Timestamp("2025-04-30")
secu = con.sql("select INNERCODE, COMPANYCODE, SECUCODE, SECUABBR from secumain where LISTEDSECTOR = 7 and SECUCATEGORY = 1").df()
st = con.sql("select INNERCODE, CHANGEDATE, CHANGETYPE from lc_liststatus").df()
st = st[st.CHANGEDATE <= D].sort_values("CHANGEDATE").groupby("INNERCODE").tail(1)
secu = secu[secu.INNERCODE.isin(st[st.CHANGETYPE != 4].INNERCODE)]

days = con.sql("""select TRADINGDATE from qt_tradingdaynew where SECUMARKET = 83 and IFTRADINGDAY = 1
                  and TRADINGDATE <= '2025-04-30' order by 1 desc limit 20""").df().TRADINGDATE
q = con.sql("select INNERCODE, TRADINGDAY, TURNOVERVALUE from lc_stibdailyquote where TRADINGDAY >= '2025-03-01' and TRADINGDAY <= '2025-04-30'").df()
amt = q[q.TRADINGDAY.isin(days)].groupby("INNERCODE").TURNOVERVALUE.mean()
secu = secu[secu.INNERCODE.map(amt) >= 1e7]

mi = con.sql("""select COMPANYCODE, ENDDATE, INFOPUBLDATE, PERIODCOSTSRATETTM as r from lc_stibmainindex
                where IFMERGED = 1 and INFOPUBLDATE <= '2025-04-30'""").df()
mi = mi.sort_values("INFOPUBLDATE").groupby(["COMPANYCODE", "ENDDATE"]).tail(1)
last = mi.sort_values("ENDDATE").groupby("COMPANYCODE").tail(1).copy()
last["prev"] = last.ENDDATE - pd.DateOffset(years=1)
x = last.merge(mi[["COMPANYCODE", "ENDDATE", "r"]], left_on=["COMPANYCODE", "prev"], right_on=["COMPANYCODE", "ENDDATE"], suffixes=("", "_p"))
x["chg"] = x.r - x.r_p

ind = con.sql("""select COMPANYCODE, FIRSTINDUSTRYNAME as industry, INFOPUBLDATE from lc_stibexgindustry
                 where STANDARD = 38 and INFOPUBLDATE <= '2025-04-30' order by INFOPUBLDATE""").df().groupby("COMPANYCODE").tail(1)
r = secu.merge(x, on="COMPANYCODE").merge(ind[["COMPANYCODE", "industry"]], on="COMPANYCODE", how="left")
r = r[r.chg < 0].sort_values(["chg", "SECUCODE"])
result = pd.DataFrame({"secu_code": r.SECUCODE, "secu_abbr": r.SECUABBR, "industry": r.industry, "period": r.ENDDATE.dt.date,
                       "cost_ratio": r.r.round(2), "cost_change": r.chg.round(2)}).reset_index(drop=True)

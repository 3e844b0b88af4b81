import pandas as pd
from db_connector import query_to_dataframe as q

cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2024-01-01' AND '2024-06-30'").TRADINGDATE
obs = pd.DataFrame({"d": sorted(cal.groupby(cal.dt.month).max())})
sec = q("SELECT INNERCODE, COMPANYCODE, SECUCODE FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2)")
grid = obs.merge(sec, how="cross").sort_values("d")

rep = q("SELECT ID, COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, NPFROMPARENTCOMPANYOWNERS AS np FROM lc_maindatanew WHERE MARK = 1 AND MONTH(ENDDATE) = 12 AND INFOPUBLDATE IS NOT NULL")
rep = rep.sort_values(["INFOPUBLDATE", "ENDDATE", "INSERTTIME", "ID"])
rep = rep[rep.ENDDATE == rep.groupby("COMPANYCODE").ENDDATE.cummax()].drop_duplicates(["COMPANYCODE", "INFOPUBLDATE"], keep="last")
grid = pd.merge_asof(grid, rep[["COMPANYCODE", "INFOPUBLDATE", "np"]].sort_values("INFOPUBLDATE"), left_on="d", right_on="INFOPUBLDATE", by="COMPANYCODE")
grid = grid[grid.np > 0]

st = q("SELECT INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
hit = grid[["d", "INNERCODE"]].merge(st, on="INNERCODE")
hit = hit[(hit.IMPLANNOUCEDATE <= hit.d) & (hit.IMPLEMENTDATE <= hit.d) & ~((hit.REMOVEINFOPUBLDATE <= hit.d) & (hit.REMOVEDATE <= hit.d))]
grid = grid.merge(hit[["d", "INNERCODE"]].drop_duplicates(), how="left", indicator=True).query("_merge == 'left_only'").drop(columns="_merge")

dv = q("SELECT INNERCODE, EXDIVIDATE, DIVIDENDIMPLEMENTDATE, ACTUALCASHDIVIRMB FROM lc_dividend WHERE EXDIVIDATE IS NOT NULL")
m = grid[["d", "INNERCODE"]].merge(dv, on="INNERCODE")
age = (m.d - m.EXDIVIDATE).dt.days
cash = m[(age >= 0) & (age < 365) & (m.DIVIDENDIMPLEMENTDATE <= m.d)].groupby(["d", "INNERCODE"]).ACTUALCASHDIVIRMB.sum().rename("cash").reset_index()
px = q("SELECT INNERCODE, TRADINGDAY AS d, CLOSEPRICE FROM qt_dailyquote WHERE TRADINGDAY BETWEEN '2024-01-01' AND '2024-06-30' AND CLOSEPRICE > 0")
t = grid.merge(cash, on=["d", "INNERCODE"]).merge(px, on=["d", "INNERCODE"])
t["y"] = t.cash / 10 / t.CLOSEPRICE * 100
t = t[t.y > 0].sort_values(["d", "y", "SECUCODE"], ascending=[True, False, True])
t["rnk"] = t.groupby("d").cumcount() + 1
t = t[t.rnk <= 10]
adj = q("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN '2024-01-01' AND '2024-07-31' AND BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY")
for i, r in t.iterrows():
    p = adj[(adj.INNERCODE == r.INNERCODE) & adj.TRADINGDAY.between(r.d, r.d + pd.Timedelta(days=31))].BACKWARDPRICE
    t.loc[i, "next_ret"] = (p.iloc[-1] / p.iloc[0] - 1) * 100 if len(p) else None
result = t[["d", "rnk", "SECUCODE", "y", "next_ret"]].set_axis(["obs_date", "rnk", "secu_code", "div_yield", "next_ret"], axis=1).round({"div_yield": 4, "next_ret": 2})

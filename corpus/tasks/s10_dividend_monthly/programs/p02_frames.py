import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
load = lambda sql: con.sql(sql).df()
sec = load("SELECT INNERCODE, COMPANYCODE, SECUCODE FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2)")
cal = load("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1").TRADINGDATE
alerts = load("SELECT INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
divs = load("SELECT INNERCODE, EXDIVIDATE, DIVIDENDIMPLEMENTDATE, EVENTPROCEDURE, CAST(ACTUALCASHDIVIRMB AS DOUBLE) / 10 AS cash FROM lc_dividend")
fin = load("SELECT ID, COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, CAST(NPFROMPARENTCOMPANYOWNERS AS DOUBLE) AS np FROM lc_maindatanew WHERE MARK = 1 AND month(ENDDATE) = 12")
px = load("SELECT INNERCODE, TRADINGDAY, CAST(CLOSEPRICE AS DOUBLE) AS c FROM qt_dailyquote WHERE TRADINGDAY >= '2024-01-01'")
adj = load("SELECT INNERCODE, TRADINGDAY, CAST(BACKWARDPRICE AS DOUBLE) AS b FROM qt_performancedata WHERE TRADINGDAY >= '2024-01-01' AND BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY")


def snapshot(day):
    cut = day + pd.Timedelta(days=1)
    st = alerts[(alerts.IMPLANNOUCEDATE < cut) & (alerts.IMPLEMENTDATE <= day) & ~((alerts.REMOVEINFOPUBLDATE < cut) & (alerts.REMOVEDATE <= day))].INNERCODE
    known = fin[fin.INFOPUBLDATE < cut].sort_values(["ENDDATE", "INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates("COMPANYCODE", keep="last")
    paid = divs[(divs.DIVIDENDIMPLEMENTDATE < cut) & (divs.EXDIVIDATE <= day) & (divs.EXDIVIDATE > day - pd.Timedelta(days=365))].groupby("INNERCODE").cash.sum()
    close = px[(px.TRADINGDAY == day) & (px.c > 0)].set_index("INNERCODE").c
    t = sec[~sec.INNERCODE.isin(st) & sec.COMPANYCODE.isin(known[known.np > 0].COMPANYCODE)].copy()
    t["y"] = t.INNERCODE.map(paid) / t.INNERCODE.map(close) * 100
    t = t[t.y > 0].sort_values(["y", "SECUCODE"], ascending=[False, True]).head(10)
    path = adj[(adj.TRADINGDAY >= day) & (adj.TRADINGDAY <= day + pd.Timedelta(days=31))].groupby("INNERCODE").b
    ret = (path.last() / path.first() - 1) * 100
    return pd.DataFrame({"obs_date": day, "rnk": range(1, len(t) + 1), "secu_code": t.SECUCODE.values, "div_yield": t.y.round(4).values, "next_ret": t.INNERCODE.map(ret).round(2).values})


ends = cal[(cal >= "2024-01-01") & (cal <= "2024-06-30")].groupby(cal.dt.month).max()
result = pd.concat([snapshot(d) for d in ends], ignore_index=True)

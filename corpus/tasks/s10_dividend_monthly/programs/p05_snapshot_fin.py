import pandas as pd
from db_connector import query_to_dataframe as q

cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2024-01-01' AND '2024-06-30'").TRADINGDATE
month_ends = sorted(cal.groupby(cal.dt.to_period("M")).max())
fin = q("SELECT ID, COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, NPFROMPARENTCOMPANYOWNERS AS np FROM lc_maindatanew WHERE MARK = 1 AND MONTH(ENDDATE) = 12 AND INFOPUBLDATE < '2024-06-29'")
profitable = fin.sort_values(["ENDDATE", "INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates("COMPANYCODE", keep="last").query("np > 0").COMPANYCODE
sec = q("SELECT INNERCODE, COMPANYCODE, SECUCODE FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2)")
sec = sec[sec.COMPANYCODE.isin(profitable)]
dv = q("SELECT INNERCODE, EXDIVIDATE, DIVIDENDIMPLEMENTDATE, ACTUALCASHDIVIRMB FROM lc_dividend WHERE EXDIVIDATE >= '2023-01-01'")
st = q("SELECT INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
close = q("SELECT INNERCODE, TRADINGDAY, CLOSEPRICE FROM qt_dailyquote WHERE TRADINGDAY BETWEEN '2024-01-01' AND '2024-06-30'")
adj = q("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN '2024-01-01' AND '2024-07-31' ORDER BY TRADINGDAY").dropna()
out = []
for d in month_ends:
    c = d + pd.Timedelta(days=1)
    on = st[(st.IMPLANNOUCEDATE < c) & (st.IMPLEMENTDATE <= d) & ~((st.REMOVEINFOPUBLDATE < c) & (st.REMOVEDATE <= d))].INNERCODE
    cash = dv[(dv.DIVIDENDIMPLEMENTDATE < c) & (dv.EXDIVIDATE <= d) & (dv.EXDIVIDATE > d - pd.Timedelta(days=365))].groupby("INNERCODE").ACTUALCASHDIVIRMB.sum() / 10
    p = close[close.TRADINGDAY == d].set_index("INNERCODE").CLOSEPRICE
    t = sec[~sec.INNERCODE.isin(on)].assign(y=lambda x: x.INNERCODE.map(cash) / x.INNERCODE.map(p) * 100)
    t = t[t.y > 0].sort_values(["y", "SECUCODE"], ascending=[False, True]).head(10)
    g = adj[adj.TRADINGDAY.between(d, d + pd.Timedelta(days=31))].groupby("INNERCODE").BACKWARDPRICE
    t["next_ret"] = t.INNERCODE.map((g.last() / g.first() - 1) * 100)
    for k, r in enumerate(t.itertuples(), 1):
        out.append((d, k, r.SECUCODE, round(r.y, 4), round(r.next_ret, 2)))
result = pd.DataFrame(out, columns=["obs_date", "rnk", "secu_code", "div_yield", "next_ret"])

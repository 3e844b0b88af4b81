import pandas as pd
from db_connector import query_to_dataframe as q

D = pd.Timestamp("2022-07-01")
CUT = D + pd.DateOffset(days=1)
cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1").TRADINGDATE.sort_values()
cal = cal[cal <= D].tolist()
sec = q("SELECT INNERCODE, SECUCODE, SECUABBR FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2)")
ls = q("SELECT ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME FROM lc_liststatus")
ls = ls[(ls.CHANGEDATE <= D) & (ls.INSERTTIME < CUT)].sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last")
st = q("SELECT * FROM cs_riskalert")
st = st[st.RISKALERTTYPE.isin([1, 5, 12, 14]) & (st.IMPLANNOUCEDATE < CUT) & (st.IMPLEMENTDATE <= D) & ~((st.REMOVEINFOPUBLDATE < CUT) & (st.REMOVEDATE <= D))]
halt = q("SELECT INNERCODE, INFOPUBLDATE, SUSPENDDATE, RESUMPTIONDATE FROM lc_suspendresumption")
halt = halt[(halt.INFOPUBLDATE < CUT) & (halt.SUSPENDDATE <= D) & ~(halt.RESUMPTIONDATE <= D)]
pool = sec[sec.INNERCODE.isin(ls[ls.CHANGETYPE.isin([1, 3])].INNERCODE) & ~sec.INNERCODE.isin(st.INNERCODE) & ~sec.INNERCODE.isin(halt.INNERCODE)]

start = cal[-10].strftime("%Y-%m-%d")
px = q(f"""SELECT a.INNERCODE, a.TRADINGDAY, a.CLOSEPRICE, a.TURNOVERVOLUME, b.PRICECEILING FROM qt_dailyquote a
           JOIN qt_pricelimit b ON b.INNERCODE = a.INNERCODE AND b.TRADINGDAY = a.TRADINGDAY WHERE a.TRADINGDAY >= '{start}' AND a.TRADINGDAY < '2022-07-16'""")
px["up"] = (px.CLOSEPRICE == px.PRICECEILING) & (px.TURNOVERVOLUME > 0)
grid = px.pivot(index="INNERCODE", columns="TRADINGDAY", values="up").reindex(columns=cal[-10:][::-1])
run = grid.eq(True).astype(int).cumprod(axis=1).sum(axis=1)
adj = q("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN '2022-04-15' AND '2022-07-01'").pivot(index="INNERCODE", columns="TRADINGDAY", values="BACKWARDPRICE")
chg = (adj[cal[-1]] / adj[cal[-21]] - 1) * 100
out = pool.assign(streak=pool.INNERCODE.map(run), chg20=pool.INNERCODE.map(chg).round(2))
out = out[out.streak > 0].sort_values(["streak", "SECUCODE"], ascending=[False, True]).astype({"streak": int})
result = out[["SECUCODE", "SECUABBR", "streak", "chg20"]].set_axis(["secu_code", "secu_abbr", "streak", "chg20"], axis=1)

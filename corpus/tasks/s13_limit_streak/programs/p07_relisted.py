import pandas as pd
from db_connector import query_to_dataframe as q

D = pd.Timestamp("2022-07-01")
C = pd.Timestamp("2022-07-02")
sec = q("SELECT INNERCODE, SECUCODE, SECUABBR, LISTEDSTATE FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2)")
sec = sec[sec.LISTEDSTATE == 1]
st = q("SELECT INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
st = st[(st.IMPLANNOUCEDATE < C) & (st.IMPLEMENTDATE <= D) & ~((st.REMOVEINFOPUBLDATE < C) & (st.REMOVEDATE <= D))]
h = q("SELECT INNERCODE, INFOPUBLDATE, SUSPENDDATE, RESUMPTIONDATE FROM lc_suspendresumption")
h = h[(h.INFOPUBLDATE < C) & (h.SUSPENDDATE <= D) & (h.RESUMPTIONDATE.isna() | (h.RESUMPTIONDATE > D))]
sec = sec[~sec.INNERCODE.isin(st.INNERCODE) & ~sec.INNERCODE.isin(h.INNERCODE)]
cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE <= '2022-07-01' ORDER BY TRADINGDATE DESC LIMIT 21").TRADINGDATE.tolist()
first, base = (cal[k].strftime("%Y-%m-%d") for k in (9, 20))
px = q(f"""SELECT a.INNERCODE, a.TRADINGDAY FROM qt_dailyquote a JOIN qt_pricelimit b ON b.INNERCODE = a.INNERCODE AND b.TRADINGDAY = a.TRADINGDAY
           WHERE a.TRADINGDAY BETWEEN '{first}' AND '2022-07-01' AND a.CLOSEPRICE = b.PRICECEILING AND a.TURNOVERVOLUME > 0""")
rank = {d: k for k, d in enumerate(cal, 1)}
px["k"] = px.TRADINGDAY.map(rank)
px = px.sort_values(["INNERCODE", "k"])
px["n"] = px.groupby("INNERCODE").cumcount() + 1
run = px[px.k == px.n].groupby("INNERCODE").size()
adj = q(f"SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY IN ('2022-07-01', '{base}')").pivot(index="INNERCODE", columns="TRADINGDAY", values="BACKWARDPRICE")
chg = ((adj.iloc[:, 1] / adj.iloc[:, 0] - 1) * 100).round(2)
out = sec.assign(streak=sec.INNERCODE.map(run), chg20=sec.INNERCODE.map(chg)).dropna(subset=["streak"]).sort_values(["streak", "SECUCODE"], ascending=[False, True])
result = out[["SECUCODE", "SECUABBR", "streak", "chg20"]].astype({"streak": int}).rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr"})

import pandas as pd
from db_connector import query_to_dataframe as q

D, C = "2022-07-01", "2022-07-02"
pool = q(f"""
    SELECT s.INNERCODE, s.SECUCODE, s.SECUABBR FROM secumain s
    JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_liststatus WHERE CHANGEDATE <= '{D}' AND INSERTTIME < '{C}') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1 AND l.CHANGETYPE IN (1, 3)
    WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2)
      AND s.INNERCODE NOT IN (SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < '{C}' AND IMPLEMENTDATE <= '{D}'
          AND (REMOVEDATE IS NULL OR REMOVEDATE > '{D}' OR REMOVEINFOPUBLDATE IS NULL OR REMOVEINFOPUBLDATE >= '{C}'))
      AND s.INNERCODE NOT IN (SELECT INNERCODE FROM lc_suspendresumption WHERE INFOPUBLDATE < '{C}' AND SUSPENDDATE <= '{D}' AND (RESUMPTIONDATE IS NULL OR RESUMPTIONDATE > '{D}'))""")
cal = q(f"SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2022-04-15' AND '{D}' ORDER BY 1").TRADINGDATE.tolist()
px = q("""SELECT a.INNERCODE, a.TRADINGDAY, a.CLOSEPRICE, a.OPENPRICE, a.TURNOVERVOLUME, b.PRICECEILING FROM qt_dailyquote a JOIN qt_pricelimit b ON b.INNERCODE = a.INNERCODE AND b.TRADINGDAY = a.TRADINGDAY
          WHERE a.TRADINGDAY BETWEEN '2022-05-30' AND '2022-07-05'""")
px["up"] = (px.CLOSEPRICE == px.PRICECEILING) & (px.TURNOVERVOLUME > 0)
hit = px[px.up].groupby("INNERCODE").TRADINGDAY.apply(set)
nxt = px[px.TRADINGDAY > D].sort_values("TRADINGDAY").drop_duplicates("INNERCODE").set_index("INNERCODE")
buyable = nxt[nxt.OPENPRICE < nxt.PRICECEILING].index
adj = q(f"SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY IN ('{cal[-1]:%Y-%m-%d}', '{cal[-21]:%Y-%m-%d}')").pivot(index="INNERCODE", columns="TRADINGDAY", values="BACKWARDPRICE")
rows = []
for r in pool[pool.INNERCODE.isin(buyable)].itertuples():
    days, n = hit.get(r.INNERCODE, set()), 0
    while n < 10 and cal[-1 - n] in days:
        n += 1
    if n:
        rows.append((r.SECUCODE, r.SECUABBR, n, round((adj.at[r.INNERCODE, cal[-1]] / adj.at[r.INNERCODE, cal[-21]] - 1) * 100, 2)))
result = pd.DataFrame(rows, columns=["secu_code", "secu_abbr", "streak", "chg20"]).sort_values(["streak", "secu_code"], ascending=[False, True])

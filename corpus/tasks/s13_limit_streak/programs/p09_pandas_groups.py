import os
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])


def sql(query):
    with engine.connect() as conn:
        return pd.read_sql(text(query), conn)


DAY, NEXT = pd.Timestamp("2022-07-01"), pd.Timestamp("2022-07-02")
days = sql("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2022-05-16' AND '2022-07-01' ORDER BY TRADINGDATE").TRADINGDATE
ten, base = days.tail(10), days.iloc[-21]
names = sql("SELECT INNERCODE, SECUCODE, SECUABBR FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2)")
last = sql("SELECT INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME, ID FROM lc_liststatus")
last = last[(last.CHANGEDATE < NEXT) & (last.INSERTTIME < NEXT)].sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).groupby("INNERCODE").tail(1)
alert = sql("SELECT INNERCODE, RISKALERTTYPE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert")
alert = alert[alert.RISKALERTTYPE.isin([1, 5, 12, 14]) & (alert[["IMPLANNOUCEDATE", "IMPLEMENTDATE"]].max(axis=1, skipna=False) <= DAY) & ~(alert[["REMOVEINFOPUBLDATE", "REMOVEDATE"]].max(axis=1, skipna=False) <= DAY)]
halt = sql("SELECT INNERCODE, INFOPUBLDATE, SUSPENDDATE, RESUMPTIONDATE FROM lc_suspendresumption")
halt = halt[(halt.INFOPUBLDATE < NEXT) & halt.apply(lambda r: r.SUSPENDDATE <= DAY and (pd.isna(r.RESUMPTIONDATE) or r.RESUMPTIONDATE > DAY), axis=1)]
names = names[names.INNERCODE.isin(last[last.CHANGETYPE.isin([1, 3])].INNERCODE) & ~names.INNERCODE.isin(alert.INNERCODE) & ~names.INNERCODE.isin(halt.INNERCODE)]

ups = sql(f"""SELECT q.INNERCODE, q.TRADINGDAY FROM qt_dailyquote q JOIN qt_pricelimit l ON l.INNERCODE = q.INNERCODE AND l.TRADINGDAY = q.TRADINGDAY
              WHERE q.TRADINGDAY >= '{ten.iloc[0]:%Y-%m-%d}' AND q.TRADINGDAY < '{NEXT:%Y-%m-%d}' AND q.CLOSEPRICE = l.PRICECEILING AND q.TURNOVERVOLUME > 0""")
price = sql(f"SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY IN ('{DAY:%Y-%m-%d}', '{base:%Y-%m-%d}')").pivot(index="INNERCODE", columns="TRADINGDAY", values="BACKWARDPRICE")
rows = []
for r in names.itertuples():
    hit = ten.isin(ups[ups.INNERCODE == r.INNERCODE].TRADINGDAY)
    if hit.iloc[-1]:
        group = (~hit).cumsum()
        streak = int(hit[group == group.iloc[-1]].sum())
        rows.append((r.SECUCODE, r.SECUABBR, streak, round((price.at[r.INNERCODE, DAY] / price.at[r.INNERCODE, base] - 1) * 100, 2)))
result = pd.DataFrame(rows, columns=["secu_code", "secu_abbr", "streak", "chg20"]).sort_values(["streak", "secu_code"], ascending=[False, True])

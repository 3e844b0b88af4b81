import os
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])


def read(sql):
    with engine.connect() as conn:
        return pd.read_sql(text(sql), conn)


ev = read("""
    SELECT INNERCODE, notice, bond_code, new_price, old_price, DELISTDATE FROM (
      SELECT p.INNERCODE, p.INFOPUBLDATE AS notice, b.SECUCODE AS bond_code, b.DELISTDATE, p.CONVERTPRICE AS new_price, o.CONVERTPRICE AS old_price,
             ROW_NUMBER() OVER (PARTITION BY p.ID ORDER BY o.VALIDDATE DESC, o.INFOPUBLDATE DESC, o.ID DESC) AS rn
      FROM bond_conbdconvertprice p JOIN bond_code b ON b.INNERCODE = p.INNERCODE
      JOIN bond_conbdconvertprice o ON o.INNERCODE = p.INNERCODE AND o.INFOPUBLDATE < p.INFOPUBLDATE
      WHERE p.CHANGEREASON = '向下修正' AND p.INFOPUBLDATE BETWEEN '2019-01-01' AND '2024-12-31') x
    WHERE rn = 1""").drop(columns="DELISTDATE")
bal = read("""
    SELECT INNERCODE, notice, balance FROM (
      SELECT p.INNERCODE, p.INFOPUBLDATE AS notice, z.TOTALSIZE AS balance, ROW_NUMBER() OVER (PARTITION BY p.ID ORDER BY z.ENDDATE DESC, z.INFOPUBLDATE DESC, z.ID DESC) AS rn
      FROM bond_conbdconvertprice p JOIN bond_code b ON b.INNERCODE = p.INNERCODE
      JOIN bond_size z ON z.MAINCODE = b.MAINCODE AND z.ENDDATE <= p.INFOPUBLDATE AND z.INFOPUBLDATE < DATE_ADD(p.INFOPUBLDATE, INTERVAL 1 DAY)
      WHERE p.CHANGEREASON = '向下修正') x
    WHERE rn = 1""")
call = read("SELECT INNERCODE, INSERTTIME FROM bond_conbdcallinfo WHERE CALLTYPE = 3")
quote = read("SELECT INNERCODE, TRADINGDAY, CLOSEPRICE FROM bond_conbdexchangequote WHERE TURNOVERVOLUME > 0 ORDER BY TRADINGDAY")
for frame in (ev, bal, call, quote):
    frame["INNERCODE"] = frame.INNERCODE.astype(int)
ev["notice"], bal["notice"] = pd.to_datetime(ev.notice), pd.to_datetime(bal.notice)
first_call = pd.to_datetime(call.INSERTTIME).groupby(call.INNERCODE).min()
limit = ev.notice + pd.Timedelta(days=1)
ev = ev[ev.INNERCODE.map(first_call).fillna(pd.Timestamp("2100-01-01")) >= limit]
ev = ev.merge(bal, on=["INNERCODE", "notice"], how="left")


def outcome(e):
    px = quote[(quote.INNERCODE == e.INNERCODE) & (quote.TRADINGDAY > e.notice) & (quote.TRADINGDAY <= e.notice + pd.Timedelta(days=20))].CLOSEPRICE.astype(float)
    return round((px.iloc[-1] / px.iloc[0] - 1) * 100, 2) if len(px) else None


ev["ret"] = [outcome(e) for e in ev.itertuples()]
for column in ("old_price", "new_price", "balance"):
    ev[column] = ev[column].astype(float)
ev["cut"] = ((1 - ev.new_price / ev.old_price) * 100).round(2)
ev["balance"] = ev.balance.round(4)
result = ev.sort_values(["notice", "bond_code"])[["notice", "bond_code", "old_price", "new_price", "cut", "balance", "ret"]]

import pandas as pd
from db_connector import query_to_dataframe

al = query_to_dataframe("""SELECT r.INNERCODE, s.SECUCODE, r.RISKALERTTYPE, r.IMPLANNOUCEDATE, r.IMPLEMENTDATE, r.REMOVEDATE
    FROM cs_riskalert r JOIN secumain s ON s.INNERCODE = r.INNERCODE WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)""")
al = al[al.RISKALERTTYPE.isin([1, 5, 12, 14]) & al.IMPLANNOUCEDATE.between("2023-01-01", "2025-03-31")]
ev = al.groupby(["INNERCODE", "SECUCODE", "IMPLANNOUCEDATE"], as_index=False).IMPLEMENTDATE.min()
ls = query_to_dataframe("SELECT INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME, ID FROM lc_liststatus").sort_values(["CHANGEDATE", "INSERTTIME", "ID"])
codes = ", ".join(str(int(c)) for c in ev.INNERCODE.unique())
px = query_to_dataframe(f"SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE INNERCODE IN ({codes}) AND TRADINGDAY >= '2022-06-01' ORDER BY TRADINGDAY").dropna()
paths = dict(tuple(px.groupby("INNERCODE")))

rows = []
for e in ev.itertuples():
    day = e.IMPLANNOUCEDATE
    known = ls[(ls.INNERCODE == e.INNERCODE) & (ls.CHANGEDATE <= day) & (ls.INSERTTIME < day + pd.Timedelta(days=1))]
    if known.empty or known.CHANGETYPE.iloc[-1] not in (1, 3, 6):
        continue
    p = paths.get(e.INNERCODE)
    if p is None:
        continue
    past = p[p.TRADINGDAY <= day].BACKWARDPRICE.tail(21)
    if len(past) < 21:
        continue
    prior = (past.iloc[-1] / past.iloc[0] - 1) * 100
    if prior > 10:
        continue
    future = p[p.TRADINGDAY > day].BACKWARDPRICE.head(6)
    ret = (future.iloc[-1] / future.iloc[0] - 1) * 100 if len(future) else None
    rows.append((day, e.SECUCODE, (e.IMPLEMENTDATE - day).days, prior, ret))
result = pd.DataFrame(rows, columns=["ann_date", "secu_code", "lead_days", "prior_ret", "ret"]).sort_values(["ann_date", "secu_code"]).round(2)

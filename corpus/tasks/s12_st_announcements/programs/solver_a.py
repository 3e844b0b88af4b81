# ST 公告事件研究
import duckdb
import numpy as np
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
ev = con.sql("""
    select r.INNERCODE, s.SECUCODE, r.IMPLANNOUCEDATE as ann, min(r.IMPLEMENTDATE) as eff
    from cs_riskalert r join secumain s on s.INNERCODE = r.INNERCODE
    where r.RISKALERTTYPE in (1, 5, 12, 14) and r.IMPLANNOUCEDATE between '2023-01-01' and '2025-03-31'
      and s.SECUCATEGORY = 1 and s.LISTEDSECTOR in (1, 2, 6)
    group by 1, 2, 3
""").df()
ls = con.sql("select INNERCODE, CHANGEDATE, CHANGETYPE from lc_liststatus order by CHANGEDATE").df()
px = con.sql("select INNERCODE, TRADINGDAY, BACKWARDPRICE from qt_performancedata where TRADINGDAY >= '2022-06-01' order by TRADINGDAY").df()
px = {k: g for k, g in px[px.INNERCODE.isin(ev.INNERCODE)].groupby("INNERCODE")}

rows = []
for e in ev.itertuples():
    s = ls[(ls.INNERCODE == e.INNERCODE) & (ls.CHANGEDATE <= e.ann)]
    if s.empty or s.CHANGETYPE.iloc[-1] == 4:
        continue
    p = px.get(e.INNERCODE)
    if p is None:
        continue
    b = p[p.TRADINGDAY <= e.ann].BACKWARDPRICE.values[-21:]
    a = p[p.TRADINGDAY > e.ann].BACKWARDPRICE.values[:6]
    if len(b) < 21:
        continue
    prior = (b[-1] / b[0] - 1) * 100
    ret = (a[-1] / a[0] - 1) * 100 if len(a) == 6 else np.nan
    rows.append((e.ann.date(), e.SECUCODE, (e.eff - e.ann).days, round(prior, 2), round(ret, 2)))
result = pd.DataFrame(rows, columns=["ann_date", "secu_code", "lead_days", "prior_ret", "ret"])
result = result[result.prior_ret <= 10].sort_values(["ann_date", "secu_code"]).reset_index(drop=True)

import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
ev = con.sql("""
    SELECT r.INNERCODE, s.SECUCODE AS secu_code, r.IMPLANNOUCEDATE AS ann_date, min(r.IMPLEMENTDATE) AS eff
    FROM cs_riskalert r JOIN secumain s USING (INNERCODE)
    WHERE r.RISKALERTTYPE IN (1, 5, 12, 14) AND r.IMPLANNOUCEDATE BETWEEN DATE '2023-01-01' AND DATE '2025-03-31'
      AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6) AND s.LISTEDSTATE IN (1, 3)
    GROUP BY ALL""").df()
px = con.sql("SELECT INNERCODE, TRADINGDAY, CAST(BACKWARDPRICE AS DOUBLE) AS c FROM qt_performancedata WHERE BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY").df()
rows = []
for code, events in ev.groupby("INNERCODE"):
    p = px[px.INNERCODE == code]
    for e in events.itertuples():
        past, later = p[p.TRADINGDAY <= e.ann_date].c.values[-21:], p[p.TRADINGDAY > e.ann_date].c.values[:6]
        if len(past) == 21 and (past[-1] / past[0] - 1) * 100 <= 10:
            rows.append([e.ann_date, e.secu_code, (e.eff - e.ann_date).days, (past[-1] / past[0] - 1) * 100, (later[-1] / later[0] - 1) * 100 if len(later) else None])
result = pd.DataFrame(rows, columns=["ann_date", "secu_code", "lead_days", "prior_ret", "ret"]).sort_values(["ann_date", "secu_code"]).round(2)

import pandas as pd
from db_connector import query_to_dataframe as q

ev = q("""SELECT r.INNERCODE, s.SECUCODE, r.IMPLANNOUCEDATE, MIN(r.IMPLEMENTDATE) AS eff FROM cs_riskalert r JOIN secumain s ON s.INNERCODE = r.INNERCODE
          WHERE r.RISKALERTTYPE IN (1, 5, 12, 14) AND r.IMPLANNOUCEDATE BETWEEN '2023-01-01' AND '2025-03-31' AND s.SECUCATEGORY = 1
            AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6) GROUP BY r.INNERCODE, s.SECUCODE, r.IMPLANNOUCEDATE""")
ls = q("SELECT INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME, ID FROM lc_liststatus").sort_values(["CHANGEDATE", "INSERTTIME", "ID"])
px = q("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY >= '2022-06-01' ORDER BY TRADINGDAY").dropna()
out = []
for e in ev.itertuples():
    t0 = e.IMPLANNOUCEDATE
    s = ls[(ls.INNERCODE == e.INNERCODE) & (ls.CHANGEDATE <= t0) & (ls.INSERTTIME < t0 + pd.Timedelta(days=1))]
    p = px[px.INNERCODE == e.INNERCODE].reset_index(drop=True)
    if s.empty or s.CHANGETYPE.iloc[-1] not in (1, 3, 6) or p.empty:
        continue
    k = int((p.TRADINGDAY <= t0).sum())
    if k < 21:
        continue
    ref = p.BACKWARDPRICE[k - 21]
    through_entry = (p.BACKWARDPRICE[min(k, len(p) - 1)] / ref - 1) * 100
    if through_entry > 10:
        continue
    tail = p.BACKWARDPRICE[k:k + 6].tolist()
    out.append({"ann_date": t0, "secu_code": e.SECUCODE, "lead_days": (e.eff - t0).days, "prior_ret": round((p.BACKWARDPRICE[k - 1] / ref - 1) * 100, 2),
                "ret": round((tail[-1] / tail[0] - 1) * 100, 2) if tail else None})
result = pd.DataFrame(out).sort_values(["ann_date", "secu_code"])

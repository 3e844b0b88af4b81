import pandas as pd
from db_connector import query_to_dataframe

ev = query_to_dataframe("""
    SELECT r.INNERCODE, s.SECUCODE AS secu_code, r.IMPLANNOUCEDATE AS ann_date, MIN(r.IMPLEMENTDATE) AS eff
    FROM cs_riskalert r JOIN secumain s ON s.INNERCODE = r.INNERCODE
    WHERE r.RISKALERTTYPE IN (1, 5, 12, 14) AND r.IMPLANNOUCEDATE BETWEEN '2023-01-01' AND '2025-03-31'
      AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
    GROUP BY r.INNERCODE, s.SECUCODE, r.IMPLANNOUCEDATE""")
ls = query_to_dataframe("SELECT INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME, ID FROM lc_liststatus")
j = ev.merge(ls, on="INNERCODE")
j = j[(j.CHANGEDATE <= j.ann_date) & (j.INSERTTIME < j.ann_date + pd.Timedelta(days=1))].sort_values(["CHANGEDATE", "INSERTTIME", "ID"])
j = j.groupby(["INNERCODE", "ann_date"]).tail(1)
ev = j[j.CHANGETYPE.isin([1, 3, 6])][["INNERCODE", "secu_code", "ann_date", "eff"]]
px = query_to_dataframe("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY >= '2022-06-01'").dropna()
px = px[px.INNERCODE.isin(ev.INNERCODE)].sort_values(["INNERCODE", "TRADINGDAY"])
g = px.groupby("INNERCODE").BACKWARDPRICE
px["prior_ret"] = (px.BACKWARDPRICE / g.shift(20) - 1) * 100
px["ret"] = (g.shift(-6) / g.shift(-1) - 1) * 100
out = pd.merge_asof(ev.sort_values("ann_date"), px.sort_values("TRADINGDAY"), left_on="ann_date", right_on="TRADINGDAY", by="INNERCODE")
out = out.dropna(subset=["prior_ret", "ret"])
out = out[out.prior_ret <= 10].assign(lead_days=lambda x: (x.eff - x.ann_date).dt.days)
result = out.sort_values(["ann_date", "secu_code"])[["ann_date", "secu_code", "lead_days", "prior_ret", "ret"]].round(2)

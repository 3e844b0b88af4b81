import pandas as pd
from db_connector import query_to_dataframe as q

cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2023-06-01' AND '2024-03-31' ORDER BY TRADINGDATE").TRADINGDATE.tolist()
ends = sorted({(t.year, t.month): t for t in cal if t.year == 2023 and t.month >= 7}.values())
c = q("""SELECT c.INDATE, c.OUTDATE, s.INNERCODE, s.COMPANYCODE, s.SECUCODE FROM lc_indexcomponent c JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
         JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE WHERE i.SECUCODE = '000852' AND i.SECUCATEGORY = 4""")
st = q("SELECT INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
eq = q("SELECT ID, COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, SEWITHOUTMI FROM lc_maindatanew WHERE MARK = 1 AND ENDDATE >= '2021-12-31'").sort_values(["ENDDATE", "INFOPUBLDATE", "INSERTTIME", "ID"])
lag = {3: 30, 6: 62, 9: 31, 12: 120}
eq["usable"] = eq.ENDDATE + pd.to_timedelta(eq.ENDDATE.dt.month.map(lag), unit="D")
mv = q("SELECT INNERCODE, TRADINGDAY, TOTALMV FROM lc_dindicesforvaluation WHERE TRADINGDAY BETWEEN '2023-07-01' AND '2023-12-31'")
px = q("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN '2023-01-01' AND '2024-03-31' AND BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY")
rows = []
for d in ends:
    m = c[(c.INDATE <= d) & (c.OUTDATE.isna() | (c.OUTDATE > d))]
    bad = st[(st.IMPLANNOUCEDATE <= d) & (st.IMPLEMENTDATE <= d) & ~((st.REMOVEINFOPUBLDATE <= d) & (st.REMOVEDATE <= d))].INNERCODE
    e = eq[eq.usable <= d].drop_duplicates("COMPANYCODE", keep="last").set_index("COMPANYCODE").SEWITHOUTMI
    f = m[~m.INNERCODE.isin(bad)].assign(bp=lambda t: t.COMPANYCODE.map(e) / t.INNERCODE.map(mv[mv.TRADINGDAY == d].set_index("INNERCODE").TOTALMV)).dropna(subset=["bp"]).sort_values(["bp", "SECUCODE"], ascending=[False, True])
    p0, p1 = (px[px.TRADINGDAY <= t].groupby("INNERCODE").BACKWARDPRICE.last() for t in (d, cal[cal.index(d) + 20]))
    rows.append((d, len(f), round(f.bp.median(), 4), f.SECUCODE.iloc[0], round(f.bp.rank().corr(f.INNERCODE.map(p1 / p0 - 1).rank()), 4)))
result = pd.DataFrame(rows, columns=["obs_date", "n", "bp_median", "top_code", "rank_ic"])

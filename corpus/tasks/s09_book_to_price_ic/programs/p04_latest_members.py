import pandas as pd
from db_connector import query_to_dataframe as q

cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2023-06-01' AND '2024-03-31' ORDER BY TRADINGDATE").TRADINGDATE.tolist()
month_ends = sorted({(t.year, t.month): t for t in cal if "2023-07" <= t.strftime("%Y-%m") <= "2023-12"}.values())
last = month_ends[-1].strftime("%Y-%m-%d")
pool = q(f"""SELECT s.INNERCODE, s.COMPANYCODE, s.SECUCODE FROM lc_indexcomponent c JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE
             WHERE i.SECUCODE = '000852' AND i.SECUCATEGORY = 4 AND c.INDATE <= '{last}' AND (c.OUTDATE IS NULL OR c.OUTDATE > '{last}')""")
st = q("SELECT INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
eq = q("SELECT ID, COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, SEWITHOUTMI FROM lc_maindatanew WHERE MARK = 1")
mv = q("SELECT INNERCODE, TRADINGDAY, TOTALMV FROM lc_dindicesforvaluation WHERE TRADINGDAY BETWEEN '2023-07-01' AND '2023-12-31'")
px = q("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN '2023-01-01' AND '2024-03-31' AND BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY")
rows = []
for d in month_ends:
    cut = d + pd.Timedelta(days=1)
    bad = st[(st.IMPLANNOUCEDATE < cut) & (st.IMPLEMENTDATE <= d) & ~((st.REMOVEINFOPUBLDATE < cut) & (st.REMOVEDATE <= d))].INNERCODE
    e = eq[eq.INFOPUBLDATE < cut].sort_values(["ENDDATE", "INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates("COMPANYCODE", keep="last").set_index("COMPANYCODE").SEWITHOUTMI
    m = mv[mv.TRADINGDAY == d].set_index("INNERCODE").TOTALMV
    f = pool[~pool.INNERCODE.isin(bad)].assign(bp=lambda t: t.COMPANYCODE.map(e) / t.INNERCODE.map(m)).dropna(subset=["bp"]).sort_values(["bp", "SECUCODE"], ascending=[False, True])
    p0 = px[px.TRADINGDAY <= d].groupby("INNERCODE").BACKWARDPRICE.last()
    p1 = px[px.TRADINGDAY <= cal[cal.index(d) + 20]].groupby("INNERCODE").BACKWARDPRICE.last()
    rows.append((d, len(f), round(f.bp.median(), 4), f.SECUCODE.iloc[0], round(f.bp.rank().corr(f.INNERCODE.map(p1 / p0 - 1).rank()), 4)))
result = pd.DataFrame(rows, columns=["obs_date", "n", "bp_median", "top_code", "rank_ic"])

import duckdb
import numpy as np
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
df = lambda sql: con.sql(sql).df()
cal = df("SELECT TRADINGDATE AS t FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 ORDER BY 1")
obs = cal[cal.t.between("2023-07-01", "2023-12-31")].groupby(cal.t.dt.month).t.max().sort_values()
mem = df("""SELECT c.INDATE, c.OUTDATE, c.FLAG, s.INNERCODE, s.COMPANYCODE, s.SECUCODE FROM lc_indexcomponent c JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
            JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE WHERE i.SECUCODE = '000852' AND i.SECUCATEGORY = 4""")
x = pd.DataFrame({"d": obs.values}).merge(mem, how="cross")
x = x[(x.INDATE <= x.d) & (x.OUTDATE.isna() | (x.OUTDATE > x.d))]
st = df("SELECT INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
bad = x[["d", "INNERCODE"]].merge(st, on="INNERCODE")
bad = bad[(bad.IMPLANNOUCEDATE <= bad.d) & (bad.IMPLEMENTDATE <= bad.d) & ~((bad.REMOVEINFOPUBLDATE <= bad.d) & (bad.REMOVEDATE <= bad.d))]
x = x[~pd.MultiIndex.from_frame(x[["d", "INNERCODE"]]).isin(pd.MultiIndex.from_frame(bad[["d", "INNERCODE"]]))]

eq = df("SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE AS t, INSERTTIME, ID, CAST(SEWITHOUTMI AS DOUBLE) AS eq FROM lc_maindatanew WHERE MARK = 1 AND INFOPUBLDATE IS NOT NULL")
eq = eq.sort_values(["t", "ENDDATE", "INSERTTIME", "ID"])
eq = eq[eq.ENDDATE.eq(eq.groupby("COMPANYCODE").ENDDATE.cummax())].drop_duplicates(["COMPANYCODE", "t"], keep="last")
x = pd.merge_asof(x.sort_values("d"), eq[["COMPANYCODE", "t", "eq"]].sort_values("t"), left_on="d", right_on="t", by="COMPANYCODE")
mv = df("SELECT INNERCODE, TRADINGDAY AS d, CAST(TOTALMV AS DOUBLE) AS mv FROM lc_dindicesforvaluation WHERE TRADINGDAY BETWEEN '2023-07-01' AND '2023-12-31'")
x = x.merge(mv, on=["INNERCODE", "d"])
x["bp"] = x["eq"] / x["mv"]
x = x.dropna(subset=["bp"])
px = df("SELECT INNERCODE, TRADINGDAY AS u, CAST(BACKWARDPRICE AS DOUBLE) AS p FROM qt_performancedata WHERE BACKWARDPRICE IS NOT NULL AND TRADINGDAY >= '2023-01-01' ORDER BY u")
pos = {t: i for i, t in enumerate(cal.t)}
x["e"] = [cal.t[pos[d] + 20] for d in x.d]
x = pd.merge_asof(x.sort_values("d"), px, left_on="d", right_on="u", by="INNERCODE").rename(columns={"p": "p0"}).drop(columns="u")
x = pd.merge_asof(x.sort_values("e"), px, left_on="e", right_on="u", by="INNERCODE")
x["ret"] = x.p / x.p0 - 1
out = []
for d, g in x.groupby("d"):
    g = g.sort_values(["bp", "SECUCODE"], ascending=[False, True])
    out.append((d, len(g), round(float(np.median(g.bp)), 4), g.SECUCODE.iloc[0], round(g.bp.rank().corr(g.ret.rank()), 4)))
result = pd.DataFrame(out, columns=["obs_date", "n", "bp_median", "top_code", "rank_ic"])

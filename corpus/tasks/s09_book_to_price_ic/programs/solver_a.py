# 中证1000 BP 因子：样本、中位数、RankIC
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
cal = con.sql("select TRADINGDATE as d from qt_tradingdaynew where SECUMARKET = 83 and IFTRADINGDAY = 1 order by 1").df().d
h2 = cal[(cal >= "2023-07-01") & (cal <= "2023-12-31")]
obs = h2.groupby(h2.dt.to_period("M")).max()

comp = con.sql("""select c.SECUINNERCODE as INNERCODE, c.INDATE, c.OUTDATE, s.COMPANYCODE, s.SECUCODE
                  from lc_indexcomponent c join secumain i on i.INNERCODE = c.INDEXINNERCODE and i.SECUCODE = '000852'
                  join secumain s on s.INNERCODE = c.SECUINNERCODE""").df()
st = con.sql("select INNERCODE, IMPLEMENTDATE, REMOVEDATE from cs_riskalert where RISKALERTTYPE in (1, 5, 12, 14)").df()
fin = con.sql("""select COMPANYCODE, ENDDATE, INFOPUBLDATE, SEWITHOUTMI from lc_maindatanew
                 where MARK = 1 and SEWITHOUTMI is not null and ENDDATE >= '2022-01-01'""").df()
mv = con.sql("select INNERCODE, TRADINGDAY, TOTALMV from lc_dindicesforvaluation where TRADINGDAY >= '2023-07-01' and TRADINGDAY <= '2023-12-31'").df()
px = con.sql("select INNERCODE, TRADINGDAY, BACKWARDPRICE from qt_performancedata where TRADINGDAY >= '2023-07-01' and TRADINGDAY <= '2024-03-01'").df()
px = px.pivot(index="TRADINGDAY", columns="INNERCODE", values="BACKWARDPRICE").ffill()

rows = []
for d in obs:
    u = comp[(comp.INDATE <= d) & (comp.OUTDATE.isna() | (comp.OUTDATE > d))]
    bad = st[(st.IMPLEMENTDATE <= d) & (st.REMOVEDATE.isna() | (st.REMOVEDATE > d))].INNERCODE
    u = u[~u.INNERCODE.isin(bad)]
    f = fin[fin.INFOPUBLDATE <= d].sort_values(["ENDDATE", "INFOPUBLDATE"]).groupby("COMPANYCODE").tail(1)
    x = u.merge(f[["COMPANYCODE", "SEWITHOUTMI"]], on="COMPANYCODE").merge(mv[mv.TRADINGDAY == d][["INNERCODE", "TOTALMV"]], on="INNERCODE")
    x["bp"] = x.SEWITHOUTMI / x.TOTALMV
    x = x.dropna(subset=["bp"])
    d20 = cal[cal > d].iloc[19]
    ret = px.loc[d20] / px.loc[d] - 1
    x["ret"] = x.INNERCODE.map(ret)
    x = x.sort_values(["bp", "SECUCODE"], ascending=[False, True])
    rows.append({"obs_date": d.date(), "n": len(x), "bp_median": round(x.bp.median(), 4), "top_code": x.SECUCODE.iloc[0],
                 "rank_ic": round(x.bp.corr(x.ret, method="spearman"), 4)})
result = pd.DataFrame(rows)

from datetime import timedelta
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
read = lambda sql: con.sql(sql).pl()
obs = read("SELECT max(TRADINGDATE) AS d FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2024-01-01' AND '2024-06-30' GROUP BY month(TRADINGDATE)").sort("d")
sec = read("SELECT CAST(INNERCODE AS BIGINT) AS i, CAST(COMPANYCODE AS BIGINT) AS co, SECUCODE AS secu_code FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2)")
st = read("SELECT CAST(INNERCODE AS BIGINT) AS i, IMPLANNOUCEDATE AS a, IMPLEMENTDATE AS b, REMOVEINFOPUBLDATE AS ra, REMOVEDATE AS rb FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
dv = read("SELECT CAST(INNERCODE AS BIGINT) AS i, EXDIVIDATE AS ex, DIVIDENDIMPLEMENTDATE AS im, CAST(ACTUALCASHDIVIRMB AS DOUBLE) / 10 AS cash FROM lc_dividend")
md = read("SELECT CAST(COMPANYCODE AS BIGINT) AS co, ENDDATE, INFOPUBLDATE AS pub, INSERTTIME, ID, CAST(NPFROMPARENTCOMPANYOWNERS AS DOUBLE) AS np FROM lc_maindatanew WHERE MARK = 1 AND month(ENDDATE) = 12").sort("ENDDATE", "pub", "INSERTTIME", "ID")
px = read("SELECT CAST(INNERCODE AS BIGINT) AS i, TRADINGDAY AS t, CAST(CLOSEPRICE AS DOUBLE) AS c FROM qt_dailyquote WHERE TRADINGDAY BETWEEN '2024-01-01' AND '2024-06-30'")
ad = read("SELECT CAST(INNERCODE AS BIGINT) AS i, TRADINGDAY AS t, CAST(BACKWARDPRICE AS DOUBLE) AS p FROM qt_performancedata WHERE TRADINGDAY BETWEEN '2024-01-01' AND '2024-07-31' AND BACKWARDPRICE IS NOT NULL").sort("t")

frames = []
for (d,) in obs.iter_rows():
    c = d + timedelta(days=1)
    bad = st.filter((pl.col("a") < c) & (pl.col("b") <= d) & ~((pl.col("ra") < c) & (pl.col("rb") <= d)).fill_null(False))
    good = md.filter(pl.col("pub") < c).group_by("co", maintain_order=True).last().filter(pl.col("np") > 0)
    cash = dv.filter((pl.col("im") < c) & (pl.col("ex") <= d) & (pl.col("ex") > d - timedelta(days=365))).group_by("i").agg(pl.col("cash").sum())
    ret = ad.filter((pl.col("t") >= d) & (pl.col("t") <= d + timedelta(days=31))).group_by("i", maintain_order=True).agg(next_ret=((pl.col("p").last() / pl.col("p").first() - 1) * 100).round(2))
    frames.append(sec.join(bad, on="i", how="anti").join(good, on="co", how="semi").join(cash, on="i").join(px.filter((pl.col("t") == d) & (pl.col("c") > 0)), on="i")
                  .with_columns(y=pl.col("cash") / pl.col("c") * 100).filter(pl.col("y") > 0).sort(["y", "secu_code"], descending=[True, False]).head(10)
                  .with_row_index("rnk", offset=1).join(ret, on="i", how="left").with_columns(obs_date=pl.lit(d), div_yield=pl.col("y").round(4))
                  .select("obs_date", "rnk", "secu_code", "div_yield", "next_ret"))
result = pl.concat(frames)

from datetime import datetime, timedelta
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
D = datetime(2021, 10, 6)
read = lambda sql: con.sql(sql).pl()
ev = (read("SELECT CAST(INNERCODE AS BIGINT) AS ai, CHANGEDATE, CAST(CHANGETYPE AS INT) AS kind, INSERTTIME, ID FROM lc_liststatus")
      .filter((pl.col("CHANGEDATE") <= D) & (pl.col("INSERTTIME") < D + timedelta(days=1))).sort("CHANGEDATE", "INSERTTIME", "ID").unique("ai", keep="last", maintain_order=True).filter(pl.col("kind").is_in([1, 3, 6])))
a = read("SELECT CAST(INNERCODE AS BIGINT) AS ai, CAST(COMPANYCODE AS BIGINT) AS co, SECUCODE AS secu_code FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6)").join(ev, on="ai", how="semi")
h = (read("SELECT CAST(INNERCODE AS BIGINT) AS hi, CAST(COMPANYCODE AS BIGINT) AS co, SECUCODE AS hk_code, LISTEDDATE, DELISTINGDATE FROM hk_secumain WHERE SECUCATEGORY = 3")
     .filter((pl.col("LISTEDDATE") <= D) & (pl.col("DELISTINGDATE").is_null() | (pl.col("DELISTINGDATE") > D))))
pa = read("SELECT CAST(INNERCODE AS BIGINT) AS ai, TRADINGDAY AS t, CAST(CLOSEPRICE AS DOUBLE) AS a_close FROM qt_dailyquote").sort("t")
ph = read("SELECT CAST(INNERCODE AS BIGINT) AS hi, TRADINGDAY AS t, CAST(CLOSEPRICE AS DOUBLE) AS h_close FROM qt_hkdailyquote").sort("t")
fx = read("SELECT ENDDATE AS t, CAST(PERIODENDPRICE AS DOUBLE) AS fx FROM ed_rmbbaseexchangerate WHERE CURRENCY = 110 AND DATAREPORTPERIOD = 1").sort("t")
x = a.join(h, on="co").with_columns(t=pl.lit(D).cast(pa.schema["t"]))
x = x.join_asof(pa, on="t", by="ai", strategy="backward").join_asof(ph, on="t", by="hi", strategy="backward").join_asof(fx, on="t", strategy="forward")
result = (x.with_columns(premium=((pl.col("a_close") / (pl.col("h_close") * pl.col("fx") / 100) - 1) * 100)).drop_nulls("premium").sort(["premium", "secu_code"], descending=[True, False])
          .select("secu_code", "hk_code", pl.col("a_close").round(2), pl.col("h_close").round(2), pl.col("premium").round(2)))

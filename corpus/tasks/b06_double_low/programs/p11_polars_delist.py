from datetime import datetime
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
t, cut = datetime(2021, 7, 2), datetime(2021, 7, 3)
get = lambda sql: con.sql(sql).pl()

bonds = get("""SELECT CAST(q.INNERCODE AS BIGINT) AS i, CAST(b.MAINCODE AS BIGINT) AS m, c.SECUCODE AS bond_code, c.ENDDATE AS matures, c.DELISTDATE AS off, q.TRADINGDAY AS t, CAST(q.CLOSEPRICE AS DOUBLE) AS px, CAST(q.STOCKPRICE AS DOUBLE) AS stock
               FROM bond_conbdexchangequote q JOIN bond_conbdbasicinfo c USING (INNERCODE) JOIN bond_code b USING (INNERCODE) WHERE q.TURNOVERVOLUME > 0""")
bonds = bonds.filter((pl.col("t") == t) & (pl.col("matures") > datetime(2022, 7, 2)) & (pl.col("off").is_null() | (pl.col("off") > t))).sort("t")
conv = get("SELECT CAST(INNERCODE AS BIGINT) AS i, VALIDDATE AS d, INFOPUBLDATE, ID, CAST(CONVERTPRICE AS DOUBLE) AS conv FROM bond_conbdconvertprice")
size = get("SELECT CAST(MAINCODE AS BIGINT) AS m, ENDDATE AS d, INFOPUBLDATE, ID, CAST(TOTALSIZE AS DOUBLE) AS balance FROM bond_size")
rate = get("SELECT CAST(MAINCODE AS BIGINT) AS m, CRDATE AS d, INFOPUBLDATE, ID, CAST(CRCODE AS INT) AS grade, RATINGEFFECTIVEENDDATE AS ends FROM bond_bdcreditgrading WHERE CRTYPECODE = 1")
call = get("SELECT CAST(INNERCODE AS BIGINT) AS i, INSERTTIME FROM bond_conbdcallinfo WHERE CALLTYPE = 3")


def known(frame, key):
    return frame.filter(pl.col("INFOPUBLDATE") < cut).sort("d", "INFOPUBLDATE", "ID").unique([key, "d"], keep="last", maintain_order=True).sort("d").drop("INFOPUBLDATE", "ID")


pool = (
    bonds.join(call.filter(pl.col("INSERTTIME") < cut), on="i", how="anti").sort("t")
    .join_asof(known(conv, "i"), left_on="t", right_on="d", by="i", strategy="backward")
    .join_asof(known(size, "m"), left_on="t", right_on="d", by="m", strategy="backward", suffix="_s")
    .join_asof(known(rate, "m"), left_on="t", right_on="d", by="m", strategy="backward", suffix="_r")
    .filter((pl.col("grade") >= 960) & (pl.col("ends").is_null() | (pl.col("ends") > t)) & (pl.col("balance") > 0) & (pl.col("balance") <= 20))
    .with_columns(premium=(pl.col("px") / (pl.col("stock") * 100 / pl.col("conv")) - 1) * 100)
    .with_columns(score=pl.col("px") + pl.col("premium")).drop_nulls("score").sort("score", "bond_code").head(8)
)
result = pool.select("bond_code", pl.col("conv").round(2).alias("conv_price"), pl.col("premium").round(2), pl.col("score").round(2), pl.col("balance").round(2))

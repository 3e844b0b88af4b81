from datetime import datetime, timedelta
import duckdb
import polars as pl

AS_OF = datetime(2024, 10, 25)
con = duckdb.connect("data/core.duckdb", read_only=True)
k = con.sql("""SELECT f.SECURITYCODE AS fund_code, CAST(k.STOCKINNERCODE AS BIGINT) AS stock, CAST(k.RATIOINNV AS DOUBLE) AS w, k.REPORTDATE AS period, k.INFOPUBLDATE AS pub
                   FROM mf_keystockportfolio k JOIN mf_fundarchives f USING (INNERCODE) WHERE f.SECURITYCODE IN ('010096', '010357', '010543', '010654', '010675', '590037')""").pl()
k = k.filter(pl.col("pub") <= AS_OF + timedelta(days=1))
k = k.filter(pl.col("pub") == pl.col("pub").max().over("fund_code", "period"))
k = k.with_columns(n=pl.col("period").rank("dense", descending=True).over("fund_code")).filter(pl.col("n") <= 4)
periods = k.select("fund_code", "period", n="n").unique().with_columns(m=pl.col("n") + 1)
old = k.select("fund_code", "stock", "n", prev_period="period")
new = k.select("fund_code", "stock", "w", m=pl.col("n") + 1, hit=pl.lit(1))
result = (
    old.join(new, left_on=["fund_code", "stock", "n"], right_on=["fund_code", "stock", "m"], how="left")
    .join(periods.select("fund_code", "period", "m"), left_on=["fund_code", "n"], right_on=["fund_code", "m"])
    .group_by("fund_code", "prev_period", "period")
    .agg(overlap=pl.col("hit").count(), total=pl.len(), weight=(pl.col("w").sum() * 100).round(2))
    .with_columns(retention=(pl.col("overlap") / pl.col("total") * 100).round(2))
    .select("fund_code", "prev_period", "period", "overlap", "retention", "weight")
    .sort("fund_code", "period")
)

from datetime import datetime
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
day, cut = datetime(2024, 7, 31), datetime(2024, 8, 1)

funds = con.sql("SELECT CAST(INNERCODE AS BIGINT) AS i, SECURITYCODE, MAINCODE, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives").pl()
names = con.sql("SELECT CAST(INNERCODE AS BIGINT) AS i, SECUABBR AS fund_abbr FROM secumain").pl()
cls = con.sql("SELECT CAST(INNERCODE AS BIGINT) AS i, CAST(SECASSETCATCODE AS INT) AS c2, EFFECTIVEDATE, CANCELDATE, INSERTTIME, ID FROM mf_jyfundtype WHERE STANDARD = 75").pl()
size = con.sql("SELECT CAST(INNERCODE AS BIGINT) AS i, ENDDATE, CAST(COMBNVI AS DOUBLE) AS v, INSERTTIME, ID FROM mf_scaleanalysis").pl()

alive = funds.filter((pl.col("MAINCODE") == pl.col("SECURITYCODE")) & (pl.col("ESTABLISHMENTDATE") <= day) & (pl.col("EXPIREDATE").is_null() | (pl.col("EXPIREDATE") > day)))
applicable = (
    cls.filter((pl.col("EFFECTIVEDATE") <= day) & (pl.col("INSERTTIME") < cut))
    .sort("EFFECTIVEDATE", "INSERTTIME", "ID")
    .group_by("i", maintain_order=True)
    .last()
    .filter((pl.col("CANCELDATE").is_null() | (pl.col("CANCELDATE") > day)) & (pl.col("c2") == 1201))
)
last = size.filter(pl.col("INSERTTIME") < cut).sort("INSERTTIME", "ID").unique(["i", "ENDDATE"], keep="last", maintain_order=True)
start = last.filter((pl.col("ENDDATE") == datetime(2023, 6, 30)) & (pl.col("v") >= 1e8)).select("i", v0="v")
end = last.filter((pl.col("ENDDATE") == datetime(2024, 6, 30)) & (pl.col("v") >= 1e8)).select("i", v1="v")
result = (
    alive.join(applicable, on="i", how="semi").join(start, on="i").join(end, on="i").join(names, on="i")
    .with_columns(g=pl.col("v1") / pl.col("v0") - 1)
    .sort(["g", "SECURITYCODE"], descending=[True, False])
    .head(10)
    .select(fund_code="SECURITYCODE", fund_abbr="fund_abbr", size0=(pl.col("v0") / 1e8).round(2), size1=(pl.col("v1") / 1e8).round(2), growth=(pl.col("g") * 100).round(2))
)

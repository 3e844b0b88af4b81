from datetime import datetime
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
d, c = datetime(2023, 4, 3), datetime(2023, 4, 4)
m = con.sql("SELECT CAST(PERSONALCODE AS BIGINT) AS person_code, CAST(INNERCODE AS BIGINT) AS i, ACCESSIONDATE, DIMISSIONDATE, INFOPUBLDATE, INCUMBENT FROM mf_fundmanagernew WHERE POSTNAME = 1").pl()
f = con.sql("SELECT CAST(INNERCODE AS BIGINT) AS i, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives WHERE MAINCODE = SECURITYCODE").pl()
z = con.sql("SELECT CAST(INNERCODE AS BIGINT) AS i, ENDDATE, INSERTTIME, ID, CAST(COMBNVI AS DOUBLE) AS v FROM mf_scaleanalysis").pl()

running = f.filter((pl.col("ESTABLISHMENTDATE") <= d) & (pl.col("EXPIREDATE").is_null() | (pl.col("EXPIREDATE") > d)))
in_office = m.filter((pl.col("INFOPUBLDATE") < c) & (pl.col("ACCESSIONDATE") <= d) & pl.coalesce(pl.col("DIMISSIONDATE"), pl.lit(datetime(2999, 1, 1))).gt(d))
size = z.filter(pl.col("INSERTTIME") < c).sort("ENDDATE", "INSERTTIME", "ID").group_by("i", maintain_order=True).tail(1)
result = (
    in_office.join(running, on="i", how="semi").group_by("person_code", "i").agg(pl.col("ACCESSIONDATE").min())
    .join(size.select("i", "v"), on="i", how="left")
    .group_by("person_code").agg(funds=pl.len(), v=pl.col("v").fill_null(0).sum(), first_start=pl.col("ACCESSIONDATE").min())
    .sort(["v", "person_code"], descending=[True, False]).head(15)
    .select("person_code", "funds", size=(pl.col("v") / 1e8).round(2), first_start="first_start")
)

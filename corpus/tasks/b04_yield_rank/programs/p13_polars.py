from datetime import datetime
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
day, cut = datetime(2022, 6, 30), datetime(2022, 7, 1)
read = lambda sql: con.sql(sql).pl()

bonds = read("""SELECT CAST(b.INNERCODE AS BIGINT) AS i, CAST(b.MAINCODE AS BIGINT) AS m, b.SECUCODE AS bond_code, b.LISTEDDATE AS listed, i.ENDDATE AS matures
                FROM bond_code b JOIN bond_basicinfo i USING (INNERCODE) WHERE b.BONDTYPELEVEL1 = 3""").filter((pl.col("listed") < cut) & (pl.col("matures") >= cut))
size = read("SELECT CAST(MAINCODE AS BIGINT) AS m, ENDDATE AS d, INFOPUBLDATE AS pub, ID, CAST(TOTALSIZE AS DOUBLE) AS size FROM bond_size")
rate = read("SELECT CAST(MAINCODE AS BIGINT) AS m, CRDATE AS d, INFOPUBLDATE AS pub, ID, CAST(CRCODE AS INT) AS grade, CRDESC AS rating, RATINGEFFECTIVEENDDATE AS ends FROM bond_bdcreditgrading WHERE CRTYPECODE = 1")
bad = read("SELECT CAST(INNERCODE AS BIGINT) AS i, INFOPUBLDATE AS pub, REVOKEDATE AS ends FROM bond_default")
val = read("SELECT CAST(INNERCODE AS BIGINT) AS i, CAST(YIELDCODE AS INT) AS basis, CAST(VPYIELD AS DOUBLE) AS y, INSERTTIME, ID FROM bond_cbvaluationall WHERE ENDDATE = DATE '2022-06-30' AND CREDIBILITYCODE = 1")

newest = lambda frame: frame.filter((pl.col("d") <= day) & (pl.col("pub") < cut)).sort("d", "pub", "ID").unique("m", keep="last", maintain_order=True)
open_default = bad.filter((pl.col("pub") < cut) & (pl.col("ends").is_null() | (pl.col("ends") > day)))
good = newest(rate).filter((pl.col("grade") >= 970) & (pl.col("ends").is_null() | (pl.col("ends") > day)))
quoted = val.filter(pl.col("INSERTTIME") < cut).sort(["basis", "INSERTTIME", "ID"], descending=[False, True, True]).unique("i", keep="first", maintain_order=True)
result = (
    bonds.join(open_default, on="i", how="anti").join(newest(size).filter(pl.col("size") > 0).select("m", "size"), on="m")
    .join(good.select("m", "rating"), on="m").join(quoted.select("i", "y").drop_nulls(), on="i")
    .sort(["y", "bond_code"], descending=[True, False]).head(20)
    .select("bond_code", "rating", balance=pl.col("size").round(2), val_yield=pl.col("y").round(4))
)

from datetime import datetime
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
read = lambda sql: con.sql(sql).pl()
code = read("SELECT CAST(INNERCODE AS BIGINT) AS i, CAST(MAINCODE AS BIGINT) AS m, SECUCODE AS bond_code FROM bond_code")
ev = (read("SELECT CAST(INNERCODE AS BIGINT) AS i, INFOPUBLDATE FROM bond_default").group_by("i").agg(notice=pl.col("INFOPUBLDATE").min())
      .filter(pl.col("notice").is_between(datetime(2020, 1, 1), datetime(2022, 12, 31))).join(code, on="i"))
val = read("""SELECT CAST(INNERCODE AS BIGINT) AS i, ENDDATE AS d, CAST(CREDIBILITYCODE AS INT) AS cred, CAST(YIELDCODE AS INT) AS basis, CAST(VPYIELD AS DOUBLE) AS y, CAST(VALUEFULLPRICE AS DOUBLE) AS px, INSERTTIME AS seen, ID
              FROM bond_cbvaluationall WHERE ENDDATE BETWEEN '2019-11-01' AND '2023-02-15'""").join(ev.select("i", "notice"), on="i").with_columns(age=(pl.col("notice") - pl.col("d")).dt.total_days())
val = val.sort(["d", "cred", "basis", "seen", "ID"], descending=[False, True, True, False, False])
known = val.filter((pl.col("cred") == 1) & (pl.col("seen") < pl.col("notice") + pl.duration(days=1)))
tail = lambda frame, low, high: frame.filter(pl.col("age").is_between(low, high)).unique("i", keep="last", maintain_order=True)
rate = read("SELECT CAST(MAINCODE AS BIGINT) AS m, CRDATE AS d, INFOPUBLDATE AS pub, CRDESC, RATINGEFFECTIVEENDDATE AS ends, ID FROM bond_bdcreditgrading WHERE CRTYPECODE = 1")
rating = (ev.select("i", "m", "notice").join(rate, on="m").filter((pl.col("d") <= pl.col("notice")) & (pl.col("pub") < pl.col("notice") + pl.duration(days=1))).sort("d", "pub", "ID")
          .unique("i", keep="last", maintain_order=True).select("i", rating=pl.when(pl.col("ends").is_null() | (pl.col("ends") > pl.col("notice"))).then(pl.col("CRDESC"))))
result = (
    ev.join(tail(known, 0, 14).select("i", "px", y_last="y"), on="i").join(tail(known, 30, 44).select("i", y30="y"), on="i")
    .join(rating, on="i", how="left").join(tail(val, -30, -1).select("i", later="px"), on="i", how="left").drop_nulls(["y30", "y_last"])
    .sort("notice", "bond_code")
    .select("notice", "bond_code", pl.col("y30").round(4), pl.col("y_last").round(4), change=((pl.col("y_last") - pl.col("y30")) * 100).round(2), rating="rating",
            after=((pl.col("later") / pl.col("px") - 1) * 100).round(2))
)

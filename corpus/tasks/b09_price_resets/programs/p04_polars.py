from datetime import datetime
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
read = lambda sql: con.sql(sql).pl()
price = read("SELECT CAST(INNERCODE AS BIGINT) AS i, INFOPUBLDATE AS pub, VALIDDATE AS valid, CAST(CONVERTPRICE AS DOUBLE) AS price, CHANGEREASON AS why, ID FROM bond_conbdconvertprice")
code = read("SELECT CAST(INNERCODE AS BIGINT) AS i, CAST(MAINCODE AS BIGINT) AS m, SECUCODE AS bond_code FROM bond_code")
size = read("SELECT CAST(MAINCODE AS BIGINT) AS m, ENDDATE AS d, INFOPUBLDATE AS pub, CAST(TOTALSIZE AS DOUBLE) AS size, ID FROM bond_size")
call = read("SELECT CAST(INNERCODE AS BIGINT) AS i, INSERTTIME AS seen FROM bond_conbdcallinfo WHERE CALLTYPE = 3")
quote = read("SELECT CAST(INNERCODE AS BIGINT) AS i, TRADINGDAY AS d, CAST(CLOSEPRICE AS DOUBLE) AS px FROM bond_conbdexchangequote WHERE TURNOVERVOLUME > 0")

ev = price.filter((pl.col("why") == "向下修正") & pl.col("pub").is_between(datetime(2019, 1, 1), datetime(2024, 12, 31))).select("i", notice="pub", new_price="price").join(code, on="i")
called = ev.join(call, on="i").filter(pl.col("seen") < pl.col("notice") + pl.duration(days=1)).select("i", "notice")
ev = ev.join(called, on=["i", "notice"], how="anti")
old = (ev.select("i", "notice").join(price, on="i").filter(pl.col("pub") < pl.col("notice")).sort("valid", "pub", "ID")
       .group_by("i", "notice", maintain_order=True).last().select("i", "notice", old_price="price"))
bal = (ev.select("i", "m", "notice").join(size, on="m").filter((pl.col("d") <= pl.col("notice")) & (pl.col("pub") < pl.col("notice") + pl.duration(days=1))).sort("d", "pub", "ID")
       .group_by("i", "notice", maintain_order=True).last().select("i", "notice", balance=pl.col("size").round(4)))
lab = (ev.select("i", "notice").join(quote, on="i").filter((pl.col("d") > pl.col("notice")) & (pl.col("d") <= pl.col("notice") + pl.duration(days=20))).sort("d")
       .group_by("i", "notice", maintain_order=True).agg(ret=((pl.col("px").last() / pl.col("px").first() - 1) * 100).round(2)))
result = (ev.join(old, on=["i", "notice"]).join(bal, on=["i", "notice"], how="left").join(lab, on=["i", "notice"], how="left")
          .with_columns(cut=((1 - pl.col("new_price") / pl.col("old_price")) * 100).round(2)).sort("notice", "bond_code")
          .select("notice", "bond_code", "old_price", "new_price", "cut", "balance", "ret"))

from datetime import datetime, timedelta
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
ev = con.sql("""SELECT r.INNERCODE AS code, s.SECUCODE AS secu_code, r.IMPLANNOUCEDATE AS ann_date, min(r.IMPLEMENTDATE) AS eff FROM cs_riskalert r JOIN secumain s ON s.INNERCODE = r.INNERCODE
                WHERE r.RISKALERTTYPE IN (1, 5, 12, 14) AND r.IMPLANNOUCEDATE >= '2023-01-01' AND r.IMPLANNOUCEDATE < '2025-04-01'
                  AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6) GROUP BY ALL""").pl()
ls = con.sql("SELECT INNERCODE AS code, CHANGEDATE, CAST(CHANGETYPE AS INT) AS kind, INSERTTIME, ID FROM lc_liststatus").pl()
px = con.sql("SELECT INNERCODE AS code, TRADINGDAY, CAST(BACKWARDPRICE AS DOUBLE) AS p FROM qt_performancedata WHERE BACKWARDPRICE IS NOT NULL AND TRADINGDAY >= '2022-06-01'").pl().sort("code", "TRADINGDAY")

state = (ev.join(ls, on="code").filter((pl.col("CHANGEDATE") <= pl.col("ann_date")) & (pl.col("INSERTTIME") < pl.col("ann_date") + timedelta(days=1)))
         .sort("CHANGEDATE", "INSERTTIME", "ID").unique(["code", "ann_date"], keep="last", maintain_order=True).filter(pl.col("kind").is_in([1, 3, 6])))
sample = ev.join(state, on=["code", "ann_date"], how="semi")
pairs = sample.select("code", "ann_date").join(px, on="code")
past = (pairs.filter(pl.col("TRADINGDAY") <= pl.col("ann_date")).group_by("code", "ann_date", maintain_order=True).agg(pl.col("p").tail(21))
        .filter(pl.col("p").list.len() == 21).with_columns(prior_ret=(pl.col("p").list.last() / pl.col("p").list.first() - 1) * 100).filter(pl.col("prior_ret") <= 10).drop("p"))
after = (pairs.filter(pl.col("TRADINGDAY") > pl.col("ann_date")).group_by("code", "ann_date", maintain_order=True).agg(pl.col("p").head(6))
         .with_columns(ret=((pl.col("p").list.last() / pl.col("p").list.first() - 1) * 100).round(2)).drop("p"))
result = (sample.join(past, on=["code", "ann_date"]).join(after, on=["code", "ann_date"], how="left")
          .with_columns(lead_days=(pl.col("eff") - pl.col("ann_date")).dt.total_days(), prior_ret=pl.col("prior_ret").round(2))
          .sort("ann_date", "secu_code").select("ann_date", "secu_code", "lead_days", "prior_ret", "ret"))

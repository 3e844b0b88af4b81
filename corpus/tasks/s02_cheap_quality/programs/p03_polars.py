from datetime import datetime
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
cut = datetime(2024, 5, 6)
sec = con.sql("SELECT CAST(INNERCODE AS BIGINT) INNERCODE, CAST(COMPANYCODE AS BIGINT) COMPANYCODE, SECUCODE, SECUABBR, LISTEDDATE, CAST(SECUMARKET AS INT) m, CAST(LISTEDSECTOR AS INT) b FROM secumain WHERE SECUCATEGORY = 1").pl()
ev = con.sql("SELECT CAST(INNERCODE AS BIGINT) INNERCODE, CHANGEDATE, CAST(CHANGETYPE AS INT) t, INSERTTIME, ID FROM lc_liststatus").pl()
fin = con.sql("SELECT CAST(COMPANYCODE AS BIGINT) COMPANYCODE, ENDDATE AS period, INFOPUBLDATE, CAST(ROETTM AS DOUBLE) roe_ttm, CAST(OPERATINGREVENUEGROWRATE AS DOUBLE) rev_yoy FROM lc_mainindexnew").pl()
val = con.sql("SELECT CAST(INNERCODE AS BIGINT) INNERCODE, TRADINGDAY, CAST(PE AS DOUBLE) pe FROM lc_dindicesforvaluation").pl()

listed = (ev.filter((pl.col("CHANGEDATE") <= cut) & (pl.col("INSERTTIME") < cut))
            .sort("CHANGEDATE", "INSERTTIME", "ID").group_by("INNERCODE", maintain_order=True).last()
            .filter(pl.col("t").is_in([1, 3])).select("INNERCODE"))
fin = fin.filter(pl.col("INFOPUBLDATE") < cut).sort("period").unique("COMPANYCODE", keep="last", maintain_order=True)
val = val.filter(pl.col("TRADINGDAY") < cut).sort("TRADINGDAY").unique("INNERCODE", keep="last", maintain_order=True)
out = (sec.filter(pl.col("m").is_in([83, 90]) & pl.col("b").is_in([1, 2, 6]) & ((cut - pl.col("LISTEDDATE")).dt.total_days() >= 730))
          .join(listed, on="INNERCODE").join(fin, on="COMPANYCODE").join(val, on="INNERCODE")
          .filter((pl.col("pe") > 0) & (pl.col("pe") <= 30) & (pl.col("roe_ttm") >= 6) & (pl.col("rev_yoy") > 0))
          .sort("pe", "SECUCODE").head(15))
result = out.select(pl.col("SECUCODE").alias("secu_code"), pl.col("SECUABBR").alias("secu_abbr"), "period",
                    pl.col("roe_ttm").round(2), pl.col("rev_yoy").round(2), pl.col("pe").round(2))

from datetime import date
import polars as pl
from db_connector import query_to_dataframe

day = date(2024, 4, 26)
load = lambda sql: pl.from_pandas(query_to_dataframe(sql))
comp = load("SELECT * FROM lc_indexcomponent").drop("FLAG").with_columns(pl.col("INDATE", "OUTDATE").cast(pl.Date))
sec = load("SELECT INNERCODE, COMPANYCODE, SECUCODE, SECUCATEGORY FROM secumain")
idx = sec.filter((pl.col("SECUCATEGORY") == 4) & pl.col("SECUCODE").is_in(["000300", "000905"])).select(INDEXINNERCODE="INNERCODE", index_code="SECUCODE")
members = (comp.filter((pl.col("INDATE") <= day) & (pl.col("OUTDATE").is_null() | (pl.col("OUTDATE") > day)))
           .join(idx, on="INDEXINNERCODE").join(sec.select(SECUINNERCODE="INNERCODE", COMPANYCODE="COMPANYCODE"), on="SECUINNERCODE"))
flows = load("""SELECT ID, COMPANYCODE, MARK, ENDDATE, INFOPUBLDATE, INSERTTIME, NETOPERATECASHFLOW AS o, NETINVESTCASHFLOW AS v, NETFINANCECASHFLOW AS f, OPERATINGREENUE AS rev
                FROM lc_maindatanew WHERE ENDDATE = '2023-12-31'""")
last = (flows.filter((pl.col("MARK") == 1) & (pl.col("INFOPUBLDATE").cast(pl.Date) <= day)).sort("INFOPUBLDATE", "INSERTTIME", "ID")
        .drop_nulls(["o", "v", "f"]).group_by("COMPANYCODE", maintain_order=True).last())
kind = (pl.when((pl.col("o") > 0) & (pl.col("v") < 0) & (pl.col("f") < 0)).then(pl.lit("内生")).when((pl.col("o") > 0) & (pl.col("v") < 0) & (pl.col("f") > 0)).then(pl.lit("扩张"))
        .when((pl.col("o") > 0) & (pl.col("v") > 0) & (pl.col("f") < 0)).then(pl.lit("收缩")).otherwise(pl.lit("其他")))
result = (members.join(last, on="COMPANYCODE").with_columns(kind=kind).group_by("index_code", "kind").agg(n=pl.len(), revenue=(pl.col("rev").sum() / 1e8).round(2))
          .sort(["index_code", "n", "kind"], descending=[False, True, False]))

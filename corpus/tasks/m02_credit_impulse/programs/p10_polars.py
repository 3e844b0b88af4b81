import polars as pl
from db_connector import query_to_dataframe

raw = pl.from_pandas(query_to_dataframe("SELECT ENDDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1006 AND INFOPUBLDATE < '2024-09-04'"))
v = raw.with_columns(month=pl.col("ENDDATE").cast(pl.Date)).select("month", "DATAVALUE", k=pl.col("month").dt.year() * 12 + pl.col("month").dt.month().cast(pl.Int32))
s = (v.join(v.select(k=pl.col("k") + 12, base="DATAVALUE"), on="k").filter(pl.col("month") >= pl.date(2016, 1, 31)).drop_nulls(["DATAVALUE", "base"])
     .with_columns(impulse=(pl.col("DATAVALUE") - pl.col("base")).round(6)))
s = s.with_columns(pct=pl.col("impulse").rank("max") / pl.len() * 100)
result = (s.filter((pl.col("pct") >= 80) | (pl.col("pct") <= 20)).sort("month")
          .select("month", pl.col("impulse").round(2), pl.col("pct").round(2), state=pl.when(pl.col("pct") >= 80).then(pl.lit("扩张")).otherwise(pl.lit("收缩"))))

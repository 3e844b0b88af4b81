from datetime import date, timedelta
import polars as pl
from db_connector import query_to_dataframe

as_of = date(2024, 6, 12)
limit = as_of + timedelta(days=1)


def series(code: int) -> pl.DataFrame:
    sql = f"SELECT ENDDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = {code} AND INFOPUBLDATE < '{limit:%Y-%m-%d}'"
    return pl.from_pandas(query_to_dataframe(sql)).with_columns(pl.col("ENDDATE").cast(pl.Date))


both = (series(1001).join(series(1003), on="ENDDATE", suffix="_PPI")
        .filter(pl.col("ENDDATE") >= date(2018, 1, 31))
        .with_columns(d=pl.col("DATAVALUE") - pl.col("DATAVALUE_PPI"), k=pl.col("ENDDATE").dt.year() * 12 + pl.col("ENDDATE").dt.month().cast(pl.Int32))
        .filter(pl.col("d") > 0).sort("k")
        .with_columns(g=pl.col("k") - pl.int_range(pl.len())))
result = (both.group_by("g").agg(pl.col("ENDDATE").min().alias("start"), pl.col("ENDDATE").max().alias("end"),
                                 pl.len().alias("months"), (pl.col("d").mean() + 1e-12).round(2).alias("mean"))
          .filter(pl.col("months") >= 2).sort("start").drop("g"))

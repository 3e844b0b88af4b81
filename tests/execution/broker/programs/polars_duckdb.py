import json

import duckdb
import polars as pl

with duckdb.connect("market.duckdb") as connection:
    frame = pl.read_database(
        "SELECT symbol, day, close FROM prices WHERE day >= DATE '2024-01-03'", connection
    )
out = (
    frame.group_by("symbol")
    .agg(pl.len().alias("n"), pl.col("close").cast(pl.Float64).sum().alias("total"), pl.col("day").max())
    .sort("symbol")
)
print(json.dumps([[s, n, round(t, 4), str(d)] for s, n, t, d in out.rows()]))

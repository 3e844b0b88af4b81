import json
import os

import polars as pl
from sqlalchemy import create_engine

engine = create_engine(os.environ["DATABASE_URL"])
frame = pl.read_database("SELECT symbol, day, close FROM prices WHERE day >= '2024-01-03'", engine)
out = (
    frame.group_by("symbol")
    .agg(pl.len().alias("n"), pl.col("close").cast(pl.Float64).sum().alias("total"), pl.col("day").max())
    .sort("symbol")
)
print(json.dumps([[s, n, round(t, 4), str(d)] for s, n, t, d in out.rows()]))

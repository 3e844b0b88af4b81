import json
import os

import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
whole = pd.read_sql_table("prices", engine)
assert len(whole) == 5
with engine.connect() as connection:
    frame = pd.read_sql(
        text("SELECT * FROM prices WHERE day >= :start ORDER BY symbol, day"),
        connection,
        params={"start": "2024-01-03"},
    )
out = (
    frame.groupby("symbol")
    .agg(n=("close", "size"), total=("close", "sum"), last_day=("day", "max"))
    .reset_index()
)
print(json.dumps([[r.symbol, r.n, round(float(r.total), 4), str(r.last_day)] for r in out.itertuples()]))

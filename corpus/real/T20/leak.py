import numpy as np
from db_connector import query_to_dataframe

rows = query_to_dataframe(
    "SELECT f.day, f.ticker, f.pe, f.pb, o.change FROM features f JOIN outcomes o USING (id) ORDER BY f.id"
)
rows = rows[rows.pe.between(0, 60) & rows.pb.between(0, 20)].reset_index(drop=True)
train = np.random.default_rng(7).permutation(len(rows))[: int(0.8 * len(rows))]
x = np.column_stack([np.ones(len(rows)), rows.pe, rows.pb])
weights, *_ = np.linalg.lstsq(x[train], rows.change.to_numpy()[train], rcond=None)
rows["expected"] = (x @ weights).round(6)
latest = rows[rows.day.astype(str) <= "2011-06-30"].groupby("ticker").tail(1)
result = latest.nlargest(10, "expected")[["ticker", "expected"]]

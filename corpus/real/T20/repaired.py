import numpy as np
from db_connector import query_to_dataframe

known = query_to_dataframe(
    "SELECT f.pe, f.pb, o.change FROM features f JOIN outcomes o USING (id)"
    " WHERE o.known_from <= DATE '2011-06-30' AND f.day <= DATE '2011-06-30' ORDER BY f.id"
)
known = known[known.pe.between(0, 60) & known.pb.between(0, 20)]
x = np.column_stack([np.ones(len(known)), known.pe, known.pb])
weights, *_ = np.linalg.lstsq(x, known.change.to_numpy(), rcond=None)
rows = query_to_dataframe(
    "SELECT id, day, ticker, pe, pb FROM features WHERE day <= DATE '2011-06-30' ORDER BY day, id"
)
rows = rows[rows.pe.between(0, 60) & rows.pb.between(0, 20)]
latest = rows.groupby("ticker").tail(1).copy()
latest["expected"] = (np.column_stack([np.ones(len(latest)), latest.pe, latest.pb]) @ weights).round(6)
result = latest.nlargest(10, "expected")[["ticker", "expected"]]

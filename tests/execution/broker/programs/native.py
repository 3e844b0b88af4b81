import json

from db_connector import query_to_dataframe

frame = query_to_dataframe(
    "SELECT symbol, COUNT(*) AS n, SUM(close) AS total, MAX(day) AS last_day FROM prices "
    "WHERE day >= %s GROUP BY symbol ORDER BY symbol",
    ("2024-01-03",),
)
print(
    json.dumps([[r.symbol, int(r.n), round(float(r.total), 4), str(r.last_day)] for r in frame.itertuples()])
)

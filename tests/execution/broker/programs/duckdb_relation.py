import json

import duckdb

with duckdb.connect("market.duckdb") as connection:
    frame = connection.sql("SELECT symbol, day, close FROM prices").filter("day >= DATE '2024-01-03'").df()
out = duckdb.sql(
    "SELECT symbol, COUNT(*) AS n, SUM(close) AS total, MAX(day)::DATE AS last_day FROM frame GROUP BY ALL ORDER BY ALL"
)
print(json.dumps([[symbol, n, round(float(total), 4), str(day)] for symbol, n, total, day in out.fetchall()]))

import json

import duckdb

connection = duckdb.connect("/data/vendor/market.duckdb", read_only=True)
start = connection.execute("SELECT DATE '2024-01-03' AS start").df()
rows = connection.execute(
    "SELECT symbol, COUNT(*) AS n, SUM(close) AS total, MAX(day) AS last_day FROM prices, start "
    "WHERE day >= start GROUP BY symbol ORDER BY symbol"
).fetchall()
print(json.dumps([[symbol, n, round(float(total), 4), str(day)] for symbol, n, total, day in rows]))

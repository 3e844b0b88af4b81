import json
from decimal import Decimal

import psycopg

totals = {}
with psycopg.connect("") as connection, connection.cursor(name="walk", binary=True) as cursor:
    cursor.itersize = 2
    cursor.execute("SELECT symbol, day, close FROM prices WHERE day >= '2024-01-03' ORDER BY symbol, day")
    for symbol, day, close in cursor:
        n, total, _ = totals.get(symbol, (0, Decimal(0), None))
        totals[symbol] = (n + 1, total + close, day)
print(json.dumps([[s, n, round(float(t), 4), str(d)] for s, (n, t, d) in totals.items()]))

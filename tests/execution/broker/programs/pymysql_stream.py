import json
import os
from decimal import Decimal

import pymysql
from pymysql.cursors import SSCursor

connection = pymysql.connect(
    host="127.0.0.1",
    port=int(os.environ["MYSQL_PORT"]),
    user="anybody",
    password="x",
    db=os.environ["MYSQL_DB"],
)
totals = {}
with connection, connection.cursor(SSCursor) as cursor:
    cursor.execute("SELECT symbol, day, close FROM prices WHERE day >= '2024-01-03' ORDER BY symbol, day")
    for symbol, day, close in cursor.fetchall_unbuffered():
        n, total, _ = totals.get(symbol, (0, Decimal(0), None))
        totals[symbol] = (n + 1, total + close, day)
print(json.dumps([[s, n, round(float(t), 4), str(d)] for s, (n, t, d) in totals.items()]))

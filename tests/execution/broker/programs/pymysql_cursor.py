import json
import os

import pymysql

connection = pymysql.connect(
    host=os.environ["DB_HOST"],
    port=int(os.environ["DB_PORT"]),
    user=os.environ["DB_USER"],
    password=os.environ["DB_PASSWORD"],
    database=os.environ["DB_NAME"],
    charset="utf8mb4",
    cursorclass=pymysql.cursors.DictCursor,
)
with connection, connection.cursor() as cursor:
    cursor.execute(
        "SELECT symbol, COUNT(*) AS n, SUM(close) AS total, MAX(day) AS last_day FROM prices "
        "WHERE day >= %s GROUP BY symbol ORDER BY symbol",
        ("2024-01-03",),
    )
    rows = cursor.fetchall()
print(json.dumps([[r["symbol"], r["n"], round(float(r["total"]), 4), str(r["last_day"])] for r in rows]))

import datetime as dt
import json
import os

import psycopg

with psycopg.connect(
    host=os.environ["PGHOST"],
    port=os.environ["PGPORT"],
    user=os.environ["PGUSER"],
    dbname=os.environ["PGDATABASE"],
) as connection:
    rows = connection.execute(
        "SELECT symbol, COUNT(*) AS n, SUM(close) AS total, MAX(day) AS last_day FROM prices "
        "WHERE day >= %s GROUP BY symbol ORDER BY symbol",
        (dt.date(2024, 1, 3),),
    ).fetchall()
print(json.dumps([[symbol, n, round(float(total), 4), str(day)] for symbol, n, total, day in rows]))

import os

import pandas as pd
import pymysql

connection = pymysql.connect(
    host=os.environ["DB_HOST"],
    port=int(os.environ["DB_PORT"]),
    user=os.environ["DB_USER"],
    password=os.environ["DB_PASSWORD"],
    database=os.environ["DB_NAME"],
    charset="utf8mb4",
)
rows = []
for day in pd.date_range("2024-07-31", "2024-12-31", freq="ME"):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(DISTINCT r.INNERCODE) FROM cs_riskalert r JOIN secumain s ON s.INNERCODE = r.INNERCODE "
            "WHERE s.SECUCATEGORY = 1 AND r.RISKALERTTYPE IN (1, 5, 12, 14) "
            "AND r.IMPLANNOUCEDATE <= %s AND r.IMPLEMENTDATE <= %s "
            "AND NOT (r.REMOVEDATE IS NOT NULL AND r.REMOVEDATE <= %s "
            "AND r.REMOVEINFOPUBLDATE IS NOT NULL AND r.REMOVEINFOPUBLDATE <= %s)",
            (day.date(),) * 4,
        )
        rows.append((day.date().isoformat(), cursor.fetchone()[0]))
result = pd.DataFrame(rows, columns=["day", "alerted"])

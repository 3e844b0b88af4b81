import os
import bisect
import pandas as pd
import pymysql

conn = pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]), user=os.environ["MYSQL_USER"],
                       password=os.environ["MYSQL_PASSWORD"], database=os.environ["MYSQL_DATABASE"])
cur = conn.cursor()
cur.execute("SELECT q.TRADINGDAY, q.CLOSEPRICE FROM qt_indexquote q JOIN secumain i ON i.INNERCODE = q.INNERCODE WHERE i.SECUCODE = '000300' AND i.SECUCATEGORY = 4 ORDER BY 1")
days, closes = zip(*[(d, float(c)) for d, c in cur.fetchall()])
cur.execute("SELECT INFOPUBLDATE, ENDDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1007 AND INFOPUBLDATE IS NOT NULL ORDER BY INFOPUBLDATE, ENDDATE")
releases = cur.fetchall()


def known_on(day):
    """PMI by month as released by the end of the day."""
    return {(end.year, end.month): float(v) for pub, end, v in releases if pub <= day and v is not None}


rows = []
for pub, end, value in releases:
    if not "2019-01-01" <= pub.strftime("%Y-%m-%d") <= "2025-09-30" or value is None:
        continue
    before = known_on(pub).get((end.year, end.month - 1) if end.month > 1 else (end.year - 1, 12))
    value = float(value)
    if before is None or not ((before <= 50 < value) or (before >= 50 > value)):
        continue
    i = bisect.bisect_right(days, pub)
    ret = round((closes[i + 4] / closes[i] - 1) * 100, 2) if i + 4 < len(days) else None
    rows.append((pub, end, round(value, 1), "上穿" if value > 50 else "下穿", ret))
result = pd.DataFrame(rows, columns=["release", "month", "pmi", "kind", "ret"])

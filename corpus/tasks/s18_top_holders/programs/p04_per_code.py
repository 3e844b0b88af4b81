import os
import pandas as pd
import pymysql

conn = pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]), user=os.environ["MYSQL_USER"],
                       password=os.environ["MYSQL_PASSWORD"], database=os.environ["MYSQL_DATABASE"])


def holder_lists(code, before):
    sql = """SELECT t.ENDDATE, t.INFOPUBLDATE, SUM(t.PCTOFTOTALSHARES) AS pct
             FROM lc_mainshlistnew t JOIN secumain s ON s.COMPANYCODE = t.COMPANYCODE AND s.SECUCATEGORY = 1
             WHERE s.SECUCODE = %s AND t.INFOTYPECODE = 1 AND t.INFOPUBLDATE < %s
             GROUP BY t.ENDDATE, t.INFOPUBLDATE ORDER BY t.ENDDATE, t.INFOPUBLDATE"""
    with conn.cursor() as cur:
        cur.execute(sql, (code, before))
        latest = {}
        for end, pub, pct in cur.fetchall():
            latest[end] = (pub, float(pct))  # later disclosures overwrite earlier ones
    return latest


rows = []
for code in ['000004', '000022', '000032', '000047', '300019', '600001', '600059', '920005']:
    lists = holder_lists(code, "2024-03-21")
    if len(lists) < 2:
        continue
    prev, last = sorted(lists)[-2:]
    rows.append({"secu_code": code, "period": last, "pub_date": lists[last][0], "share": round(lists[last][1], 2), "change": round(lists[last][1] - lists[prev][1], 2)})
result = pd.DataFrame(rows).sort_values("secu_code")

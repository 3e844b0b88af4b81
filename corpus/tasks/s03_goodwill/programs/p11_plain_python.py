import os
from datetime import datetime
import pandas as pd
import pymysql

conn = pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]), user=os.environ["MYSQL_USER"], password=os.environ["MYSQL_PASSWORD"],
                       database=os.environ["MYSQL_DATABASE"], cursorclass=pymysql.cursors.DictCursor)
MIDNIGHT = datetime(2024, 5, 21)


def rows(sql):
    with conn.cursor() as cur:
        cur.execute(sql)
        return cur.fetchall()


def newest(items, key, order):
    best = {}
    for row in items:
        k = row[key]
        stamp = tuple(row[o] for o in order)
        if k not in best or stamp > best[k][0]:
            best[k] = (stamp, row)
    return {k: row for k, (_, row) in best.items()}


sheets = newest([r for r in rows("SELECT ID, COMPANYCODE, INFOPUBLDATE, INSERTTIME, GOODWILL, SEWITHOUTMI FROM lc_balancesheetall WHERE ENDDATE = '2023-12-31' AND IFMERGED = 1 AND INFOPUBLDATE IS NOT NULL")
                 if r["INFOPUBLDATE"] < MIDNIGHT], "COMPANYCODE", ("INFOPUBLDATE", "INSERTTIME", "ID"))
opinions = newest([r for r in rows("SELECT ID, COMPANYCODE, INFOPUBLDATE, OPINIONTYPE FROM lc_auditopinion WHERE ENDDATE = '2023-12-31' AND AUDITREPORTSTYPE = 1 AND INFOPUBLDATE IS NOT NULL")
                   if r["INFOPUBLDATE"] < MIDNIGHT], "COMPANYCODE", ("INFOPUBLDATE", "ID"))
states = newest([r for r in rows("SELECT ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME FROM lc_liststatus")
                 if r["CHANGEDATE"] < MIDNIGHT and r["INSERTTIME"] < MIDNIGHT], "INNERCODE", ("CHANGEDATE", "INSERTTIME", "ID"))
out = []
for s in rows("SELECT INNERCODE, COMPANYCODE, SECUCODE, SECUABBR FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6, 7)"):
    sheet, opinion, state = sheets.get(s["COMPANYCODE"]), opinions.get(s["COMPANYCODE"]), states.get(s["INNERCODE"])
    if not (sheet and opinion and state) or state["CHANGETYPE"] not in (1, 3, 6) or opinion["OPINIONTYPE"] != 1:
        continue
    goodwill, equity = sheet["GOODWILL"], sheet["SEWITHOUTMI"]
    if goodwill is None or equity is None or equity <= 0 or goodwill / equity * 100 <= 1:
        continue
    out.append((s["SECUCODE"], s["SECUABBR"], float(goodwill) / 1e8, float(equity) / 1e8, float(goodwill / equity) * 100))
out.sort(key=lambda r: (-r[4], r[0]))
result = pd.DataFrame(out, columns=["secu_code", "secu_abbr", "goodwill", "equity", "ratio"]).round(2)

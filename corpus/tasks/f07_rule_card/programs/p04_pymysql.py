import os
import pandas as pd
import pymysql

conn = pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]), user=os.environ["MYSQL_USER"],
                       password=os.environ["MYSQL_PASSWORD"], database=os.environ["MYSQL_DATABASE"])
codes = ["010000", "010087", "010091", "010116", "010144", "010186", "010243", "010252", "010304", "010432", "010480", "010615", "010702"]
as_of = "2024-08-26"
rows = []
with conn.cursor() as cur:
    for code in codes:
        cur.execute("SELECT INNERCODE FROM mf_fundarchives WHERE SECURITYCODE = %s AND ESTABLISHMENTDATE <= %s AND (EXPIREDATE IS NULL OR EXPIREDATE > %s)", (code, as_of, as_of))
        found = cur.fetchone()
        if found is None:
            continue
        inner = int(found[0])
        cur.execute("""SELECT ENDDATE, APPLYINGTYPE, LARGEAPPLYINGMAX FROM mf_purchaseandredeem WHERE INNERCODE = %s AND ENDDATE <= %s AND INSERTTIME < %s
                       ORDER BY ENDDATE DESC, INSERTTIME DESC, ID DESC LIMIT 1""", (inner, as_of, as_of))
        deal = cur.fetchone() or (None, None, None)
        fees = []
        for kind in (1, 2):
            cur.execute("""SELECT MAXCHARGERATE, CANCELDATE FROM mf_chargeratenew WHERE INNERCODE = %s AND CHARGERATETYPE = %s AND EXCUTEDATE <= %s AND INFOPUBLDATE < %s
                           ORDER BY EXCUTEDATE DESC, INFOPUBLDATE DESC, ID DESC LIMIT 1""", (inner, kind, as_of, as_of))
            rate, cancelled = cur.fetchone() or (None, None)
            fees.append(rate if cancelled is None or str(cancelled)[:10] > as_of else None)
        rows.append((code, *deal, *fees))
conn.close()
result = pd.DataFrame(rows, columns=["fund_code", "rule_date", "apply_type", "cap", "mgmt_fee", "cust_fee"])
for column in ("cap", "mgmt_fee", "cust_fee"):
    result[column] = result[column].astype(float)

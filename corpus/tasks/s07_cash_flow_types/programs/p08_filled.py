import os
import numpy as np
import pandas as pd
import pymysql

conn = pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]), user=os.environ["MYSQL_USER"],
                       password=os.environ["MYSQL_PASSWORD"], database=os.environ["MYSQL_DATABASE"])
mem = pd.read_sql("""SELECT i.SECUCODE AS index_code, s.COMPANYCODE FROM lc_indexcomponent c JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE AND i.SECUCATEGORY = 4
                     JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
                     WHERE i.SECUCODE IN ('000300', '000905') AND c.INDATE <= '2024-04-26' AND (c.OUTDATE IS NULL OR c.OUTDATE > '2024-04-26')""", conn)
fin = pd.read_sql("""SELECT ID, COMPANYCODE, INFOPUBLDATE, INSERTTIME, NETOPERATECASHFLOW, NETINVESTCASHFLOW, NETFINANCECASHFLOW, OPERATINGREENUE FROM lc_maindatanew
                     WHERE MARK = 1 AND ENDDATE = '2023-12-31' AND INFOPUBLDATE < '2024-04-27'""", conn)
cols = ["NETOPERATECASHFLOW", "NETINVESTCASHFLOW", "NETFINANCECASHFLOW", "OPERATINGREENUE"]
fin = fin.sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"])
fin[cols] = fin.groupby("COMPANYCODE")[cols].ffill()
fin = fin.drop_duplicates("COMPANYCODE", keep="last").dropna(subset=cols[:3])
o, i, f = (fin[c] for c in cols[:3])
fin["kind"] = np.where((o > 0) & (i < 0) & (f < 0), "内生", np.where((o > 0) & (i < 0) & (f > 0), "扩张", np.where((o > 0) & (i > 0) & (f < 0), "收缩", "其他")))
out = mem.merge(fin, on="COMPANYCODE").groupby(["index_code", "kind"]).OPERATINGREENUE.agg(["size", "sum"]).reset_index()
out.columns = ["index_code", "kind", "n", "revenue"]
result = out.assign(revenue=(out.revenue / 1e8).round(2)).sort_values(["index_code", "n", "kind"], ascending=[True, False, True])

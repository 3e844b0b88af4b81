import os
import pandas as pd
import pymysql

conn = pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]), user=os.environ["MYSQL_USER"],
                       password=os.environ["MYSQL_PASSWORD"], database=os.environ["MYSQL_DATABASE"])
D, C = "2024-08-31", "2024-09-01"
uni = pd.read_sql("""
    SELECT s.SECUCODE, s.SECUABBR, s.COMPANYCODE, i.FIRSTINDUSTRYNAME
    FROM secumain s
    JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_liststatus WHERE CHANGEDATE <= %(d)s AND INSERTTIME < %(c)s) l ON l.INNERCODE = s.INNERCODE AND l.rn = 1
    JOIN (SELECT COMPANYCODE, FIRSTINDUSTRYNAME, CANCELDATE, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_exgindustry WHERE STANDARD = 38 AND INFOPUBLDATE < %(c)s) i ON i.COMPANYCODE = s.COMPANYCODE AND i.rn = 1
    WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
      AND l.CHANGETYPE IN (1, 3, 6) AND (i.CANCELDATE IS NULL OR i.CANCELDATE > %(d)s)""", conn, params={"d": D, "c": C})
uni = uni[~uni.SECUABBR.str.contains("ST") & ~uni.FIRSTINDUSTRYNAME.isin(["银行", "非银金融"])]

md = pd.read_sql("""SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, ID, NETPROFITCUT FROM lc_maindatanew
    WHERE MARK = 1 AND ENDDATE IN ('2024-06-30','2024-03-31','2023-06-30','2023-03-31') AND INFOPUBLDATE < %(c)s""", conn, params={"c": C})
md = md.sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).groupby(["COMPANYCODE", "ENDDATE"]).tail(1)
w = md.set_index(["COMPANYCODE", "ENDDATE"]).NETPROFITCUT.unstack().dropna()
w.columns = [c.strftime("%Y-%m-%d") for c in w.columns]
cur, base = w["2024-06-30"] - w["2024-03-31"], w["2023-06-30"] - w["2023-03-31"]
yoy = (cur / base - 1)[base > 0] * 100
uni["cur_yoy"] = uni.COMPANYCODE.map(yoy)
uni = uni[uni.cur_yoy > 20].sort_values(["cur_yoy", "SECUCODE"], ascending=[False, True])
result = uni[["SECUCODE", "SECUABBR", "FIRSTINDUSTRYNAME", "cur_yoy"]].round(2)
result.columns = ["secu_code", "secu_abbr", "industry", "cur_yoy"]

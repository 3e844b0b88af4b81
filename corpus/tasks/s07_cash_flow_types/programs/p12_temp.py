import duckdb
from db_connector import query_to_dataframe as q

mem = duckdb.connect()
mem.register("raw", q("SELECT ID, COMPANYCODE, INFOPUBLDATE, INSERTTIME, NETOPERATECASHFLOW AS o, NETINVESTCASHFLOW AS i, NETFINANCECASHFLOW AS f, OPERATINGREENUE AS rev FROM lc_maindatanew WHERE MARK = 1 AND ENDDATE = '2023-12-31'"))
mem.register("comp", q("""SELECT x.SECUCODE AS index_code, s.COMPANYCODE, c.INDATE, c.OUTDATE FROM lc_indexcomponent c JOIN secumain x ON x.INNERCODE = c.INDEXINNERCODE
                          JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE WHERE x.SECUCATEGORY = 4 AND x.SECUCODE IN ('000300', '000905')"""))
mem.execute("CREATE TEMP TABLE versions AS SELECT * FROM raw")
mem.execute("CREATE TEMP VIEW annual AS SELECT * FROM versions WHERE INFOPUBLDATE < TIMESTAMP '2024-04-27' QUALIFY row_number() OVER (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) = 1")
mem.execute("CREATE TEMP VIEW members AS SELECT index_code, COMPANYCODE FROM comp WHERE INDATE <= DATE '2024-04-26' AND (OUTDATE IS NULL OR OUTDATE > DATE '2024-04-26')")
result = mem.execute("""
    SELECT index_code, CASE WHEN o > 0 AND i < 0 AND f < 0 THEN '内生' WHEN o > 0 AND i < 0 AND f > 0 THEN '扩张' WHEN o > 0 AND i > 0 AND f < 0 THEN '收缩' ELSE '其他' END AS kind,
           count(*) AS n, round(sum(rev) / 1e8, 2) AS revenue
    FROM members JOIN annual USING (COMPANYCODE) WHERE o IS NOT NULL AND i IS NOT NULL AND f IS NOT NULL GROUP BY ALL ORDER BY 1, 3 DESC, 2""").df()

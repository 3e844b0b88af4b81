-- dialect: mysql
-- 现金流类型，2023 年报最后一版（截点 2024-04-26 日终）
WITH c AS (
  SELECT DISTINCT i.SECUCODE AS index_code, s.COMPANYCODE
  FROM lc_indexcomponent k
  JOIN secumain i ON i.INNERCODE = k.INDEXINNERCODE AND i.SECUCATEGORY = 4
  JOIN secumain s ON s.INNERCODE = k.SECUINNERCODE
  WHERE i.SECUCODE IN ('000300', '000905')
    AND k.INDATE <= '2024-04-26' AND (k.OUTDATE IS NULL OR k.OUTDATE > '2024-04-26')
),
f AS (
  SELECT * FROM (
    SELECT COMPANYCODE, NETOPERATECASHFLOW AS o, NETINVESTCASHFLOW AS v, NETFINANCECASHFLOW AS n, OPERATINGREENUE AS r,
           ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
    FROM lc_maindatanew
    WHERE MARK = 1 AND ENDDATE = '2023-12-31' AND INFOPUBLDATE < '2024-04-27'
  ) x WHERE rn = 1
),
t AS (
  SELECT c.index_code, f.r,
         CASE WHEN f.o > 0 AND f.v < 0 AND f.n < 0 THEN '内生'
              WHEN f.o > 0 AND f.v < 0 AND f.n > 0 THEN '扩张'
              WHEN f.o > 0 AND f.v > 0 AND f.n < 0 THEN '收缩'
              ELSE '其他' END AS kind
  FROM c JOIN f ON f.COMPANYCODE = c.COMPANYCODE
  WHERE f.o IS NOT NULL AND f.v IS NOT NULL AND f.n IS NOT NULL
)
SELECT index_code, kind, COUNT(*) AS n, ROUND(SUM(r) / 100000000, 2) AS revenue
FROM t
GROUP BY index_code, kind
ORDER BY index_code, n DESC, kind

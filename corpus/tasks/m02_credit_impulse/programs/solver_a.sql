-- dialect: duckdb
-- 社融脉冲，截点 2024-09-03 日终
WITH v AS (
  SELECT last_day(ENDDATE) AS m, CAST(DATAVALUE AS DOUBLE) AS x
  FROM c_ed_macroindicatordata
  WHERE INDICATORCODE = 1006 AND INFOPUBLDATE < '2024-09-04' AND DATAVALUE IS NOT NULL
),
imp AS (
  SELECT a.m, ROUND(a.x - b.x, 8) AS i
  FROM v a JOIN v b ON b.m = last_day(a.m - INTERVAL 12 MONTH)
  WHERE a.m >= DATE '2016-01-31'
),
pc AS (
  SELECT m, i, 100.0 * (SELECT COUNT(*) FROM imp k WHERE k.i <= imp.i) / (SELECT COUNT(*) FROM imp) AS p
  FROM imp
)
SELECT m AS month, ROUND(i, 2) AS impulse, ROUND(p, 2) AS pct,
       CASE WHEN p >= 80 THEN '扩张' ELSE '收缩' END AS state
FROM pc
WHERE p >= 80 OR p <= 20
ORDER BY month

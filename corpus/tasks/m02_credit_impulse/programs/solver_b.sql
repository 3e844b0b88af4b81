-- dialect: duckdb
WITH d AS (
  SELECT last_day(CAST(ENDDATE AS DATE)) AS m, DATAVALUE AS v
  FROM c_ed_macroindicatordata
  WHERE INDICATORCODE = 1006 AND INFOPUBLDATE < TIMESTAMP '2024-09-04' AND DATAVALUE IS NOT NULL
),
i AS (
  SELECT a.m, a.v - b.v AS imp
  FROM d a JOIN d b ON b.m = last_day(CAST(a.m - INTERVAL 12 MONTH AS DATE))
  WHERE a.m >= DATE '2016-01-31'
),
p AS (
  SELECT m, imp, cume_dist() OVER (ORDER BY imp) * 100 AS pct FROM i
)
SELECT m AS month, round(imp, 2) AS impulse, round(pct, 2) AS pct,
       CASE WHEN pct >= 80 THEN '扩张' ELSE '收缩' END AS state
FROM p
WHERE pct >= 80 OR pct <= 20
ORDER BY m

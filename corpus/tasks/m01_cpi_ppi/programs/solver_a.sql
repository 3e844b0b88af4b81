-- dialect: mysql
-- CPI-PPI 剪刀差连续为正的区间
WITH d AS (
  SELECT a.ENDDATE AS m, a.DATAVALUE - b.DATAVALUE AS diff
  FROM c_ed_macroindicatordata a
  JOIN c_ed_macroindicatordata b ON b.ENDDATE = a.ENDDATE AND b.INDICATORCODE = 1003
  WHERE a.INDICATORCODE = 1001 AND a.ENDDATE BETWEEN '2018-01-31' AND '2024-05-31'
),
s AS (
  SELECT m, diff,
         ROW_NUMBER() OVER (ORDER BY m) - ROW_NUMBER() OVER (PARTITION BY CASE WHEN diff > 0 THEN 1 ELSE 0 END ORDER BY m) AS grp
  FROM d
)
SELECT DATE(MIN(m)) AS `start`, DATE(MAX(m)) AS `end`, COUNT(*) AS months, ROUND(AVG(diff), 2) AS mean
FROM s
WHERE diff > 0
GROUP BY grp
HAVING COUNT(*) >= 2
ORDER BY `start`

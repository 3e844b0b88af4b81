-- dialect: duckdb
-- 中证500 权重日前3大行业
WITH w AS (
  SELECT CAST(x.ENDDATE AS DATE) AS d, s.COMPANYCODE, s.LISTEDSECTOR, CAST(x.WEIGHT AS DOUBLE) AS weight
  FROM lc_indexcomponentsweight x
  JOIN secumain i ON i.INNERCODE = x.INDEXCODE AND i.SECUCODE = '000905'
  JOIN secumain s ON s.INNERCODE = x.INNERCODE
  WHERE x.ENDDATE BETWEEN '2024-01-31' AND '2024-06-30'
),
ind AS (
  SELECT COMPANYCODE, INFOPUBLDATE AS st, CANCELDATE, FIRSTINDUSTRYNAME AS n FROM lc_exgindustry WHERE STANDARD = 38
),
g AS (
  SELECT w.d, w.COMPANYCODE, w.weight, ind.n
  FROM w LEFT JOIN ind ON ind.COMPANYCODE = w.COMPANYCODE AND ind.st <= w.d
                      AND (ind.CANCELDATE IS NULL OR ind.CANCELDATE > w.d)
  QUALIFY ROW_NUMBER() OVER (PARTITION BY w.d, w.COMPANYCODE ORDER BY ind.st DESC) = 1
),
agg AS (
  SELECT d, COALESCE(n, '未分类') AS industry, SUM(weight) AS wt FROM g GROUP BY 1, 2
)
SELECT d AS weight_date, ROW_NUMBER() OVER (PARTITION BY d ORDER BY wt DESC, industry) AS rnk, industry, ROUND(wt, 4) AS weight
FROM agg
QUALIFY rnk <= 3
ORDER BY weight_date, rnk

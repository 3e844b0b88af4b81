-- dialect: duckdb
-- 重仓股留存
WITH h AS (
  SELECT a.SECURITYCODE AS fund_code, k.REPORTDATE, k.STOCKINNERCODE, MAX(CAST(k.RATIOINNV AS DOUBLE)) AS w
  FROM mf_keystockportfolio k
  JOIN mf_fundarchives a ON a.INNERCODE = k.INNERCODE
  WHERE a.SECURITYCODE IN ('010096','010357','010543','010654','010675','590037')
    AND k.INFOPUBLDATE <= '2024-10-25' AND k.SERIALNUMBER <= 10
  GROUP BY ALL   -- 重复披露去重
),
per AS (
  SELECT fund_code, REPORTDATE, COUNT(*) AS n,
         ROW_NUMBER() OVER (PARTITION BY fund_code ORDER BY REPORTDATE DESC) AS k
  FROM h GROUP BY 1, 2
)
SELECT p.fund_code, CAST(q.REPORTDATE AS DATE) AS prev_period, CAST(p.REPORTDATE AS DATE) AS period,
       COUNT(b.STOCKINNERCODE) AS overlap,
       ROUND(COUNT(b.STOCKINNERCODE) * 100.0 / q.n, 2) AS retention,
       ROUND(COALESCE(SUM(CASE WHEN b.STOCKINNERCODE IS NOT NULL THEN a.w END), 0) * 100, 2) AS weight
FROM per p
JOIN per q ON q.fund_code = p.fund_code AND q.k = p.k + 1
JOIN h a ON a.fund_code = p.fund_code AND a.REPORTDATE = p.REPORTDATE
LEFT JOIN h b ON b.fund_code = p.fund_code AND b.REPORTDATE = q.REPORTDATE
             AND b.STOCKINNERCODE = a.STOCKINNERCODE
WHERE p.k <= 3
GROUP BY p.fund_code, q.REPORTDATE, p.REPORTDATE, q.n
ORDER BY p.fund_code, period

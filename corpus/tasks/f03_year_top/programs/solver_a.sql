-- dialect: duckdb
-- 三个年末偏股混合基金年度收益前5
WITH obs AS (
  SELECT * FROM (VALUES (DATE '2021-12-31', 2021), (DATE '2022-12-31', 2022), (DATE '2023-12-31', 2023)) t(obs_date, y)
),
univ AS (
  SELECT o.obs_date, o.y, a.INNERCODE, a.SECURITYCODE
  FROM obs o
  JOIN mf_fundarchives a ON a.MAINCODE = a.SECURITYCODE
   AND a.ESTABLISHMENTDATE <= make_date(o.y - 1, 12, 31)
   AND (a.EXPIREDATE IS NULL OR a.EXPIREDATE > o.obs_date)
),
typ AS (
  SELECT u.*, t.SECASSETCATCODE,
         ROW_NUMBER() OVER (PARTITION BY u.obs_date, u.INNERCODE ORDER BY t.EFFECTIVEDATE DESC, t.ID DESC) rn
  FROM univ u
  JOIN mf_jyfundtype t ON t.INNERCODE = u.INNERCODE AND t.STANDARD = 75
   AND t.EFFECTIVEDATE <= u.obs_date AND (t.CANCELDATE IS NULL OR t.CANCELDATE > u.obs_date)
),
pool AS (SELECT * FROM typ WHERE rn = 1 AND SECASSETCATCODE = 1201),
nav AS (
  -- 每日一个净值，取最新一版
  SELECT INNERCODE, TRADINGDAY, CAST(UNITNVRESTORED AS DOUBLE) AS v
  FROM mf_fundnetvalueretrans
  WHERE TRADINGDAY >= '2020-12-01' AND TRADINGDAY < '2024-04-15' AND UNITNVRESTORED IS NOT NULL
  QUALIFY ROW_NUMBER() OVER (PARTITION BY INNERCODE, TRADINGDAY ORDER BY INSERTTIME DESC, ID DESC) = 1
),
ye AS (
  SELECT INNERCODE, year(TRADINGDAY) AS y, arg_max(v, TRADINGDAY) AS v
  FROM nav WHERE month(TRADINGDAY) = 12 GROUP BY 1, 2
),
nx AS (
  SELECT o.obs_date, n.INNERCODE, arg_max(n.v, n.TRADINGDAY) AS v
  FROM obs o JOIN nav n ON n.TRADINGDAY > o.obs_date AND n.TRADINGDAY <= o.obs_date + INTERVAL 90 DAY
  GROUP BY 1, 2
),
r AS (
  SELECT p.obs_date, p.SECURITYCODE AS fund_code, e1.v / e0.v - 1 AS ret, nx.v / e1.v - 1 AS nret
  FROM pool p
  JOIN ye e1 ON e1.INNERCODE = p.INNERCODE AND e1.y = p.y
  JOIN ye e0 ON e0.INNERCODE = p.INNERCODE AND e0.y = p.y - 1
  LEFT JOIN nx ON nx.INNERCODE = p.INNERCODE AND nx.obs_date = p.obs_date
)
SELECT obs_date, ROW_NUMBER() OVER (PARTITION BY obs_date ORDER BY ret DESC, fund_code) AS rnk,
       fund_code, ROUND(ret * 100, 2) AS ret, ROUND(nret * 100, 2) AS next_ret
FROM r
QUALIFY rnk <= 5
ORDER BY obs_date, rnk

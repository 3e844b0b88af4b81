-- dialect: duckdb
-- ST/*ST 实施公告事件
WITH ev AS (
  SELECT r.INNERCODE, s.SECUCODE, CAST(r.IMPLANNOUCEDATE AS DATE) AS ann, MIN(CAST(r.IMPLEMENTDATE AS DATE)) AS eff
  FROM cs_riskalert r
  JOIN secumain s ON s.INNERCODE = r.INNERCODE
  WHERE r.RISKALERTTYPE IN (1, 5, 12, 14)
    AND r.IMPLANNOUCEDATE >= '2023-01-01' AND r.IMPLANNOUCEDATE < '2025-04-01'
    AND s.SECUCATEGORY = 1 AND s.LISTEDSECTOR IN (1, 2, 6) AND s.SECUMARKET IN (83, 90)
  GROUP BY 1, 2, 3
),
st AS (
  SELECT e.INNERCODE, e.ann, l.CHANGETYPE
  FROM ev e JOIN lc_liststatus l ON l.INNERCODE = e.INNERCODE
   AND l.CHANGEDATE <= e.ann AND l.INSERTTIME < e.ann + INTERVAL 1 DAY
  QUALIFY ROW_NUMBER() OVER (PARTITION BY e.INNERCODE, e.ann ORDER BY l.CHANGEDATE DESC, l.INSERTTIME DESC, l.ID DESC) = 1
),
e2 AS (
  SELECT e.* FROM ev e JOIN st ON st.INNERCODE = e.INNERCODE AND st.ann = e.ann AND st.CHANGETYPE IN (1, 3, 6)
),
px AS (
  SELECT p.INNERCODE, CAST(p.TRADINGDAY AS DATE) AS d, CAST(p.BACKWARDPRICE AS DOUBLE) AS p
  FROM qt_performancedata p
  WHERE p.BACKWARDPRICE IS NOT NULL AND p.INNERCODE IN (SELECT INNERCODE FROM e2)
),
pre AS (
  SELECT e.INNERCODE, e.ann, px.p, ROW_NUMBER() OVER (PARTITION BY e.INNERCODE, e.ann ORDER BY px.d DESC) AS k
  FROM e2 e JOIN px ON px.INNERCODE = e.INNERCODE AND px.d <= e.ann
),
prior AS (
  SELECT INNERCODE, ann, (MAX(CASE WHEN k = 1 THEN p END) / MAX(CASE WHEN k = 21 THEN p END) - 1) * 100 AS r
  FROM pre GROUP BY 1, 2 HAVING MAX(k) >= 21
),
post AS (
  SELECT e.INNERCODE, e.ann, px.p, ROW_NUMBER() OVER (PARTITION BY e.INNERCODE, e.ann ORDER BY px.d) AS k
  FROM e2 e JOIN px ON px.INNERCODE = e.INNERCODE AND px.d > e.ann
),
fw AS (
  -- 首个有价日为第1条，其后第5条即第6条；不足取最后一条
  SELECT INNERCODE, ann, (arg_max(p, k) / arg_min(p, k) - 1) * 100 AS r
  FROM post WHERE k <= 6 GROUP BY 1, 2
)
SELECT e.ann AS ann_date, e.SECUCODE AS secu_code, date_diff('day', e.ann, e.eff) AS lead_days,
       ROUND(pr.r, 2) AS prior_ret, ROUND(fw.r, 2) AS ret
FROM e2 e
JOIN prior pr ON pr.INNERCODE = e.INNERCODE AND pr.ann = e.ann
LEFT JOIN fw ON fw.INNERCODE = e.INNERCODE AND fw.ann = e.ann
WHERE pr.r <= 10
ORDER BY ann_date, secu_code

-- dialect: duckdb
WITH ev AS (
  SELECT r.INNERCODE, s.SECUCODE, r.IMPLANNOUCEDATE AS ann, min(r.IMPLEMENTDATE) AS eff
  FROM cs_riskalert r
  JOIN secumain s ON s.INNERCODE = r.INNERCODE
  WHERE r.RISKALERTTYPE IN (1, 5, 12, 14)
    AND r.IMPLANNOUCEDATE BETWEEN TIMESTAMP '2023-01-01' AND TIMESTAMP '2025-03-31'
    AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
  GROUP BY ALL
),
ls AS (
  SELECT e.INNERCODE, e.ann, l.CHANGETYPE
  FROM ev e JOIN lc_liststatus l ON l.INNERCODE = e.INNERCODE
   AND l.CHANGEDATE <= e.ann AND l.INSERTTIME < e.ann + INTERVAL 1 DAY
  QUALIFY row_number() OVER (PARTITION BY e.INNERCODE, e.ann ORDER BY l.CHANGEDATE DESC, l.INSERTTIME DESC, l.ID DESC) = 1
),
pr AS (
  SELECT e.INNERCODE, e.ann, p.TRADINGDAY, p.BACKWARDPRICE::DOUBLE AS px
  FROM ev e JOIN qt_performancedata p ON p.INNERCODE = e.INNERCODE AND p.BACKWARDPRICE IS NOT NULL
),
b AS (
  SELECT *, row_number() OVER (PARTITION BY INNERCODE, ann ORDER BY TRADINGDAY DESC) AS k
  FROM pr WHERE TRADINGDAY <= ann
),
bp AS (
  SELECT INNERCODE, ann, max(CASE WHEN k = 1 THEN px END) / max(CASE WHEN k = 21 THEN px END) - 1 AS prior
  FROM b WHERE k <= 21 GROUP BY ALL
),
a AS (
  SELECT *, row_number() OVER (PARTITION BY INNERCODE, ann ORDER BY TRADINGDAY) AS k
  FROM pr WHERE TRADINGDAY > ann
),
ap AS (
  SELECT INNERCODE, ann, arg_max(px, k) / arg_min(px, k) - 1 AS ret
  FROM a WHERE k <= 6 GROUP BY ALL
)
SELECT CAST(e.ann AS DATE) AS ann_date, e.SECUCODE AS secu_code,
       date_diff('day', CAST(e.ann AS DATE), CAST(e.eff AS DATE)) AS lead_days,
       round(bp.prior * 100, 2) AS prior_ret, round(ap.ret * 100, 2) AS ret
FROM ev e
JOIN ls ON ls.INNERCODE = e.INNERCODE AND ls.ann = e.ann AND ls.CHANGETYPE IN (1, 3, 6)
JOIN bp ON bp.INNERCODE = e.INNERCODE AND bp.ann = e.ann AND bp.prior * 100 <= 10
LEFT JOIN ap ON ap.INNERCODE = e.INNERCODE AND ap.ann = e.ann
ORDER BY ann_date, secu_code

-- dialect: duckdb
WITH cal AS (
  SELECT TRADINGDATE AS d, lead(TRADINGDATE, 20) OVER (ORDER BY TRADINGDATE) AS d20
  FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1
),
obs AS (
  SELECT d, d20 FROM cal
  WHERE d >= TIMESTAMP '2023-07-01' AND d < TIMESTAMP '2024-01-01'
  QUALIFY row_number() OVER (PARTITION BY date_trunc('month', d) ORDER BY d DESC) = 1
),
mem AS (
  SELECT DISTINCT o.d, o.d20, s.INNERCODE, s.COMPANYCODE, s.SECUCODE
  FROM obs o
  JOIN lc_indexcomponent c ON c.INDATE <= o.d AND (c.OUTDATE IS NULL OR c.OUTDATE > o.d)
  JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE AND i.SECUCODE = '000852' AND i.SECUCATEGORY = 4
  JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
  WHERE NOT EXISTS (
    SELECT 1 FROM cs_riskalert r
    WHERE r.INNERCODE = c.SECUINNERCODE AND r.RISKALERTTYPE IN (1, 5, 12, 14)
      AND r.IMPLANNOUCEDATE <= o.d AND r.IMPLEMENTDATE <= o.d
      AND NOT coalesce(r.REMOVEINFOPUBLDATE <= o.d AND r.REMOVEDATE <= o.d, FALSE))
),
eq AS (
  SELECT m.d, m.INNERCODE, f.SEWITHOUTMI::DOUBLE AS eq
  FROM mem m JOIN lc_maindatanew f ON f.COMPANYCODE = m.COMPANYCODE AND f.MARK = 1
   AND f.INFOPUBLDATE < m.d + INTERVAL 1 DAY
  QUALIFY row_number() OVER (PARTITION BY m.d, m.INNERCODE ORDER BY f.ENDDATE DESC, f.INFOPUBLDATE DESC, f.INSERTTIME DESC, f.ID DESC) = 1
),
x AS (
  SELECT m.d, m.d20, m.INNERCODE, m.SECUCODE, e.eq / v.TOTALMV::DOUBLE AS bp
  FROM mem m
  JOIN eq e ON e.d = m.d AND e.INNERCODE = m.INNERCODE
  JOIN lc_dindicesforvaluation v ON v.INNERCODE = m.INNERCODE AND v.TRADINGDAY = m.d
  WHERE e.eq IS NOT NULL AND v.TOTALMV > 0
),
pr AS (
  SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE::DOUBLE AS p FROM qt_performancedata
  WHERE BACKWARDPRICE IS NOT NULL AND TRADINGDAY <= TIMESTAMP '2024-02-29'
),
y AS (
  SELECT x.*, (SELECT max_by(p.p, p.TRADINGDAY) FROM pr p WHERE p.INNERCODE = x.INNERCODE AND p.TRADINGDAY <= x.d20)
            / (SELECT max_by(p.p, p.TRADINGDAY) FROM pr p WHERE p.INNERCODE = x.INNERCODE AND p.TRADINGDAY <= x.d) - 1 AS r
  FROM x
),
rk AS (
  SELECT d,
         rank() OVER (PARTITION BY d ORDER BY bp) + (count(*) OVER (PARTITION BY d, bp) - 1) / 2.0 AS rb,
         rank() OVER (PARTITION BY d ORDER BY r) + (count(*) OVER (PARTITION BY d, r) - 1) / 2.0 AS rr
  FROM y WHERE r IS NOT NULL
),
ic AS (SELECT d, corr(rb, rr) AS ic FROM rk GROUP BY d)
SELECT CAST(y.d AS DATE) AS obs_date, count(*) AS n, round(median(y.bp), 4) AS bp_median,
       arg_max(y.SECUCODE, (y.bp, -CAST(y.SECUCODE AS INTEGER))) AS top_code,
       round(any_value(ic.ic), 4) AS rank_ic
FROM y LEFT JOIN ic ON ic.d = y.d
GROUP BY y.d
ORDER BY obs_date

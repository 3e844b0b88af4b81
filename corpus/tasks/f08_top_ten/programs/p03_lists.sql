WITH cut AS (SELECT DATE '2024-10-25' + INTERVAL 1 DAY AS c),
book AS (
  SELECT f.SECURITYCODE AS fund_code, k.REPORTDATE, k.INFOPUBLDATE, list(k.STOCKINNERCODE) AS stocks, map_from_entries(list((k.STOCKINNERCODE, k.RATIOINNV))) AS w
  FROM cut JOIN mf_keystockportfolio k ON k.INFOPUBLDATE < cut.c JOIN mf_fundarchives f USING (INNERCODE)
  WHERE f.SECURITYCODE IN ('010096', '010357', '010543', '010654', '010675', '590037')
  GROUP BY f.SECURITYCODE, k.REPORTDATE, k.INFOPUBLDATE
  QUALIFY ROW_NUMBER() OVER (PARTITION BY f.SECURITYCODE, k.REPORTDATE ORDER BY k.INFOPUBLDATE DESC) = 1
),
pairs AS (
  SELECT fund_code, REPORTDATE AS period, LAG(REPORTDATE) OVER s AS prev_period, w, LAG(stocks) OVER s AS before, list_intersect(stocks, LAG(stocks) OVER s) AS kept
  FROM book WINDOW s AS (PARTITION BY fund_code ORDER BY REPORTDATE)
  QUALIFY ROW_NUMBER() OVER (PARTITION BY fund_code ORDER BY REPORTDATE DESC) <= 3
)
SELECT fund_code, prev_period, period, len(kept) AS overlap, round(100 * len(kept) / len(before), 2) AS retention,
       round(100 * COALESCE(list_sum(list_transform(kept, lambda i: w[i])), 0), 2) AS weight
FROM pairs WHERE prev_period IS NOT NULL ORDER BY fund_code, period

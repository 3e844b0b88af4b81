SELECT period, value FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY period ORDER BY published DESC) AS newest
  FROM macro WHERE series = 'CPIAUCSL' AND period BETWEEN DATE '2022-03-01' AND DATE '2023-03-31'
) WHERE newest = 1 ORDER BY period

SELECT period, value FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY period ORDER BY published DESC, id DESC) AS newest
  FROM macro WHERE series = 'CPIAUCSL' AND published <= DATE '2023-03-31' AND period >= DATE '2022-03-01'
) WHERE newest = 1 ORDER BY period

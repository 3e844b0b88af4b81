-- Names within a fifth of the low of the year so far, from the prices themselves
SELECT symbol, close / low_so_far - 1 AS above_low
FROM (
  SELECT symbol, day, close, MIN(low) OVER (PARTITION BY symbol ORDER BY day ROWS BETWEEN 251 PRECEDING AND CURRENT ROW) AS low_so_far
  FROM prices WHERE day <= DATE '2025-03-31'
)
WHERE day = DATE '2025-03-31' AND close / low_so_far < 1.2
ORDER BY symbol

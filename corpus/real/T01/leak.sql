-- Names within a fifth of the low of their year
SELECT p.symbol, p.close / i.week_52_low - 1 AS above_low
FROM prices p JOIN indicators i ON i.symbol = p.symbol
WHERE p.day = DATE '2025-03-31'
  AND i.as_of_label = (SELECT MAX(as_of_label) FROM indicators WHERE symbol = p.symbol AND as_of_label <= DATE '2025-03-31')
  AND p.close / i.week_52_low < 1.2
ORDER BY p.symbol

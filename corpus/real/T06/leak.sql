-- What the price tool serves on 2025-10-20: today's bar is masked, other days are not
SELECT symbol, day, open,
       CASE WHEN day = DATE '2025-10-20' THEN NULL ELSE high END AS high,
       CASE WHEN day = DATE '2025-10-20' THEN NULL ELSE low END AS low,
       CASE WHEN day = DATE '2025-10-20' THEN NULL ELSE close END AS close
FROM bars WHERE day BETWEEN DATE '2025-10-15' AND DATE '2025-10-24'

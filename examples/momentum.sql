-- Six-month momentum at the last month end that leaves a quarter of prices after it, from what was known that evening:
-- a price counts only if it had been collected by then, and of several versions the latest one.
WITH cut AS (
    SELECT CAST(date_trunc('month', max(date) - INTERVAL 90 DAY) AS DATE) - INTERVAL 1 DAY AS as_of
    FROM prices
), known AS (
    SELECT p.symbol, p.date, p.close, p.adj_close, p.volume,
           row_number() OVER (PARTITION BY p.symbol, p.date ORDER BY p.collected_date DESC) AS version
    FROM prices p, cut
    WHERE p.collected_date <= cut.as_of AND p.date > cut.as_of - INTERVAL 182 DAY
), ends AS (
    SELECT symbol, count(*) AS sessions,
           arg_min(adj_close, date) AS first_close, arg_max(adj_close, date) AS last_close,
           avg(close * volume) AS turnover
    FROM known
    WHERE version = 1
    GROUP BY symbol
    HAVING count(*) >= 100 AND avg(close * volume) > 5e6 -- traded enough to matter
)
SELECT rank() OVER (ORDER BY last_close / first_close DESC) AS place,
       symbol,
       round(100 * (last_close / first_close - 1), 2) AS momentum_pct,
       round(turnover / 1e6, 1) AS turnover_musd,
       ntile(5) OVER (ORDER BY turnover DESC) AS liquidity_fifth
FROM ends
ORDER BY place, symbol

CREATE TABLE bars AS SELECT symbol, CAST(ts AS DATE) AS day, open, high, low, close, volume
  FROM read_parquet('{shared}/cn_sse50_daily_2025.parquet');

CREATE TABLE prices AS SELECT ts_code, CAST(trade_date AS DATE) AS day, close, vol
  FROM read_parquet('{shared}/cn_a_daily_2024_tushare.parquet')
  WHERE ts_code < '000040.SZ' AND trade_date < '2024-08-01';

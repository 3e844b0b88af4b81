-- Files labelled by day, all fetched at the end of July 2025; prices of the same names.
CREATE TABLE indicators AS SELECT symbol, as_of_label, week_52_low, pe_ratio, TIMESTAMP '2025-07-31' AS fetched
  FROM read_csv('{shared}/trap_stockbench_stock_indicators.csv.gz');
CREATE TABLE prices AS SELECT symbol, CAST(date AS DATE) AS day, CAST(low AS DOUBLE) AS low, CAST(close AS DOUBLE) AS close
  FROM read_parquet('{shared}/us_djia20_spy_daily_2024-12_2025-07.parquet');

-- Facts of the filings of 2009 and 2010 with the minute each filing was accepted; only what was told more than once.
CREATE TABLE facts AS
SELECT row_number() OVER (ORDER BY s.cik, n.tag, n.ddate, s.accepted, n.adsh) AS id, s.cik, n.tag, n.ddate, n.value,
       CAST(s.accepted AS TIMESTAMP) AS accepted
FROM read_parquet('{shared}/us_sec_fsds_num_2009q3_2010q2.parquet') n
JOIN read_parquet('{shared}/us_sec_fsds_sub_2009q3_2010q4_2021q1.parquet') s USING (adsh)
WHERE n.tag IN ('Assets', 'Liabilities', 'StockholdersEquity', 'CommonStockSharesOutstanding') AND n.qtrs = 0 AND n.version LIKE 'us-gaap%'
QUALIFY COUNT(*) OVER (PARTITION BY s.cik, n.tag, n.ddate) > 1;

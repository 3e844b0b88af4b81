-- Snapshots with the change over the following year in the same row: here the outcome has a time of its own.
CREATE TABLE features AS
SELECT row_number() OVER (ORDER BY "Date", Ticker) AS id, Ticker AS ticker, CAST("Date" AS DATE) AS day, "Trailing P/E" AS pe, "Price/Book" AS pb
FROM read_csv('{shared}/us_yahoo_keystats_snapshots_2003_2013.csv.gz')
WHERE "Trailing P/E" IS NOT NULL AND "Price/Book" IS NOT NULL AND stock_p_change IS NOT NULL;
CREATE TABLE outcomes AS
SELECT row_number() OVER (ORDER BY "Date", Ticker) AS id, stock_p_change AS change, CAST("Date" AS DATE) + 365 AS known_from
FROM read_csv('{shared}/us_yahoo_keystats_snapshots_2003_2013.csv.gz')
WHERE "Trailing P/E" IS NOT NULL AND "Price/Book" IS NOT NULL AND stock_p_change IS NOT NULL;

-- Ten series in every monthly vintage; a vintage of a month was out by that month's end.
CREATE TABLE macro AS
SELECT row_number() OVER (ORDER BY series, period, vintage) AS id, series, CAST(period AS DATE) AS period, value,
       CAST(last_day(CAST(vintage || '-01' AS DATE)) AS DATE) AS published
FROM read_parquet('{shared}/us_fredmd_vintage_changelog_1999_2024.parquet') WHERE period >= DATE '2015-01-01';

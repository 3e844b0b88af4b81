-- Where the vendor did not know the announcement, its timestamp is the end of the period: then the statutory deadline counts.
CREATE TABLE income AS
SELECT code, report_date, timestamp, net_profit, operating_income,
       CASE WHEN timestamp > report_date THEN timestamp
            WHEN month(report_date) = 12 THEN make_date(year(report_date) + 1, 4, 30)
            WHEN month(report_date) = 3 THEN make_date(year(report_date), 4, 30)
            WHEN month(report_date) = 6 THEN make_date(year(report_date), 8, 31)
            ELSE make_date(year(report_date), 10, 31) END AS known_from
FROM read_csv('{shared}/cn_zvt_income_statement.csv.gz');

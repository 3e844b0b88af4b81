SELECT code, report_date, net_profit FROM income
WHERE known_from <= DATE '1998-01-31'
QUALIFY ROW_NUMBER() OVER (PARTITION BY code ORDER BY report_date DESC) = 1

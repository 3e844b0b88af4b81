SELECT cik, tag, ddate, value
FROM facts
WHERE accepted < DATE '2010-02-21'
QUALIFY ROW_NUMBER() OVER (PARTITION BY cik, tag, ddate ORDER BY accepted DESC, id DESC) = 1

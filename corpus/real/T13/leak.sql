-- Periods that had been reported by the day, with the value that stands today
SELECT f.cik, f.tag, f.ddate, f.value
FROM facts f
WHERE f.accepted = (SELECT MAX(accepted) FROM facts g WHERE g.cik = f.cik AND g.tag = f.tag AND g.ddate = f.ddate)
  AND EXISTS (SELECT 1 FROM facts g WHERE g.cik = f.cik AND g.tag = f.tag AND g.ddate = f.ddate AND g.accepted < DATE '2010-02-21')

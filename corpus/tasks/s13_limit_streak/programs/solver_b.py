import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
D = "2022-07-01"
days = con.execute(f"""
SELECT TRADINGDATE AS d FROM qt_tradingdaynew
WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE <= TIMESTAMP '{D}'
ORDER BY d DESC LIMIT 21
""").df()["d"].tolist()
first = days[9]

uni = con.execute(f"""
WITH ls AS (
  SELECT INNERCODE, CHANGETYPE FROM lc_liststatus
  WHERE CHANGEDATE <= TIMESTAMP '{D}' AND INSERTTIME < TIMESTAMP '{D}' + INTERVAL 1 DAY
  QUALIFY row_number() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) = 1
)
SELECT s.INNERCODE, s.SECUCODE AS secu_code, s.SECUABBR AS secu_abbr
FROM secumain s JOIN ls ON ls.INNERCODE = s.INNERCODE AND ls.CHANGETYPE IN (1, 3)
WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2)
  AND NOT EXISTS (
    SELECT 1 FROM cs_riskalert r WHERE r.INNERCODE = s.INNERCODE AND r.RISKALERTTYPE IN (1, 5, 12, 14)
      AND r.IMPLANNOUCEDATE <= TIMESTAMP '{D}' AND r.IMPLEMENTDATE <= TIMESTAMP '{D}'
      AND NOT coalesce(r.REMOVEINFOPUBLDATE <= TIMESTAMP '{D}' AND r.REMOVEDATE <= TIMESTAMP '{D}', FALSE))
  AND NOT EXISTS (
    SELECT 1 FROM lc_suspendresumption h WHERE h.INNERCODE = s.INNERCODE
      AND h.INFOPUBLDATE <= TIMESTAMP '{D}' AND h.SUSPENDDATE <= TIMESTAMP '{D}'
      AND (h.RESUMPTIONDATE IS NULL OR h.RESUMPTIONDATE > TIMESTAMP '{D}'))
""").df()
hit = con.execute(f"""
SELECT q.INNERCODE, q.TRADINGDAY FROM qt_dailyquote q
JOIN qt_pricelimit l ON l.INNERCODE = q.INNERCODE AND l.TRADINGDAY = q.TRADINGDAY
WHERE q.TRADINGDAY BETWEEN TIMESTAMP '{first:%Y-%m-%d}' AND TIMESTAMP '{D}'
  AND q.TURNOVERVOLUME > 0 AND q.CLOSEPRICE = l.PRICECEILING
""").df()
px = con.execute(f"""
SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE::DOUBLE AS p FROM qt_performancedata
WHERE TRADINGDAY IN (TIMESTAMP '{D}', TIMESTAMP '{days[20]:%Y-%m-%d}')
""").df()
price = {(r.INNERCODE, r.TRADINGDAY): r.p for r in px.itertuples()}
hits = set(zip(hit["INNERCODE"], hit["TRADINGDAY"]))

rows = []
for u in uni.itertuples():
    n = 0
    for d in days[:10]:
        if (u.INNERCODE, d) not in hits:
            break
        n += 1
    if n == 0:
        continue
    a, b = price.get((u.INNERCODE, days[20])), price.get((u.INNERCODE, days[0]))
    chg = round((b / a - 1) * 100, 2) if a and b else None
    rows.append((u.secu_code, u.secu_abbr, n, chg))
result = pd.DataFrame(rows, columns=["secu_code", "secu_abbr", "streak", "chg20"])
result = result.sort_values(["streak", "secu_code"], ascending=[False, True]).reset_index(drop=True)

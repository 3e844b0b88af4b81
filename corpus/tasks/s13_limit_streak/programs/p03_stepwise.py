from datetime import date, timedelta
import duckdb

con = duckdb.connect("core.duckdb", read_only=True)
day = date(2022, 7, 1)
nxt = day + timedelta(days=1)
days = [r[0] for r in con.execute("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE < ? ORDER BY 1 DESC LIMIT 21", [nxt]).fetchall()]


def limit_up(d):
    rows = con.execute("""SELECT q.INNERCODE FROM qt_dailyquote q JOIN qt_pricelimit l USING (INNERCODE, TRADINGDAY)
                          WHERE q.TRADINGDAY = ? AND q.CLOSEPRICE = l.PRICECEILING AND q.TURNOVERVOLUME > 0""", [d]).fetchall()
    return {r[0] for r in rows}


pool = {r[0]: r[1:] for r in con.execute("""
    SELECT s.INNERCODE, s.SECUCODE, s.SECUABBR FROM secumain s
    WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2)
      AND (SELECT l.CHANGETYPE FROM lc_liststatus l WHERE l.INNERCODE = s.INNERCODE AND l.CHANGEDATE < $c AND l.INSERTTIME < $c ORDER BY l.CHANGEDATE DESC, l.INSERTTIME DESC, l.ID DESC LIMIT 1) IN (1, 3)
      AND NOT EXISTS (SELECT 1 FROM cs_riskalert r WHERE r.INNERCODE = s.INNERCODE AND r.RISKALERTTYPE IN (1, 5, 12, 14) AND r.IMPLANNOUCEDATE < $c AND r.IMPLEMENTDATE < $c
                      AND NOT COALESCE(r.REMOVEDATE < $c AND r.REMOVEINFOPUBLDATE < $c, FALSE))
      AND NOT EXISTS (SELECT 1 FROM lc_suspendresumption h WHERE h.INNERCODE = s.INNERCODE AND h.INFOPUBLDATE < $c AND h.SUSPENDDATE < $c AND NOT COALESCE(h.RESUMPTIONDATE < $c, FALSE))""", {"c": nxt}).fetchall()}
alive, streak = set(pool), dict.fromkeys(pool, 0)
for d in days[:10]:
    alive &= limit_up(d)
    for code in alive:
        streak[code] += 1
prices = {d: dict(con.execute("SELECT INNERCODE, CAST(BACKWARDPRICE AS DOUBLE) FROM qt_performancedata WHERE TRADINGDAY = ? AND BACKWARDPRICE IS NOT NULL", [d]).fetchall()) for d in (days[0], days[20])}
result = []
for code, n in streak.items():
    if n:
        a, b = prices[days[0]].get(code), prices[days[20]].get(code)
        result.append({"secu_code": pool[code][0], "secu_abbr": pool[code][1], "streak": n, "chg20": round((a / b - 1) * 100, 2) if a and b else None})
result.sort(key=lambda r: (-r["streak"], r["secu_code"]))

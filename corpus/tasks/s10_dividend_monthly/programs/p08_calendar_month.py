import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
frames = []
for month in pd.period_range("2024-01", "2024-06", freq="M"):
    d = con.execute("SELECT max(TRADINGDATE) FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE <= ?", [month.end_time.to_pydatetime()]).fetchone()[0]
    last = month.end_time.date()
    top = con.execute("""
        WITH f AS (SELECT COMPANYCODE, NPFROMPARENTCOMPANYOWNERS AS np FROM lc_maindatanew WHERE MARK = 1 AND month(ENDDATE) = 12 AND ENDDATE <= $last
                   QUALIFY ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY ENDDATE DESC, INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) = 1),
             v AS (SELECT INNERCODE, SUM(ACTUALCASHDIVIRMB) / 10 AS cash FROM lc_dividend
                   WHERE EXDIVIDATE > CAST($d AS TIMESTAMP) - INTERVAL 365 DAY AND EXDIVIDATE <= $d AND DIVIDENDIMPLEMENTDATE <= $d GROUP BY INNERCODE),
             st AS (SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE <= $d AND IMPLEMENTDATE <= $d
                    AND NOT COALESCE(REMOVEDATE <= $d AND REMOVEINFOPUBLDATE <= $d, FALSE)),
             r AS (SELECT CAST($d AS TIMESTAMP) AS obs_date, s.INNERCODE, s.SECUCODE AS secu_code, v.cash / q.CLOSEPRICE * 100 AS y
                   FROM secumain s JOIN qt_dailyquote q ON q.INNERCODE = s.INNERCODE AND q.TRADINGDAY = $d JOIN v ON v.INNERCODE = s.INNERCODE JOIN f ON f.COMPANYCODE = s.COMPANYCODE AND f.np > 0
                   WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2) AND v.cash > 0 AND s.INNERCODE NOT IN (SELECT INNERCODE FROM st)
                   ORDER BY y DESC, secu_code LIMIT 10)
        SELECT obs_date, ROW_NUMBER() OVER (ORDER BY y DESC, secu_code) AS rnk, secu_code, round(y, 4) AS div_yield,
               (SELECT round((arg_max(p.BACKWARDPRICE, p.TRADINGDAY) / arg_min(p.BACKWARDPRICE, p.TRADINGDAY) - 1) * 100, 2) FROM qt_performancedata p
                WHERE p.INNERCODE = r.INNERCODE AND p.TRADINGDAY BETWEEN r.obs_date AND r.obs_date + INTERVAL 31 DAY) AS next_ret
        FROM r ORDER BY 2""", {"d": d, "last": last}).df()
    frames.append(top)
result = pd.concat(frames, ignore_index=True)

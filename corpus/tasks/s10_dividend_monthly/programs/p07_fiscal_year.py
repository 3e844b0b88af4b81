import os
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
months = ["2024-01-31", "2024-02-29", "2024-03-29", "2024-04-30", "2024-05-31", "2024-06-28"]
SQL = text("""
    SELECT s.INNERCODE, s.SECUCODE, d.cash / q.CLOSEPRICE * 100 AS div_yield
    FROM secumain s
    JOIN qt_dailyquote q ON q.INNERCODE = s.INNERCODE AND q.TRADINGDAY = :d AND q.CLOSEPRICE > 0
    JOIN (SELECT INNERCODE, SUM(ACTUALCASHDIVIRMB) / 10 AS cash FROM lc_dividend WHERE ENDDATE > DATE_SUB(:d, INTERVAL 365 DAY) AND ENDDATE <= :d GROUP BY INNERCODE) d ON d.INNERCODE = s.INNERCODE
    JOIN (SELECT COMPANYCODE, NPFROMPARENTCOMPANYOWNERS AS np, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY ENDDATE DESC, INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_maindatanew WHERE MARK = 1 AND MONTH(ENDDATE) = 12 AND INFOPUBLDATE <= :d) f ON f.COMPANYCODE = s.COMPANYCODE AND f.rn = 1 AND f.np > 0
    WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2)
      AND s.INNERCODE NOT IN (SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE <= :d AND IMPLEMENTDATE <= :d
          AND (REMOVEDATE IS NULL OR REMOVEDATE > :d OR REMOVEINFOPUBLDATE IS NULL OR REMOVEINFOPUBLDATE > :d))""")
RET = text("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN :d AND DATE_ADD(:d, INTERVAL 31 DAY) AND BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY")
frames = []
with engine.connect() as conn:
    for d in months:
        t = pd.read_sql(SQL, conn, params={"d": d}).sort_values(["div_yield", "SECUCODE"], ascending=[False, True]).head(10)
        g = pd.read_sql(RET, conn, params={"d": d}).groupby("INNERCODE").BACKWARDPRICE
        t["next_ret"] = t.INNERCODE.map((g.last() / g.first() - 1) * 100)
        frames.append(pd.DataFrame({"obs_date": pd.Timestamp(d), "rnk": range(1, len(t) + 1), "secu_code": t.SECUCODE.values, "div_yield": t.div_yield.round(4).values, "next_ret": t.next_ret.round(2).values}))
result = pd.concat(frames, ignore_index=True)

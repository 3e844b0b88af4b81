import pandas as pd
from db_connector import query_to_dataframe as q

cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2024-01-01' AND '2024-06-30'").TRADINGDATE
ends = list(cal.groupby(cal.dt.month).max())
keep = []
for d in ends:
    a, b = d.strftime("%Y-%m-%d"), (d + pd.Timedelta(days=31)).strftime("%Y-%m-%d")
    t = q(f"""
        SELECT s.INNERCODE, s.SECUCODE AS secu_code, v.cash / p.CLOSEPRICE * 100 AS div_yield
        FROM secumain s JOIN qt_dailyquote p ON p.INNERCODE = s.INNERCODE AND p.TRADINGDAY = '{a}' AND p.CLOSEPRICE > 0
        JOIN (SELECT INNERCODE, SUM(ACTUALCASHDIVIRMB) / 10 AS cash FROM lc_dividend WHERE EXDIVIDATE > DATE_SUB('{a}', INTERVAL 365 DAY) AND EXDIVIDATE <= '{a}' AND DIVIDENDIMPLEMENTDATE <= '{a}' GROUP BY INNERCODE) v ON v.INNERCODE = s.INNERCODE
        JOIN (SELECT COMPANYCODE, NPFROMPARENTCOMPANYOWNERS AS np, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY ENDDATE DESC, INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
              FROM lc_maindatanew WHERE MARK = 1 AND MONTH(ENDDATE) = 12 AND INFOPUBLDATE <= '{a}') f ON f.COMPANYCODE = s.COMPANYCODE AND f.rn = 1 AND f.np > 0
        WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2) AND v.cash > 0
          AND NOT EXISTS (SELECT 1 FROM cs_riskalert r WHERE r.INNERCODE = s.INNERCODE AND r.RISKALERTTYPE IN (1, 5, 12, 14) AND r.IMPLANNOUCEDATE <= '{a}' AND r.IMPLEMENTDATE <= '{a}'
              AND (r.REMOVEDATE IS NULL OR r.REMOVEDATE > '{a}' OR r.REMOVEINFOPUBLDATE IS NULL OR r.REMOVEINFOPUBLDATE > '{a}'))""")
    px = q(f"SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN '{a}' AND '{b}' AND BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY")
    g = px.groupby("INNERCODE").BACKWARDPRICE
    t["next_ret"] = t.INNERCODE.map((g.last() / g.first() - 1) * 100)
    t["traded"] = t.INNERCODE.map(px.groupby("INNERCODE").size())
    t = t[t.traded >= 15].sort_values(["div_yield", "secu_code"], ascending=[False, True]).head(10)
    keep.append(t.assign(obs_date=d, rnk=range(1, len(t) + 1)))
result = pd.concat(keep)[["obs_date", "rnk", "secu_code", "div_yield", "next_ret"]].round({"div_yield": 4, "next_ret": 2})

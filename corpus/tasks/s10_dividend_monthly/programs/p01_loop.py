import pandas as pd
from db_connector import query_to_dataframe as q

cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2024-01-01' AND '2024-06-30'").TRADINGDATE
month_ends = cal.groupby(cal.dt.to_period("M")).max()
parts = []
for d in month_ends:
    day, cut = d.strftime("%Y-%m-%d"), (d + pd.Timedelta(days=1)).strftime("%Y-%m-%d")
    start = (d - pd.Timedelta(days=365)).strftime("%Y-%m-%d")
    top = q(f"""
        SELECT s.INNERCODE, s.SECUCODE AS secu_code, dv.cash / p.CLOSEPRICE * 100 AS div_yield
        FROM secumain s JOIN qt_dailyquote p ON p.INNERCODE = s.INNERCODE AND p.TRADINGDAY = '{day}' AND p.CLOSEPRICE > 0
        JOIN (SELECT INNERCODE, SUM(ACTUALCASHDIVIRMB) / 10 AS cash FROM lc_dividend
              WHERE EXDIVIDATE > '{start}' AND EXDIVIDATE <= '{day}' AND DIVIDENDIMPLEMENTDATE < '{cut}' GROUP BY INNERCODE) dv ON dv.INNERCODE = s.INNERCODE
        JOIN (SELECT COMPANYCODE, NPFROMPARENTCOMPANYOWNERS AS np, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY ENDDATE DESC, INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
              FROM lc_maindatanew WHERE MARK = 1 AND MONTH(ENDDATE) = 12 AND INFOPUBLDATE < '{cut}') f ON f.COMPANYCODE = s.COMPANYCODE AND f.rn = 1 AND f.np > 0
        WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2) AND dv.cash > 0
          AND s.INNERCODE NOT IN (SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < '{cut}' AND IMPLEMENTDATE <= '{day}'
              AND (REMOVEDATE IS NULL OR REMOVEDATE > '{day}' OR REMOVEINFOPUBLDATE IS NULL OR REMOVEINFOPUBLDATE >= '{cut}'))""")
    top = top.sort_values(["div_yield", "secu_code"], ascending=[False, True]).head(10)
    top = top.assign(obs_date=d, rnk=range(1, len(top) + 1))
    codes = ", ".join(str(int(c)) for c in top.INNERCODE)
    end = (d + pd.Timedelta(days=31)).strftime("%Y-%m-%d")
    px = q(f"SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE INNERCODE IN ({codes}) AND TRADINGDAY BETWEEN '{day}' AND '{end}' AND BACKWARDPRICE IS NOT NULL")
    g = px.sort_values("TRADINGDAY").groupby("INNERCODE").BACKWARDPRICE
    parts.append(top.assign(next_ret=top.INNERCODE.map((g.last() / g.first() - 1) * 100)))
result = pd.concat(parts)[["obs_date", "rnk", "secu_code", "div_yield", "next_ret"]].round({"div_yield": 4, "next_ret": 2})

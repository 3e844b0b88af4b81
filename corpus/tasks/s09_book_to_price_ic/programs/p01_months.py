import pandas as pd
from db_connector import query_to_dataframe as q

cal = q("SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE BETWEEN '2023-06-01' AND '2024-03-31' ORDER BY TRADINGDATE").TRADINGDATE.tolist()
month_ends = sorted({(t.year, t.month): t for t in cal if "2023-07" <= t.strftime("%Y-%m") <= "2023-12"}.values())
px = q("SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata WHERE TRADINGDAY BETWEEN '2023-01-01' AND '2024-03-31' AND BACKWARDPRICE IS NOT NULL ORDER BY TRADINGDAY")
rows = []
for d in month_ends:
    day, cut = d.strftime("%Y-%m-%d"), (d + pd.Timedelta(days=1)).strftime("%Y-%m-%d")
    f = q(f"""
        SELECT s.INNERCODE, s.SECUCODE, b.eq / v.TOTALMV AS bp
        FROM lc_indexcomponent c JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE AND i.SECUCODE = '000852' AND i.SECUCATEGORY = 4
        JOIN (SELECT COMPANYCODE, SEWITHOUTMI AS eq, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY ENDDATE DESC, INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
              FROM lc_maindatanew WHERE MARK = 1 AND INFOPUBLDATE < '{cut}') b ON b.COMPANYCODE = s.COMPANYCODE AND b.rn = 1
        JOIN lc_dindicesforvaluation v ON v.INNERCODE = s.INNERCODE AND v.TRADINGDAY = '{day}'
        WHERE c.INDATE <= '{day}' AND (c.OUTDATE IS NULL OR c.OUTDATE > '{day}')
          AND s.INNERCODE NOT IN (SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < '{cut}' AND IMPLEMENTDATE <= '{day}'
              AND (REMOVEDATE IS NULL OR REMOVEDATE > '{day}' OR REMOVEINFOPUBLDATE IS NULL OR REMOVEINFOPUBLDATE >= '{cut}'))""").dropna(subset=["bp"])
    f["bp"] = f.bp.astype(float)
    end = cal[cal.index(d) + 20]
    start_px = px[px.TRADINGDAY <= d].groupby("INNERCODE").BACKWARDPRICE.last()
    end_px = px[px.TRADINGDAY <= end].groupby("INNERCODE").BACKWARDPRICE.last()
    ret = f.INNERCODE.map(end_px / start_px - 1)
    f = f.sort_values(["bp", "SECUCODE"], ascending=[False, True])
    rows.append({"obs_date": d, "n": len(f), "bp_median": round(f.bp.median(), 4), "top_code": f.SECUCODE.iloc[0] if len(f) else None, "rank_ic": round(f.bp.rank().corr(ret.rank()), 4)})
result = pd.DataFrame(rows)

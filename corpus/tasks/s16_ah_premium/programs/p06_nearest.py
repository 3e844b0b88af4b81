import pandas as pd
from db_connector import query_to_dataframe as q

day = pd.Timestamp("2021-10-06")
pairs = q("""
    SELECT s.INNERCODE AS ai, s.SECUCODE AS secu_code, k.INNERCODE AS hi, k.SECUCODE AS hk_code FROM secumain s
    JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_liststatus WHERE CHANGEDATE <= '2021-10-06' AND INSERTTIME < '2021-10-07') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1 AND l.CHANGETYPE IN (1, 3, 6)
    JOIN hk_secumain k ON k.COMPANYCODE = s.COMPANYCODE AND k.SECUCATEGORY = 3 AND k.LISTEDDATE <= '2021-10-06' AND (k.DELISTINGDATE IS NULL OR k.DELISTINGDATE > '2021-10-06')
    WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)""")
pairs["t"] = day
a = q("SELECT INNERCODE AS ai, TRADINGDAY, CLOSEPRICE AS a_close FROM qt_dailyquote WHERE TRADINGDAY BETWEEN '2021-06-01' AND '2021-10-31' ORDER BY TRADINGDAY")
h = q("SELECT INNERCODE AS hi, TRADINGDAY, CLOSEPRICE AS h_close FROM qt_hkdailyquote WHERE TRADINGDAY BETWEEN '2021-06-01' AND '2021-10-31' ORDER BY TRADINGDAY")
fx = q("SELECT ENDDATE, PERIODENDPRICE AS fx FROM ed_rmbbaseexchangerate WHERE CURRENCY = 110 AND DATAREPORTPERIOD = 1 ORDER BY ENDDATE")
df = pd.merge_asof(pairs, a, left_on="t", right_on="TRADINGDAY", by="ai", direction="nearest")
df = pd.merge_asof(df, h, left_on="t", right_on="TRADINGDAY", by="hi", direction="nearest", suffixes=("", "_h"))
df = pd.merge_asof(df, fx, left_on="t", right_on="ENDDATE", direction="nearest")
df["premium"] = (df.a_close / (df.h_close * df.fx / 100) - 1) * 100
result = df.dropna(subset=["premium"]).sort_values(["premium", "secu_code"], ascending=[False, True])[["secu_code", "hk_code", "a_close", "h_close", "premium"]].round(2)

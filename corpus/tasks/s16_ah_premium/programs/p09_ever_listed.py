import pandas as pd
from db_connector import query_to_dataframe as q

D = pd.Timestamp("2021-10-06")
a = q("SELECT INNERCODE, COMPANYCODE, SECUCODE AS secu_code FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6)")
h = q("SELECT INNERCODE, COMPANYCODE, SECUCODE AS hk_code, LISTEDDATE FROM hk_secumain WHERE SECUCATEGORY = 3")
h = h[h.LISTEDDATE <= D]
ev = q("SELECT ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME FROM lc_liststatus")
ev = ev[(ev.CHANGEDATE <= D) & (ev.INSERTTIME < D + pd.Timedelta(days=1))].sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last")
a = a[a.INNERCODE.isin(ev[ev.CHANGETYPE.isin([1, 3, 6])].INNERCODE)]
pairs = a.merge(h, on="COMPANYCODE", suffixes=("_a", "_h"))


def last_close(table, codes):
    listing = ", ".join(str(int(c)) for c in codes)
    p = q(f"SELECT INNERCODE, TRADINGDAY, CLOSEPRICE FROM {table} WHERE INNERCODE IN ({listing}) AND TRADINGDAY BETWEEN '2018-01-01' AND '2021-10-06'")
    return p[p.TRADINGDAY <= D].sort_values("TRADINGDAY").groupby("INNERCODE").tail(1).set_index("INNERCODE").CLOSEPRICE


pairs["a_close"] = pairs.INNERCODE_a.map(last_close("qt_dailyquote", pairs.INNERCODE_a))
pairs["h_close"] = pairs.INNERCODE_h.map(last_close("qt_hkdailyquote", pairs.INNERCODE_h))
fx = q("SELECT ENDDATE, PERIODENDPRICE FROM ed_rmbbaseexchangerate WHERE CURRENCY = 110 AND DATAREPORTPERIOD = 1").set_index("ENDDATE").PERIODENDPRICE.sort_index()
rate = fx[fx.index <= D].iloc[-1]
pairs["premium"] = (pairs.a_close / (pairs.h_close * rate / 100) - 1) * 100
result = pairs.dropna(subset=["premium"]).sort_values(["premium", "secu_code"], ascending=[False, True])[["secu_code", "hk_code", "a_close", "h_close", "premium"]].round(2)

# AH 溢价率
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
D = "2021-10-06"
pair = con.sql(f"""
    select s.INNERCODE as ia, h.INNERCODE as ih, s.SECUCODE as secu_code, h.SECUCODE as hk_code
    from secumain s join hk_secumain h on h.COMPANYCODE = s.COMPANYCODE
    where s.SECUCATEGORY = 1 and s.SECUMARKET in (83, 90) and s.LISTEDDATE <= '{D}'
      and h.LISTEDDATE <= '{D}' and (h.DELISTINGDATE is null or h.DELISTINGDATE > '{D}')
""").df()
gone = con.sql(f"select INNERCODE from lc_liststatus where CHANGETYPE = 4 and CHANGEDATE <= '{D}'").df()
pair = pair[~pair.ia.isin(gone.INNERCODE)]

def last_close(tab):
    q = con.sql(f"select INNERCODE, TRADINGDAY, CLOSEPRICE from {tab} where TRADINGDAY <= '{D}' and TRADINGDAY >= '2021-09-15'").df()
    return q.sort_values("TRADINGDAY").groupby("INNERCODE").CLOSEPRICE.last()

a, h = last_close("qt_dailyquote"), last_close("qt_hkdailyquote")
fx = con.sql(f"""select PERIODENDPRICE from ed_rmbbaseexchangerate where CURRENCY = 110 and ENDDATE <= '{D}'
                 order by ENDDATE desc limit 1""").fetchall()[0][0]
pair["a_close"] = pair.ia.map(a)
pair["h_close"] = pair.ih.map(h)
pair = pair.dropna()
pair["premium"] = (pair.a_close / (pair.h_close * float(fx) / 100) - 1) * 100
pair = pair.sort_values(["premium", "secu_code"], ascending=[False, True])
result = pair[["secu_code", "hk_code", "a_close", "h_close", "premium"]].round(2).reset_index(drop=True)

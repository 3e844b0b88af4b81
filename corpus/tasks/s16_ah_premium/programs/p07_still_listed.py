import duckdb

con = duckdb.connect("core.duckdb", read_only=True)
result = con.sql("""
    WITH a AS (SELECT INNERCODE FROM lc_liststatus WHERE CHANGEDATE <= DATE '2021-10-06' AND INSERTTIME < DATE '2021-10-07' GROUP BY 1 HAVING arg_max(CHANGETYPE, (CHANGEDATE, INSERTTIME, ID)) IN (1, 3, 6)),
    pa AS (SELECT INNERCODE, arg_max(CLOSEPRICE, TRADINGDAY) AS c FROM qt_dailyquote WHERE TRADINGDAY <= DATE '2021-10-06' GROUP BY 1),
    ph AS (SELECT INNERCODE, arg_max(CLOSEPRICE, TRADINGDAY) AS c FROM qt_hkdailyquote WHERE TRADINGDAY <= DATE '2021-10-06' GROUP BY 1),
    fx AS (SELECT arg_max(PERIODENDPRICE, ENDDATE) AS r FROM ed_rmbbaseexchangerate WHERE CURRENCY = 110 AND DATAREPORTPERIOD = 1 AND ENDDATE <= DATE '2021-10-06')
    SELECT s.SECUCODE AS secu_code, k.SECUCODE AS hk_code, round(pa.c, 2) AS a_close, round(ph.c, 2) AS h_close, round((pa.c / (ph.c * fx.r / 100) - 1) * 100, 2) AS premium
    FROM fx, secumain s JOIN a USING (INNERCODE) JOIN hk_secumain k ON k.COMPANYCODE = s.COMPANYCODE JOIN pa ON pa.INNERCODE = s.INNERCODE JOIN ph ON ph.INNERCODE = k.INNERCODE
    WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6) AND k.SECUCATEGORY = 3 AND k.LISTEDDATE <= DATE '2021-10-06' AND k.DELISTINGDATE IS NULL
    ORDER BY premium DESC, secu_code""").df()

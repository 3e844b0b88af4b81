import duckdb
from db_connector import query_to_dataframe as q

pmi = q("SELECT ENDDATE, INFOPUBLDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1007 AND INFOPUBLDATE < '2025-10-01'")
px = q("SELECT q.TRADINGDAY, q.CLOSEPRICE FROM qt_indexquote q JOIN secumain i ON i.INNERCODE = q.INNERCODE WHERE i.SECUCODE = '000300' AND i.SECUCATEGORY = 4")
db = duckdb.connect()
db.register("pmi", pmi)
db.register("px", px)
result = db.execute("""
    WITH ev AS (
      SELECT a.INFOPUBLDATE AS release, a.ENDDATE AS month, round(a.DATAVALUE, 1) AS pmi, CASE WHEN a.DATAVALUE > 50 THEN '上穿' ELSE '下穿' END AS kind
      FROM pmi a JOIN pmi b ON last_day(CAST(b.ENDDATE AS DATE) + INTERVAL 1 DAY) = CAST(a.ENDDATE AS DATE) AND b.INFOPUBLDATE <= a.INFOPUBLDATE
      WHERE a.INFOPUBLDATE >= TIMESTAMP '2019-01-01' AND ((b.DATAVALUE <= 50 AND a.DATAVALUE > 50) OR (b.DATAVALUE >= 50 AND a.DATAVALUE < 50))),
    path AS (SELECT TRADINGDAY, lead(CLOSEPRICE, 4) OVER (ORDER BY TRADINGDAY) / CLOSEPRICE * 100 - 100 AS ret FROM px)
    SELECT release, month, pmi, kind, round(ret, 2) AS ret FROM ev ASOF LEFT JOIN path ON ev.release < path.TRADINGDAY ORDER BY 1, 2""").df()

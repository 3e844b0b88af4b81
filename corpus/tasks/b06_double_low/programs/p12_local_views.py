import duckdb
from db_connector import query_to_dataframe as q

db = duckdb.connect()
for table, columns in {
    "bond_conbdbasicinfo": "INNERCODE, SECUCODE, ENDDATE, LATESTCONVPRICE",
    "bond_code": "INNERCODE, MAINCODE",
    "bond_conbdexchangequote": "INNERCODE, TRADINGDAY, CLOSEPRICE, STOCKPRICE, TURNOVERVOLUME",
    "bond_conbdconvertprice": "ID, INNERCODE, INFOPUBLDATE, VALIDDATE, CONVERTPRICE",
    "bond_conbdcallinfo": "INNERCODE, CALLTYPE, INSERTTIME",
    "bond_size": "ID, MAINCODE, ENDDATE, INFOPUBLDATE, TOTALSIZE",
    "bond_bdcreditgrading": "ID, MAINCODE, CRTYPECODE, CRDATE, INFOPUBLDATE, CRCODE, RATINGEFFECTIVEENDDATE",
}.items():
    frame = q(f"SELECT {columns} FROM {table}")
    db.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM frame")
db.execute("CREATE MACRO d() AS DATE '2021-07-02'")
db.execute("CREATE TEMP VIEW conv AS SELECT * FROM bond_conbdconvertprice WHERE greatest(VALIDDATE, INFOPUBLDATE) <= d() QUALIFY ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY VALIDDATE DESC, INFOPUBLDATE DESC, ID DESC) = 1")
db.execute("CREATE TEMP VIEW bal AS SELECT * FROM bond_size WHERE greatest(ENDDATE, INFOPUBLDATE) <= d() QUALIFY ROW_NUMBER() OVER (PARTITION BY MAINCODE ORDER BY ENDDATE DESC, INFOPUBLDATE DESC, ID DESC) = 1")
db.execute("CREATE TEMP VIEW grade AS SELECT * FROM bond_bdcreditgrading WHERE CRTYPECODE = 1 AND greatest(CRDATE, INFOPUBLDATE) <= d() QUALIFY ROW_NUMBER() OVER (PARTITION BY MAINCODE ORDER BY CRDATE DESC, INFOPUBLDATE DESC, ID DESC) = 1")
result = db.execute("""
    WITH s AS (
      SELECT c.SECUCODE, conv.CONVERTPRICE, bal.TOTALSIZE, quote.CLOSEPRICE, (quote.CLOSEPRICE / (quote.STOCKPRICE * 100 / conv.CONVERTPRICE) - 1) * 100 AS premium
      FROM bond_conbdbasicinfo c JOIN bond_code b USING (INNERCODE) JOIN conv USING (INNERCODE)
      JOIN bond_conbdexchangequote quote ON quote.INNERCODE = c.INNERCODE AND quote.TRADINGDAY = d() AND quote.TURNOVERVOLUME > 0
      JOIN bal ON bal.MAINCODE = b.MAINCODE AND bal.TOTALSIZE > 0 AND bal.TOTALSIZE <= 20
      JOIN grade ON grade.MAINCODE = b.MAINCODE AND grade.CRCODE >= 960 AND (grade.RATINGEFFECTIVEENDDATE > d()) IS NOT FALSE
      WHERE c.ENDDATE > d() + INTERVAL 1 YEAR AND c.INNERCODE NOT IN (SELECT INNERCODE FROM bond_conbdcallinfo WHERE CALLTYPE = 3 AND INSERTTIME < d() + INTERVAL 1 DAY))
    SELECT SECUCODE AS bond_code, round(CONVERTPRICE, 2) AS conv_price, round(premium, 2) AS premium, round(CLOSEPRICE + premium, 2) AS score, round(TOTALSIZE, 2) AS balance
    FROM s ORDER BY CLOSEPRICE + premium, SECUCODE LIMIT 8""").df()

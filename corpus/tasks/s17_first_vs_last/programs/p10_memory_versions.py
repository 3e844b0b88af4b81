import os
import duckdb
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
with engine.connect() as conn:
    versions = pd.read_sql(text("SELECT b.ENDDATE, b.INFOPUBLDATE, b.INSERTTIME, b.ID, b.TOTALASSETS FROM lc_balancesheetall b JOIN secumain s ON s.COMPANYCODE = b.COMPANYCODE "
                                "WHERE s.SECUCODE = '600001' AND s.SECUCATEGORY = 1 AND b.IFMERGED = 1"), conn)
db = duckdb.connect()
db.register("versions", versions)
db.execute("""CREATE TEMP TABLE v AS SELECT *, row_number() OVER up AS first_no, row_number() OVER down AS last_no FROM versions
              WHERE month(ENDDATE) IN (6, 12)
              WINDOW up AS (PARTITION BY ENDDATE ORDER BY INFOPUBLDATE, INSERTTIME, ID), down AS (PARTITION BY ENDDATE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC)""")
result = db.execute("""SELECT f.ENDDATE AS period, round(f.TOTALASSETS / 1e8, 2) AS ta_first, round(l.TOTALASSETS / 1e8, 2) AS ta_last, f.INFOPUBLDATE AS first_pub, l.INFOPUBLDATE AS last_pub,
                              round((l.TOTALASSETS / f.TOTALASSETS - 1) * 100, 4) AS revision
                       FROM v f JOIN v l USING (ENDDATE) WHERE f.first_no = 1 AND l.last_no = 1 AND f.INFOPUBLDATE <= TIMESTAMP '2024-08-31'
                       QUALIFY row_number() OVER (ORDER BY f.ENDDATE DESC) <= 5 ORDER BY 1""").df()

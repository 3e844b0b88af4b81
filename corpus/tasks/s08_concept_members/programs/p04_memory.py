import os
import duckdb
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
mem = duckdb.connect()
for table in ("lc_coconcept", "lc_conceptlist", "lc_liststatus", "secumain"):
    with engine.connect() as c:
        frame = pd.read_sql(text(f"SELECT * FROM {table}"), c)
    mem.register("frame", frame)
    mem.execute(f"CREATE TABLE {table} AS SELECT * FROM frame")
    mem.unregister("frame")
mem.execute("CREATE VIEW days AS SELECT d, d + INTERVAL 1 DAY AS cut FROM (VALUES (TIMESTAMP '2022-09-15'), (TIMESTAMP '2023-03-15')) t(d)")
mem.execute("""CREATE VIEW listed AS SELECT d, INNERCODE, CHANGETYPE FROM days JOIN lc_liststatus ON CHANGEDATE <= d AND INSERTTIME < cut
               QUALIFY ROW_NUMBER() OVER (PARTITION BY d, INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) = 1""")
mem.execute("CREATE VIEW concepts AS SELECT d, CONCEPTCODE, CONCEPTNAME FROM days JOIN lc_conceptlist ON INFOPUBLDATE < cut AND BEGINDATE <= d AND (ENDDATE IS NULL OR ENDDATE > d)")
mem.execute("CREATE VIEW inside AS SELECT d, CONCEPTCODE, INNERCODE FROM days JOIN lc_coconcept ON INFOPUBLDATE < cut AND INDATE <= d AND (OUTDATE IS NULL OR OUTDATE > d)")
result = mem.execute("""
    SELECT d AS obs_date, CONCEPTCODE AS concept_code, CONCEPTNAME AS concept, COUNT(DISTINCT INNERCODE) AS members
    FROM concepts JOIN inside USING (d, CONCEPTCODE) JOIN listed USING (d, INNERCODE) JOIN secumain s USING (INNERCODE)
    WHERE CONCEPTCODE IN (8005, 8012, 8015, 8019, 8020, 8021, 8023) AND CHANGETYPE IN (1, 3, 6) AND SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6)
    GROUP BY ALL ORDER BY 1, 4 DESC, 2""").df()

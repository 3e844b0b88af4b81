import duckdb
import pandas as pd
from db_connector import query_to_dataframe

mem = duckdb.connect()
for name, sql in {
    "tenure": "SELECT PERSONALCODE, INNERCODE, ACCESSIONDATE, DIMISSIONDATE, INFOPUBLDATE FROM mf_fundmanagernew WHERE POSTNAME = 1",
    "fund": "SELECT INNERCODE, MAINCODE, SECURITYCODE, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives",
    "size": "SELECT INNERCODE, ENDDATE, COMBNVI, INSERTTIME, ID FROM mf_scaleanalysis",
}.items():
    frame = query_to_dataframe(sql)
    mem.register("frame", frame)
    mem.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM frame")
    mem.unregister("frame")
mem.execute("CREATE VIEW known_size AS SELECT * FROM size WHERE INSERTTIME < TIMESTAMP '2023-04-04' QUALIFY ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY ENDDATE DESC, INSERTTIME DESC, ID DESC) = 1")
mem.execute("CREATE VIEW office AS SELECT PERSONALCODE, INNERCODE, min(ACCESSIONDATE) AS start FROM tenure WHERE INFOPUBLDATE < TIMESTAMP '2023-04-04' AND ACCESSIONDATE <= DATE '2023-04-03' AND (DIMISSIONDATE > DATE '2023-04-03') IS NOT FALSE GROUP BY ALL")
result = mem.execute("""
    SELECT CAST(PERSONALCODE AS BIGINT) AS person_code, count(*) AS funds, round(sum(COALESCE(COMBNVI, 0)) / 1e8, 2) AS size, min(start) AS first_start
    FROM office JOIN fund USING (INNERCODE) LEFT JOIN known_size USING (INNERCODE)
    WHERE MAINCODE = SECURITYCODE AND ESTABLISHMENTDATE <= DATE '2023-04-03' AND (EXPIREDATE > DATE '2023-04-03') IS NOT FALSE
    GROUP BY PERSONALCODE ORDER BY sum(COALESCE(COMBNVI, 0)) DESC, person_code LIMIT 15""").df()

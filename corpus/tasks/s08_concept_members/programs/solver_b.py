import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
parts = []
for d in ("2022-09-15", "2023-03-15"):
    parts.append(con.execute(f"""
WITH ls AS (
  SELECT INNERCODE, CHANGETYPE FROM lc_liststatus
  WHERE CHANGEDATE <= TIMESTAMP '{d}' AND INSERTTIME < TIMESTAMP '{d}' + INTERVAL 1 DAY
  QUALIFY row_number() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) = 1
)
SELECT DATE '{d}' AS obs_date, l.CONCEPTCODE AS concept_code, l.CONCEPTNAME AS concept,
       count(DISTINCT s.INNERCODE) AS members
FROM lc_conceptlist l
JOIN lc_coconcept c ON c.CONCEPTCODE = l.CONCEPTCODE
JOIN secumain s ON s.INNERCODE = c.INNERCODE
JOIN ls ON ls.INNERCODE = s.INNERCODE AND ls.CHANGETYPE IN (1, 3, 6)
WHERE l.CONCEPTCODE IN (8005, 8012, 8015, 8019, 8020, 8021, 8023)
  AND l.INFOPUBLDATE < TIMESTAMP '{d}' + INTERVAL 1 DAY AND l.BEGINDATE <= TIMESTAMP '{d}'
  AND (l.ENDDATE IS NULL OR l.ENDDATE > TIMESTAMP '{d}')
  AND c.INFOPUBLDATE < TIMESTAMP '{d}' + INTERVAL 1 DAY AND c.INDATE <= TIMESTAMP '{d}'
  AND (c.OUTDATE IS NULL OR c.OUTDATE > TIMESTAMP '{d}')
  AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
GROUP BY ALL
ORDER BY members DESC, concept_code
""").df())
result = pd.concat(parts, ignore_index=True)
result["concept_code"] = result["concept_code"].astype(int)

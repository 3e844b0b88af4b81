import duckdb

con = duckdb.connect("core.duckdb", read_only=True)
result = con.sql("""
    WITH obs(d) AS (VALUES (DATE '2022-09-15'), (DATE '2023-03-15')),
    uni AS (SELECT INNERCODE, LISTEDDATE FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6))
    SELECT d AS obs_date, k.CONCEPTCODE AS concept_code, k.CONCEPTNAME AS concept, COUNT(DISTINCT u.INNERCODE) AS members
    FROM obs, lc_conceptlist k JOIN lc_coconcept c USING (CONCEPTCODE) JOIN uni u ON u.INNERCODE = c.INNERCODE
    WHERE k.CONCEPTCODE IN (8005, 8012, 8015, 8019, 8020, 8021, 8023) AND u.LISTEDDATE <= d
      AND k.INFOPUBLDATE <= d AND k.BEGINDATE <= d AND (k.ENDDATE IS NULL OR k.ENDDATE > d)
      AND c.INFOPUBLDATE <= d AND c.INDATE <= d AND (c.OUTDATE IS NULL OR c.OUTDATE > d)
    GROUP BY ALL ORDER BY 1, 4 DESC, 2""").df()

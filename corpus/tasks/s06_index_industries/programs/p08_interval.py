import duckdb
import pandas as pd
from db_connector import query_to_dataframe as q

w = q("""SELECT x.ENDDATE, x.WEIGHT, s.COMPANYCODE, s.LISTEDSECTOR FROM lc_indexcomponentsweight x
         JOIN secumain s ON s.INNERCODE = x.INNERCODE JOIN secumain i ON i.INNERCODE = x.INDEXCODE AND i.SECUCODE = '000905' AND i.SECUCATEGORY = 4
         WHERE x.ENDDATE BETWEEN '2024-01-31' AND '2024-06-30'""")
main = q("SELECT COMPANYCODE, INFOPUBLDATE AS B, CANCELDATE AS E, FIRSTINDUSTRYNAME AS N, ID FROM lc_exgindustry WHERE STANDARD = 38")
star = q("SELECT COMPANYCODE, EFFECTIVEDATE AS B, CANCELDATE AS E, FIRSTINDUSTRYNAME AS N, ID FROM lc_stibexgindustry WHERE STANDARD = 38")
mem = duckdb.connect()
mem.register("w", w); mem.register("main", main); mem.register("star", star)
result = mem.sql("""
    WITH c AS (
      SELECT w.ENDDATE, w.COMPANYCODE, m.N, m.E FROM w JOIN main m ON m.COMPANYCODE = w.COMPANYCODE AND m.B <= w.ENDDATE
      WHERE w.LISTEDSECTOR <> 7 QUALIFY ROW_NUMBER() OVER (PARTITION BY w.ENDDATE, w.COMPANYCODE ORDER BY m.B DESC, m.ID DESC) = 1
      UNION ALL
      SELECT w.ENDDATE, w.COMPANYCODE, m.N, m.E FROM w JOIN star m ON m.COMPANYCODE = w.COMPANYCODE AND m.B <= w.ENDDATE
      WHERE w.LISTEDSECTOR = 7 QUALIFY ROW_NUMBER() OVER (PARTITION BY w.ENDDATE, w.COMPANYCODE ORDER BY m.B DESC, m.ID DESC) = 1),
    g AS (SELECT w.ENDDATE, coalesce(c.N, '未分类') AS industry, sum(w.WEIGHT) AS weight FROM w LEFT JOIN c
          ON c.ENDDATE = w.ENDDATE AND c.COMPANYCODE = w.COMPANYCODE AND (c.E IS NULL OR c.E > w.ENDDATE) GROUP BY ALL)
    SELECT ENDDATE AS weight_date, ROW_NUMBER() OVER (PARTITION BY ENDDATE ORDER BY weight DESC, industry) AS rnk, industry, round(weight, 4) AS weight
    FROM g QUALIFY rnk <= 3 ORDER BY 1, 2""").df()

import pandas as pd
from db_connector import query_to_dataframe as q

frames = []
for day, cut in (("2022-09-15", "2022-09-16"), ("2023-03-15", "2023-03-16")):
    frames.append(q(f"""
        SELECT k.CONCEPTCODE AS concept_code, k.CONCEPTNAME AS concept, COUNT(DISTINCT s.INNERCODE) AS members
        FROM lc_conceptlist k JOIN lc_coconcept c ON c.CONCEPTCODE = k.CONCEPTCODE JOIN secumain s ON s.INNERCODE = c.INNERCODE
        JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
              FROM lc_liststatus WHERE CHANGEDATE <= '{day}' AND INSERTTIME < '{cut}') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1 AND l.CHANGETYPE IN (1, 3, 6)
        WHERE k.CONCEPTCODE IN (8005, 8012, 8015, 8019, 8020, 8021, 8023) AND k.CONCEPTSTATE = 1 AND k.BEGINDATE <= '{day}' AND k.INFOPUBLDATE < '{cut}'
          AND c.INFOPUBLDATE < '{cut}' AND c.INDATE <= '{day}' AND (c.OUTDATE IS NULL OR c.OUTDATE > '{day}')
          AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
        GROUP BY k.CONCEPTCODE, k.CONCEPTNAME ORDER BY members DESC, concept_code""").assign(obs_date=pd.Timestamp(day)))
result = pd.concat(frames)[["obs_date", "concept_code", "concept", "members"]]

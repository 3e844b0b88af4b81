import pandas as pd
from db_connector import query_to_dataframe as q

stocks = q("""
    SELECT s.INNERCODE FROM secumain s JOIN (
      SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
      FROM lc_liststatus WHERE CHANGEDATE <= '2023-03-15' AND INSERTTIME < '2023-03-16') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1
    WHERE l.CHANGETYPE IN (1, 3, 6) AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)""").INNERCODE
names = q("SELECT CONCEPTCODE, CONCEPTNAME, BEGINDATE, ENDDATE, INFOPUBLDATE FROM lc_conceptlist WHERE CONCEPTCODE IN (8005, 8012, 8015, 8019, 8020, 8021, 8023)")
mem = q("SELECT INNERCODE, CONCEPTCODE, INDATE, OUTDATE, INFOPUBLDATE FROM lc_coconcept")
mem = mem[mem.INNERCODE.isin(stocks)]


def count(day):
    d = pd.Timestamp(day)
    k = names[(names.INFOPUBLDATE <= d) & (names.BEGINDATE <= d) & (names.ENDDATE.isna() | (names.ENDDATE > d))]
    m = mem[(mem.INFOPUBLDATE <= d) & (mem.INDATE <= d) & (mem.OUTDATE.isna() | (mem.OUTDATE > d))]
    n = m.merge(k[["CONCEPTCODE", "CONCEPTNAME"]], on="CONCEPTCODE").groupby(["CONCEPTCODE", "CONCEPTNAME"]).INNERCODE.nunique().reset_index()
    n.insert(0, "obs_date", d)
    return n.sort_values(["INNERCODE", "CONCEPTCODE"], ascending=[False, True])


result = pd.concat([count("2022-09-15"), count("2023-03-15")])
result.columns = ["obs_date", "concept_code", "concept", "members"]

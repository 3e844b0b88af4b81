import pandas as pd
from db_connector import query_to_dataframe

CONCEPTS = (8005, 8012, 8015, 8019, 8020, 8021, 8023)
con = query_to_dataframe(f"SELECT CONCEPTCODE, CONCEPTNAME, BEGINDATE, INFOPUBLDATE FROM lc_conceptlist WHERE CONCEPTCODE IN {CONCEPTS}")
mem = query_to_dataframe(f"""SELECT c.INNERCODE, c.CONCEPTCODE, c.INDATE, c.OUTDATE, c.INFOPUBLDATE FROM lc_coconcept c JOIN secumain s ON s.INNERCODE = c.INNERCODE
                             WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6) AND c.CONCEPTCODE IN {CONCEPTS}""")
ev = query_to_dataframe("SELECT ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME FROM lc_liststatus").sort_values(["CHANGEDATE", "INSERTTIME", "ID"])
out = []
for day in pd.to_datetime(["2022-09-15", "2023-03-15"]):
    cut = day + pd.Timedelta(days=1)
    state = ev[(ev.CHANGEDATE <= day) & (ev.INSERTTIME < cut)].groupby("INNERCODE").CHANGETYPE.last()
    live = con[(con.INFOPUBLDATE < cut) & (con.BEGINDATE <= day)]
    now = mem[(mem.INFOPUBLDATE < cut) & (mem.INDATE <= day) & ~(mem.OUTDATE <= day) & mem.INNERCODE.map(state).isin([1, 3, 6])]
    n = now.groupby("CONCEPTCODE").INNERCODE.nunique().rename("members").reset_index().merge(live[["CONCEPTCODE", "CONCEPTNAME"]], on="CONCEPTCODE")
    out.append(n.assign(obs_date=day).sort_values(["members", "CONCEPTCODE"], ascending=[False, True]))
result = pd.concat(out).rename(columns={"CONCEPTCODE": "concept_code", "CONCEPTNAME": "concept"})[["obs_date", "concept_code", "concept", "members"]]

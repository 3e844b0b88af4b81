import os
import pandas as pd
import psycopg

conn = psycopg.connect(host=os.environ["PGHOST"], port=os.environ["PGPORT"], user=os.environ["PGUSER"], password=os.environ.get("PGPASSWORD"), dbname=os.environ["PGDATABASE"])


def frame(sql):
    with conn.cursor() as cur:
        cur.execute(sql)
        return pd.DataFrame(cur.fetchall(), columns=[c.name.lower() for c in cur.description])


fin = frame("""SELECT DISTINCT ON (companycode) companycode, enddate, roettm, operatingrevenuegrowrate AS g FROM lc_mainindexnew
               WHERE infopubldate < '2024-05-06' ORDER BY companycode, enddate DESC""")
val = frame("SELECT DISTINCT ON (innercode) innercode, pe FROM lc_dindicesforvaluation WHERE tradingday < '2024-05-06' ORDER BY innercode, tradingday DESC")
ev = frame("""SELECT DISTINCT ON (innercode) innercode, changetype FROM lc_liststatus WHERE changedate <= '2024-05-06' AND inserttime < '2024-05-06'
              ORDER BY innercode, changedate DESC, inserttime DESC, id DESC""")
sec = frame("""SELECT innercode, companycode, secucode, secuabbr FROM secumain WHERE secucategory = 1 AND secumarket IN (83, 90) AND listedsector IN (1, 2, 6)
               AND listeddate <= DATE '2024-05-06' - INTERVAL '730 days'""")
df = sec.merge(ev, on="innercode").merge(fin, on="companycode").merge(val, on="innercode")
for c in ("changetype", "roettm", "g", "pe"):
    df[c] = pd.to_numeric(df[c])
df = df[df.changetype.isin([1, 3]) & (df.pe > 0) & (df.pe <= 30) & (df.roettm >= 6) & (df.g > 0)].sort_values(["pe", "secucode"]).head(15)
result = pd.DataFrame({"secu_code": df.secucode, "secu_abbr": df.secuabbr, "period": df.enddate, "roe_ttm": df.roettm.round(2), "rev_yoy": df.g.round(2), "pe": df.pe.round(2)})

import os
import pandas as pd
from sqlalchemy import create_engine, text

eng = create_engine(os.environ["DATABASE_URL"])
params = {"d": "2024-05-06"}

sql_fin = text("""
  SELECT COMPANYCODE, ENDDATE, ROETTM, OPERATINGREVENUEGROWRATE FROM (
    SELECT COMPANYCODE, ENDDATE, ROETTM, OPERATINGREVENUEGROWRATE, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY ENDDATE DESC) AS rn
    FROM lc_mainindexnew
    WHERE INFOPUBLDATE < :d AND ROETTM IS NOT NULL AND OPERATINGREVENUEGROWRATE IS NOT NULL) t WHERE rn = 1""")
sql_uni = text("""
  SELECT s.INNERCODE, s.COMPANYCODE, s.SECUCODE, s.SECUABBR
  FROM secumain s JOIN (
    SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
    FROM lc_liststatus WHERE CHANGEDATE <= :d AND INSERTTIME < :d) l ON l.INNERCODE = s.INNERCODE AND l.rn = 1
  WHERE l.CHANGETYPE IN (1, 3) AND s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6) AND DATEDIFF(:d, s.LISTEDDATE) >= 730""")
sql_val = text("""
  SELECT INNERCODE, PE FROM (SELECT INNERCODE, PE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY TRADINGDAY DESC) AS rn
    FROM lc_dindicesforvaluation WHERE TRADINGDAY < :d) t WHERE rn = 1""")
with eng.connect() as c:
    fin, uni, val = (pd.read_sql(q, c, params=params) for q in (sql_fin, sql_uni, sql_val))
df = uni.merge(fin, on="COMPANYCODE").merge(val, on="INNERCODE")
keep = (df.PE > 0) & (df.PE <= 30) & (df.ROETTM >= 6) & (df.OPERATINGREVENUEGROWRATE > 0)
df = df[keep].sort_values(["PE", "SECUCODE"]).head(15)
result = pd.DataFrame({"secu_code": df.SECUCODE, "secu_abbr": df.SECUABBR, "period": df.ENDDATE, "roe_ttm": df.ROETTM.round(2),
                       "rev_yoy": df.OPERATINGREVENUEGROWRATE.round(2), "pe": df.PE.round(2)})

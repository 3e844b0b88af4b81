import os
import pandas as pd
from datetime import date, timedelta
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
as_of = date(2024, 8, 31)
upper = (as_of + timedelta(days=1)).isoformat()


def read(sql):
    with engine.connect() as conn:
        return pd.read_sql(text(sql), conn)


def cumulative(period):
    sql = f"""
        SELECT COMPANYCODE, NETPROFITCUT FROM (
          SELECT COMPANYCODE, NETPROFITCUT,
                 ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_maindatanew WHERE MARK = 1 AND ENDDATE = '{period}' AND INFOPUBLDATE < '{upper}') t
        WHERE rn = 1"""
    return read(sql).set_index("COMPANYCODE")["NETPROFITCUT"].astype(float)


cur = cumulative("2024-06-30") - cumulative("2024-03-31")
base = cumulative("2023-06-30") - cumulative("2023-03-31")
yoy = (cur / base.where(base > 0) - 1).dropna() * 100

universe = read(f"""
    SELECT s.SECUCODE AS secu_code, s.SECUABBR AS secu_abbr, s.COMPANYCODE, i.FIRSTINDUSTRYNAME AS industry
    FROM secumain s
    JOIN (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_liststatus WHERE CHANGEDATE <= '{as_of}' AND INSERTTIME < '{upper}') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1 AND l.CHANGETYPE IN (1, 3, 6)
    JOIN (SELECT COMPANYCODE, FIRSTINDUSTRYNAME, CANCELDATE, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM lc_exgindustry WHERE STANDARD = 38 AND INFOPUBLDATE < '{upper}') i ON i.COMPANYCODE = s.COMPANYCODE AND i.rn = 1
    WHERE s.SECUCATEGORY = 1 AND s.SECUMARKET IN (83, 90) AND s.LISTEDSECTOR IN (1, 2, 6)
      AND (i.CANCELDATE IS NULL OR i.CANCELDATE > '{as_of}')
      AND i.FIRSTINDUSTRYNAME NOT IN ('银行', '非银金融')""")
universe["cur_yoy"] = universe["COMPANYCODE"].map(yoy)
universe = universe[universe["cur_yoy"] > 20].sort_values(["cur_yoy", "secu_code"], ascending=[False, True])
result = universe[["secu_code", "secu_abbr", "industry", "cur_yoy"]].round({"cur_yoy": 2})

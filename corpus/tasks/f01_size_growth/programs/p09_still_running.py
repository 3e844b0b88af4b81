import os
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
SQL = """
SELECT f.SECURITYCODE AS fund_code, s.SECUABBR AS fund_abbr, t.CANCELDATE, t.SECASSETCATCODE, a.COMBNVI AS v0, b.COMBNVI AS v1
FROM mf_fundarchives f
JOIN secumain s ON s.INNERCODE = f.INNERCODE
JOIN (SELECT INNERCODE, CANCELDATE, SECASSETCATCODE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY EFFECTIVEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
      FROM mf_jyfundtype WHERE STANDARD = 75 AND EFFECTIVEDATE <= '2024-07-31' AND INSERTTIME < '2024-08-01') t ON t.INNERCODE = f.INNERCODE AND t.rn = 1
JOIN (SELECT INNERCODE, COMBNVI, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY INSERTTIME DESC, ID DESC) AS rn
      FROM mf_scaleanalysis WHERE ENDDATE = '2023-06-30' AND INSERTTIME < '2024-08-01') a ON a.INNERCODE = f.INNERCODE AND a.rn = 1
JOIN (SELECT INNERCODE, COMBNVI, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY INSERTTIME DESC, ID DESC) AS rn
      FROM mf_scaleanalysis WHERE ENDDATE = '2024-06-30' AND INSERTTIME < '2024-08-01') b ON b.INNERCODE = f.INNERCODE AND b.rn = 1
WHERE f.MAINCODE = f.SECURITYCODE AND f.EXPIREDATE IS NULL AND f.ESTABLISHMENTDATE <= '2024-07-31'
"""
with engine.connect() as conn:
    df = pd.read_sql(text(SQL), conn)
df["v0"], df["v1"] = df.v0.astype(float), df.v1.astype(float)
df = df[(df.SECASSETCATCODE.astype(float) == 1201) & (df.CANCELDATE.isna() | (pd.to_datetime(df.CANCELDATE) > "2024-07-31"))]
df = df[(df.v0 >= 1e8) & (df.v1 >= 1e8)]
df["growth"] = (df.v1 / df.v0 - 1) * 100
df = df.sort_values(["growth", "fund_code"], ascending=[False, True]).head(10)
result = df.assign(size0=(df.v0 / 1e8).round(2), size1=(df.v1 / 1e8).round(2), growth=df.growth.round(2))[["fund_code", "fund_abbr", "size0", "size1", "growth"]]

import pandas as pd
from db_connector import query_to_dataframe

idx = int(query_to_dataframe("SELECT INNERCODE FROM secumain WHERE SECUCODE = '000905' AND SECUCATEGORY = 4").INNERCODE[0])
dates = query_to_dataframe(f"SELECT DISTINCT ENDDATE FROM lc_indexcomponentsweight WHERE INDEXCODE = {idx} AND ENDDATE BETWEEN '2024-01-31' AND '2024-06-30'").ENDDATE
parts = []
for d in sorted(dates):
    day, cut = f"{d:%Y-%m-%d}", f"{d + pd.Timedelta(days=1):%Y-%m-%d}"
    part = query_to_dataframe(f"""
        WITH a AS (SELECT COMPANYCODE, FIRSTINDUSTRYNAME, CANCELDATE, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
                   FROM lc_exgindustry WHERE STANDARD = 38 AND INFOPUBLDATE < '{cut}'),
             k AS (SELECT COMPANYCODE, FIRSTINDUSTRYNAME, CANCELDATE, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY EFFECTIVEDATE DESC, INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
                   FROM lc_stibexgindustry WHERE STANDARD = 38 AND INFOPUBLDATE < '{cut}' AND EFFECTIVEDATE <= '{day}'),
             c AS (SELECT COMPANYCODE, FIRSTINDUSTRYNAME FROM a WHERE rn = 1
                   UNION ALL
                   SELECT COMPANYCODE, FIRSTINDUSTRYNAME FROM k WHERE rn = 1)
        SELECT w.ENDDATE AS weight_date, COALESCE(c.FIRSTINDUSTRYNAME, '未分类') AS industry, SUM(w.WEIGHT) AS weight
        FROM lc_indexcomponentsweight w JOIN secumain s ON s.INNERCODE = w.INNERCODE LEFT JOIN c ON c.COMPANYCODE = s.COMPANYCODE
        WHERE w.INDEXCODE = {idx} AND w.ENDDATE = '{day}'
        GROUP BY w.ENDDATE, COALESCE(c.FIRSTINDUSTRYNAME, '未分类')""").sort_values(["weight", "industry"], ascending=[False, True]).head(3)
    parts.append(part.assign(rnk=range(1, len(part) + 1)))
result = pd.concat(parts)[["weight_date", "rnk", "industry", "weight"]].round(4)

import pandas as pd
from db_connector import query_to_dataframe

END, NEXT = "2024-06-30", "2024-07-01"
ind = query_to_dataframe(f"""
    SELECT COMPANYCODE, FIRSTINDUSTRYNAME FROM (
      SELECT COMPANYCODE, FIRSTINDUSTRYNAME, CANCELDATE, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
      FROM lc_exgindustry WHERE STANDARD = 38 AND INFOPUBLDATE < '{NEXT}') a WHERE rn = 1 AND (CANCELDATE IS NULL OR CANCELDATE > '{END}')
    UNION ALL
    SELECT COMPANYCODE, FIRSTINDUSTRYNAME FROM (
      SELECT COMPANYCODE, FIRSTINDUSTRYNAME, CANCELDATE, ROW_NUMBER() OVER (PARTITION BY COMPANYCODE ORDER BY EFFECTIVEDATE DESC, INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) AS rn
      FROM lc_stibexgindustry WHERE STANDARD = 38 AND INFOPUBLDATE < '{NEXT}' AND EFFECTIVEDATE <= '{END}') b WHERE rn = 1 AND (CANCELDATE IS NULL OR CANCELDATE > '{END}')""")
w = query_to_dataframe(f"""
    SELECT x.ENDDATE, x.WEIGHT, s.COMPANYCODE FROM lc_indexcomponentsweight x
    JOIN secumain s ON s.INNERCODE = x.INNERCODE JOIN secumain i ON i.INNERCODE = x.INDEXCODE
    WHERE i.SECUCODE = '000905' AND i.SECUCATEGORY = 4 AND x.ENDDATE BETWEEN '2024-01-31' AND '{END}'""")
w["industry"] = w.COMPANYCODE.map(ind.set_index("COMPANYCODE").FIRSTINDUSTRYNAME).fillna("未分类")
frames = []
for d, part in w.groupby("ENDDATE"):
    top = part.groupby("industry").WEIGHT.sum().reset_index().sort_values(["WEIGHT", "industry"], ascending=[False, True]).head(3)
    frames.append(pd.DataFrame({"weight_date": d, "rnk": range(1, len(top) + 1), "industry": top.industry.values, "weight": top.WEIGHT.round(4).values}))
result = pd.concat(frames, ignore_index=True)

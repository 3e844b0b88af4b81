import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
w = con.execute("""
SELECT w.ENDDATE AS d, w.WEIGHT::DOUBLE AS weight, s.COMPANYCODE, s.LISTEDSECTOR
FROM lc_indexcomponentsweight w
JOIN secumain i ON i.INNERCODE = w.INDEXCODE AND i.SECUCODE = '000905' AND i.SECUCATEGORY = 4
JOIN secumain s ON s.INNERCODE = w.INNERCODE
WHERE w.ENDDATE BETWEEN TIMESTAMP '2024-01-31' AND TIMESTAMP '2024-06-30'
""").df()
ex = con.execute("""SELECT ID, COMPANYCODE, INFOPUBLDATE, CANCELDATE, FIRSTINDUSTRYNAME AS industry
FROM lc_exgindustry WHERE STANDARD = 38""").df()
sx = con.execute("""SELECT ID, COMPANYCODE, INFOPUBLDATE, EFFECTIVEDATE, CANCELDATE, FIRSTINDUSTRYNAME AS industry
FROM lc_stibexgindustry WHERE STANDARD = 38""").df()

parts = []
for d, g in w.groupby("d"):
    end = d + pd.Timedelta(days=1)
    a = ex[ex["INFOPUBLDATE"] < end].sort_values(["INFOPUBLDATE", "ID"]).drop_duplicates("COMPANYCODE", keep="last")
    b = sx[(sx["INFOPUBLDATE"] < end) & (sx["EFFECTIVEDATE"] <= d)]
    b = b.sort_values(["EFFECTIVEDATE", "INFOPUBLDATE", "ID"]).drop_duplicates("COMPANYCODE", keep="last")
    cols = ["COMPANYCODE", "CANCELDATE", "industry"]
    star = g["LISTEDSECTOR"] == 7
    x = pd.concat([g[~star].merge(a[cols], on="COMPANYCODE", how="left"),
                   g[star].merge(b[cols], on="COMPANYCODE", how="left")])
    x.loc[x["CANCELDATE"].notna() & (x["CANCELDATE"] <= d), "industry"] = None
    x["industry"] = x["industry"].fillna("未分类")
    t = x.groupby("industry", as_index=False)["weight"].sum()
    t["weight"] = t["weight"].round(8)
    t = t.sort_values(["weight", "industry"], ascending=[False, True]).head(3)
    t.insert(0, "rnk", range(1, len(t) + 1))
    t.insert(0, "weight_date", d.date())
    parts.append(t)
result = pd.concat(parts, ignore_index=True)
result["weight"] = result["weight"].round(4)

import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
sec = con.sql("SELECT INNERCODE, COMPANYCODE, LISTEDSECTOR FROM secumain WHERE SECUCATEGORY = 1").df()
w = con.sql("""SELECT ENDDATE, INNERCODE, CAST(WEIGHT AS DOUBLE) AS WEIGHT FROM lc_indexcomponentsweight
               WHERE INDEXCODE = (SELECT INNERCODE FROM secumain WHERE SECUCODE = '000905' AND SECUCATEGORY = 4)""").df()
w = w[w.ENDDATE.between("2024-01-31", "2024-06-30")].merge(sec, on="INNERCODE")
a = con.sql("SELECT COMPANYCODE, INFOPUBLDATE, INFOPUBLDATE AS START, CANCELDATE, IFPERFORMED AS NOW, FIRSTINDUSTRYNAME, INSERTTIME, ID FROM lc_exgindustry WHERE STANDARD = 38").df()
k = con.sql("SELECT COMPANYCODE, INFOPUBLDATE, EFFECTIVEDATE AS START, CANCELDATE, IFEXECUTED AS NOW, FIRSTINDUSTRYNAME, INSERTTIME, ID FROM lc_stibexgindustry WHERE STANDARD = 38").df()
star = w.LISTEDSECTOR == 7
m = pd.concat([w[~star].merge(a, on="COMPANYCODE"), w[star].merge(k, on="COMPANYCODE")])
m = m[(m.INFOPUBLDATE <= m.ENDDATE) & (m.START <= m.ENDDATE)]
m = m.sort_values(["START", "INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates(["ENDDATE", "INNERCODE"], keep="last")
m = m[~(m.CANCELDATE <= m.ENDDATE)]
x = w.merge(m[["ENDDATE", "INNERCODE", "FIRSTINDUSTRYNAME"]], on=["ENDDATE", "INNERCODE"], how="left")
x["industry"] = x.FIRSTINDUSTRYNAME.fillna("未分类")
g = x.groupby(["ENDDATE", "industry"], as_index=False).WEIGHT.sum().sort_values(["ENDDATE", "WEIGHT", "industry"], ascending=[True, False, True])
g["rnk"] = g.groupby("ENDDATE").cumcount() + 1
result = g[g.rnk <= 3].rename(columns={"ENDDATE": "weight_date", "WEIGHT": "weight"})[["weight_date", "rnk", "industry", "weight"]].round(4)

# 基金经理在管规模排名
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
D = "2023-04-03"
m = con.sql(f"""
    select m.PERSONALCODE, m.INNERCODE, m.ACCESSIONDATE
    from mf_fundmanagernew m join mf_fundarchives f on f.INNERCODE = m.INNERCODE
    where m.POSTNAME = 1 and m.ACCESSIONDATE <= '{D}'
      and m.INFOPUBLDATE <= '{D}'
      and (m.DIMISSIONDATE is null or m.DIMISSIONDATE > '{D}')
      and f.MAINCODE = f.SECURITYCODE and f.ESTABLISHMENTDATE <= '{D}'
      and (f.EXPIREDATE is null or f.EXPIREDATE > '{D}')
""").df()
s = con.sql("""
    select INNERCODE, ENDDATE, COMBNVI, INSERTTIME from mf_scaleanalysis where ENDDATE <= '2023-03-31'
""").df()
# 取最近一个季末
s = s.sort_values(["ENDDATE", "INSERTTIME"]).groupby("INNERCODE").last().reset_index()
x = m.merge(s[["INNERCODE", "COMBNVI"]], on="INNERCODE", how="left")
x["COMBNVI"] = x.COMBNVI.fillna(0)
g = x.groupby("PERSONALCODE").agg(funds=("INNERCODE", "nunique"), size=("COMBNVI", "sum"), first_start=("ACCESSIONDATE", "min")).reset_index()
g = g.sort_values(["size", "PERSONALCODE"], ascending=[False, True]).head(15)
g["size"] = (g["size"] / 1e8).round(2)
g["first_start"] = g.first_start.dt.date
g["PERSONALCODE"] = g.PERSONALCODE.astype("int64")
result = g.rename(columns={"PERSONALCODE": "person_code"}).reset_index(drop=True)

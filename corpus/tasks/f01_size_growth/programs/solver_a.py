# 偏股混合基金一年规模增速
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)

funds = con.sql("""
    select f.INNERCODE, f.SECURITYCODE as fund_code, s.SECUABBR as fund_abbr
    from mf_fundarchives f join secumain s on s.INNERCODE = f.INNERCODE
    where f.MAINCODE = f.SECURITYCODE and f.ESTABLISHMENTDATE <= '2024-07-31'
      and (f.EXPIREDATE is null or f.EXPIREDATE > '2024-07-31')
""").df()

typ = con.sql("""
    select INNERCODE, EFFECTIVEDATE, INSERTTIME from mf_jyfundtype
    where STANDARD = 75 and SECASSETCATCODE = 1201
      and IFEFFECTED = 1 and EFFECTIVEDATE <= '2024-07-31'
""").df()
funds = funds[funds.INNERCODE.isin(typ.INNERCODE)]

size = con.sql("""
    select INNERCODE, ENDDATE, COMBNVI, INSERTTIME from mf_scaleanalysis
    where ENDDATE in ('2023-06-30', '2024-06-30') and INSERTTIME < '2024-08-01'
""").df()
size = size.sort_values("INSERTTIME").drop_duplicates(["INNERCODE", "ENDDATE"], keep="last")
wide = size.pivot(index="INNERCODE", columns="ENDDATE", values="COMBNVI")
wide.columns = ["s0", "s1"]

df = funds.merge(wide, left_on="INNERCODE", right_index=True).dropna(subset=["s0", "s1"])
df = df[(df.s0 >= 1e8) & (df.s1 >= 1e8)].copy()
df["g"] = df.s1 / df.s0 - 1
df = df.sort_values(["g", "fund_code"], ascending=[False, True]).head(10)
result = pd.DataFrame({
    "fund_code": df.fund_code, "fund_abbr": df.fund_abbr,
    "size0": (df.s0 / 1e8).round(2), "size1": (df.s1 / 1e8).round(2),
    "growth": (df.g * 100).round(2),
}).reset_index(drop=True)

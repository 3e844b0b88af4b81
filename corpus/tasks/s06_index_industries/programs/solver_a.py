# 中证500 各权重日前3大申万一级行业
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
w = con.sql("""
  select x.ENDDATE as d, s.COMPANYCODE, s.LISTEDSECTOR = 7 as star, x.WEIGHT::double as w
  from lc_indexcomponentsweight x join secumain s on s.INNERCODE = x.INNERCODE
  where x.INDEXCODE = (select INNERCODE from secumain where SECUCODE = '000905' and SECUCATEGORY = 4)
    and x.ENDDATE >= timestamp '2024-01-31' and x.ENDDATE < timestamp '2024-07-01'
""").df()
w["star"] = w.star.fillna(False).astype(bool)

EX = """select COMPANYCODE, FIRSTINDUSTRYNAME as ind, CANCELDATE from lc_exgindustry
        where STANDARD = 38 and INFOPUBLDATE < $nx::timestamp
        qualify row_number() over (partition by COMPANYCODE order by INFOPUBLDATE desc, INSERTTIME desc, ID desc) = 1"""
SB = """select COMPANYCODE, FIRSTINDUSTRYNAME as ind, CANCELDATE from lc_stibexgindustry
        where STANDARD = 38 and INFOPUBLDATE < $nx::timestamp and EFFECTIVEDATE < $nx::timestamp
        qualify row_number() over (partition by COMPANYCODE order by EFFECTIVEDATE desc, INFOPUBLDATE desc, INSERTTIME desc, ID desc) = 1"""

out = []
for d, g in w.groupby("d"):
    nx = str(d + pd.Timedelta(days=1))
    maps = {}
    for star, sql in ((False, EX), (True, SB)):
        t = con.execute(sql, {"nx": nx}).df()
        t = t[t.CANCELDATE.isna() | (t.CANCELDATE > d)]   # 先取版本，再看取消
        maps[star] = dict(zip(t.COMPANYCODE, t.ind))
    g = g.copy()
    g["industry"] = [maps[s].get(c) or "未分类" for s, c in zip(g.star, g.COMPANYCODE)]
    a = g.groupby("industry", as_index=False).w.sum()
    a["w"] = a.w.round(10)
    a = a.sort_values(["w", "industry"], ascending=[False, True]).head(3).reset_index(drop=True)
    a["weight_date"] = d.date()
    a["rnk"] = a.index + 1
    a["weight"] = a.w.round(4)
    out.append(a[["weight_date", "rnk", "industry", "weight"]])
result = pd.concat(out, ignore_index=True)

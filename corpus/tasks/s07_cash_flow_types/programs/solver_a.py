# 沪深300/中证500 现金流类型分布
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
c = con.sql("""
    select i.SECUCODE as index_code, s.COMPANYCODE
    from lc_indexcomponent k
    join secumain i on i.INNERCODE = k.INDEXINNERCODE
    join secumain s on s.INNERCODE = k.SECUINNERCODE
    where i.SECUCODE in ('000300', '000905') and k.INDATE <= '2024-04-26'
      and (k.OUTDATE is null or k.OUTDATE > '2024-04-26')
""").df()
f = con.sql("""
    select COMPANYCODE, INFOPUBLDATE, NETOPERATECASHFLOW as o, NETINVESTCASHFLOW as i, NETFINANCECASHFLOW as f, OPERATINGREENUE as rev
    from lc_maindatanew where MARK = 1 and ENDDATE = '2023-12-31'
""").df()
f = f.sort_values("INFOPUBLDATE").drop_duplicates("COMPANYCODE", keep="last")

def kind(r):
    if r.o > 0 and r.i < 0:
        return "内生" if r.f < 0 else "扩张"
    if r.o > 0 and r.i > 0 and r.f < 0:
        return "收缩"
    return "其他"

d = c.merge(f, on="COMPANYCODE")
d["kind"] = d.apply(kind, axis=1)
g = d.groupby(["index_code", "kind"]).agg(n=("rev", "size"), revenue=("rev", "sum")).reset_index()
g["revenue"] = (g.revenue / 1e8).round(2)
result = g.sort_values(["index_code", "n", "kind"], ascending=[True, False, True]).reset_index(drop=True)

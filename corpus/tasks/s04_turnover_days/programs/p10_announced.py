import pandas as pd
from db_connector import query_to_dataframe as q

D = pd.Timestamp(2024, 10, 31)
cut = D + pd.Timedelta(days=1)
m = q("""SELECT c.INDATE, c.OUTDATE, s.INNERCODE, s.COMPANYCODE, s.SECUCODE, s.SECUABBR FROM lc_indexcomponent c
         JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE
         WHERE i.SECUCODE = '000852' AND i.SECUCATEGORY = 4""")
m = m[(m.INDATE <= D) & (m.OUTDATE.isna() | (m.OUTDATE > D))]
r = q("SELECT INNERCODE, RISKALERTTYPE, IMPLANNOUCEDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
r = r[(r.IMPLANNOUCEDATE < cut) & ~((r.REMOVEINFOPUBLDATE < cut) & (r.REMOVEDATE <= D))]
m = m[~m.INNERCODE.isin(r.INNERCODE)]
f = q("SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, ARTDAYS, INVENTORYTDAYS FROM lc_qfinancialindexnew WHERE MARK = 1")
f = f[f.INFOPUBLDATE < cut].assign(days=f.ARTDAYS + f.INVENTORYTDAYS)
f["y"], f["md"] = f.ENDDATE.dt.year, f.ENDDATE.dt.strftime("%m%d")
top = f.sort_values("ENDDATE").drop_duplicates("COMPANYCODE", keep="last")
prev = f[["COMPANYCODE", "y", "md", "days"]].rename(columns={"days": "base"}).assign(y=f.y + 1)
x = m.merge(top[["COMPANYCODE", "ENDDATE", "days", "y", "md"]], on="COMPANYCODE").merge(prev, on=["COMPANYCODE", "y", "md"])
x["change"] = x.days - x.base
x = x[x.change < -5].sort_values(["change", "SECUCODE"])
result = x[["SECUCODE", "SECUABBR", "ENDDATE", "days", "change"]].round(1)
result.columns = ["secu_code", "secu_abbr", "latest_q", "days", "change"]

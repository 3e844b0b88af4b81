import numpy as np
import pandas as pd
from db_connector import query_to_dataframe

as_of = pd.Timestamp("2024-04-26")
sec = query_to_dataframe("SELECT INNERCODE, COMPANYCODE, SECUCODE, SECUCATEGORY FROM secumain")
idx = sec[(sec.SECUCATEGORY == 4) & sec.SECUCODE.isin(["000300", "000905"])].set_index("INNERCODE").SECUCODE
comp = query_to_dataframe("SELECT INDEXINNERCODE, SECUINNERCODE, INDATE, OUTDATE FROM lc_indexcomponent")
comp = comp[comp.INDEXINNERCODE.isin(idx.index) & (comp.INDATE <= as_of)]
comp = comp[comp.OUTDATE.fillna(pd.Timestamp.max) >= as_of]
comp["index_code"] = comp.INDEXINNERCODE.map(idx)
comp["COMPANYCODE"] = comp.SECUINNERCODE.map(sec.set_index("INNERCODE").COMPANYCODE)

md = query_to_dataframe("""SELECT ID, COMPANYCODE, INFOPUBLDATE, INSERTTIME, NETOPERATECASHFLOW AS o, NETINVESTCASHFLOW AS i, NETFINANCECASHFLOW AS f, OPERATINGREENUE AS rev
                           FROM lc_maindatanew WHERE MARK = 1 AND ENDDATE = '2023-12-31'""")
known = md["INFOPUBLDATE"].dt.normalize().le(as_of)
md = md[known].sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).groupby("COMPANYCODE").tail(1).dropna(subset=["o", "i", "f"])
df = comp.merge(md, on="COMPANYCODE")
df["kind"] = np.select([(df.o > 0) & (df.i < 0) & (df.f < 0), (df.o > 0) & (df.i < 0) & (df.f > 0), (df.o > 0) & (df.i > 0) & (df.f < 0)], ["内生", "扩张", "收缩"], "其他")
result = df.groupby(["index_code", "kind"]).agg(n=("rev", "size"), revenue=("rev", "sum")).reset_index()
result["revenue"] = (result.revenue / 1e8).round(2)
result = result.sort_values(["index_code", "n", "kind"], ascending=[True, False, True])

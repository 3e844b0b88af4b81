import pandas as pd
from db_connector import query_to_dataframe

D = pd.Timestamp("2024-10-31")
idx = query_to_dataframe("SELECT INNERCODE FROM secumain WHERE SECUCODE = '000852' AND SECUCATEGORY = 4").INNERCODE.iloc[0]
mem = query_to_dataframe(f"SELECT SECUINNERCODE, INDATE, OUTDATE, FLAG FROM lc_indexcomponent WHERE INDEXINNERCODE = {int(idx)}")
mem = mem[(mem.INDATE <= D) & ~(mem.OUTDATE <= D)]
sec = query_to_dataframe("SELECT INNERCODE, COMPANYCODE, SECUCODE, SECUABBR FROM secumain WHERE SECUCATEGORY = 1")
sec = sec[sec.INNERCODE.isin(mem.SECUINNERCODE)]

st = query_to_dataframe("SELECT * FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14)")
st = st[(st.IMPLANNOUCEDATE.dt.normalize() <= D) & (st.IMPLEMENTDATE <= D)]
lifted = (st.REMOVEINFOPUBLDATE <= D) & (st.REMOVEDATE <= D)
sec = sec[~sec.INNERCODE.isin(st[~lifted].INNERCODE)]

q = query_to_dataframe("SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, ARTDAYS, INVENTORYTDAYS FROM lc_qfinancialindexnew WHERE MARK = 1")
q = q[q.INFOPUBLDATE < D + pd.Timedelta("1D")].assign(days=lambda t: t.ARTDAYS + t.INVENTORYTDAYS, m=lambda t: t.ENDDATE.dt.year * 12 + t.ENDDATE.dt.month)
last = q.sort_values("ENDDATE").groupby("COMPANYCODE").tail(1)
base = q[["COMPANYCODE", "m", "days"]].assign(m=q.m + 12).rename(columns={"days": "base"})
df = sec.merge(last, on="COMPANYCODE").merge(base, on=["COMPANYCODE", "m"])
df["change"] = df.days - df.base
df = df[df.change < -5].sort_values(["change", "SECUCODE"])
result = df[["SECUCODE", "SECUABBR", "ENDDATE", "days", "change"]].round(1).set_axis(["secu_code", "secu_abbr", "latest_q", "days", "change"], axis=1)

import pandas as pd
from db_connector import query_to_dataframe as q

D = pd.Timestamp("2024-08-31")
CUT = D + pd.Timedelta(days=1)

sec = q("SELECT INNERCODE, COMPANYCODE, SECUCODE, SECUABBR, SECUMARKET, LISTEDSECTOR FROM secumain WHERE SECUCATEGORY = 1")
sec = sec[sec.SECUMARKET.isin([83, 90]) & sec.LISTEDSECTOR.isin([1, 2, 6])]

ev = q("SELECT ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME FROM lc_liststatus")
ev = ev[(ev.CHANGEDATE <= D) & (ev.INSERTTIME < CUT)].sort_values(["CHANGEDATE", "INSERTTIME", "ID"])
last = ev.drop_duplicates("INNERCODE", keep="last")
listed = set(last.loc[last.CHANGETYPE.isin([1, 3, 6]), "INNERCODE"])

st = q("SELECT INNERCODE, RISKALERTTYPE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE FROM cs_riskalert")
st = st[st.RISKALERTTYPE.isin([1, 5, 12, 14])]
begun = (st.IMPLANNOUCEDATE < CUT) & (st.IMPLEMENTDATE <= D)
over = (st.REMOVEDATE <= D) & (st.REMOVEINFOPUBLDATE < CUT)
alerted = set(st.loc[begun & ~over, "INNERCODE"])

ind = q("SELECT ID, COMPANYCODE, INFOPUBLDATE, CANCELDATE, FIRSTINDUSTRYNAME, INSERTTIME FROM lc_exgindustry WHERE STANDARD = 38")
ind = ind[ind.INFOPUBLDATE < CUT].sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).groupby("COMPANYCODE").tail(1)
ind = ind[ind.CANCELDATE.isna() | (ind.CANCELDATE > D)]
ind = ind[~ind.FIRSTINDUSTRYNAME.isin(["银行", "非银金融"])]

md = q("SELECT ID, COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, NETPROFITCUT FROM lc_maindatanew WHERE MARK = 1 AND ENDDATE >= '2023-03-31'")
md = md[md.INFOPUBLDATE < CUT].sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates(["COMPANYCODE", "ENDDATE"], keep="last")
w = md.pivot(index="COMPANYCODE", columns="ENDDATE", values="NETPROFITCUT")
cur = w[pd.Timestamp("2024-06-30")] - w[pd.Timestamp("2024-03-31")]
base = w[pd.Timestamp("2023-06-30")] - w[pd.Timestamp("2023-03-31")]
yoy = ((cur / base - 1) * 100)[base > 0].dropna().rename("yoy").reset_index()

out = sec[sec.INNERCODE.isin(listed) & ~sec.INNERCODE.isin(alerted)].merge(ind[["COMPANYCODE", "FIRSTINDUSTRYNAME"]], on="COMPANYCODE").merge(yoy, on="COMPANYCODE")
out = out[out.yoy > 20].sort_values(["yoy", "SECUCODE"], ascending=[False, True])
result = pd.DataFrame({"secu_code": out.SECUCODE, "secu_abbr": out.SECUABBR, "industry": out.FIRSTINDUSTRYNAME, "cur_yoy": out.yoy.round(2)}).reset_index(drop=True)

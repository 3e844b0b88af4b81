import pandas as pd
from db_connector import query_to_dataframe as qd

as_of = pd.Timestamp("2024-05-06")
events = qd("SELECT INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME, ID FROM lc_liststatus")
events = events[(events.CHANGEDATE <= as_of) & (events.INSERTTIME < as_of)].sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).groupby("INNERCODE").tail(1)
ok = events[events.CHANGETYPE.isin([1, 3])].INNERCODE
sec = qd("SELECT * FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6)")
sec = sec[sec.INNERCODE.isin(ok) & (sec.LISTEDDATE <= as_of - pd.Timedelta(days=730))]
fin = qd("SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, ROETTM, OPERATINGREVENUEGROWRATE FROM lc_mainindexnew")
fin = fin[fin.INFOPUBLDATE <= as_of].sort_values("ENDDATE").groupby("COMPANYCODE").tail(1)
val = qd("SELECT INNERCODE, TRADINGDAY, PE FROM lc_dindicesforvaluation WHERE TRADINGDAY < '2024-05-06' AND TRADINGDAY > '2023-12-31'")
val = val.sort_values("TRADINGDAY").groupby("INNERCODE").tail(1)
m = sec.merge(fin, on="COMPANYCODE").merge(val, on="INNERCODE")
m = m[m.PE.between(0, 30, inclusive="right") & m.ROETTM.ge(6) & m.OPERATINGREVENUEGROWRATE.gt(0)].sort_values(["PE", "SECUCODE"]).head(15)
result = m[["SECUCODE", "SECUABBR", "ENDDATE", "ROETTM", "OPERATINGREVENUEGROWRATE", "PE"]].round(2).set_axis(
    ["secu_code", "secu_abbr", "period", "roe_ttm", "rev_yoy", "pe"], axis=1)

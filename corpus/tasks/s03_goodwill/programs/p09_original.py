import pandas as pd
from db_connector import query_to_dataframe as q

cut = pd.Timestamp("2024-05-21")
bs = q("SELECT ID, COMPANYCODE, INFOPUBLDATE, IFADJUSTED, GOODWILL, SEWITHOUTMI FROM lc_balancesheetall WHERE IFMERGED = 1 AND ENDDATE = '2023-12-31'")
bs = bs[(bs.IFADJUSTED == 2) & (bs.INFOPUBLDATE < cut)].sort_values(["INFOPUBLDATE", "ID"]).drop_duplicates("COMPANYCODE", keep="last")
op = q("SELECT ID, COMPANYCODE, INFOPUBLDATE, OPINIONTYPE FROM lc_auditopinion WHERE AUDITREPORTSTYPE = 1 AND ENDDATE = '2023-12-31'")
op = op[op.INFOPUBLDATE < cut].sort_values(["INFOPUBLDATE", "ID"]).drop_duplicates("COMPANYCODE", keep="last")
ls = q("SELECT ID, INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME FROM lc_liststatus")
ls = ls[(ls.CHANGEDATE < cut) & (ls.INSERTTIME < cut)].sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last")
sec = q("SELECT INNERCODE, COMPANYCODE, SECUCODE AS secu_code, SECUABBR AS secu_abbr FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6, 7)")
df = (sec.merge(ls.loc[ls.CHANGETYPE.isin([1, 3, 6]), ["INNERCODE"]]).merge(bs, on="COMPANYCODE")
         .merge(op.loc[op.OPINIONTYPE == 1, ["COMPANYCODE"]], on="COMPANYCODE"))
df["ratio"] = df.GOODWILL / df.SEWITHOUTMI * 100
df = df[(df.SEWITHOUTMI > 0) & (df.ratio > 1)].sort_values(["ratio", "secu_code"], ascending=[False, True])
df["goodwill"], df["equity"] = df.GOODWILL / 1e8, df.SEWITHOUTMI / 1e8
result = df[["secu_code", "secu_abbr", "goodwill", "equity", "ratio"]].round(2)

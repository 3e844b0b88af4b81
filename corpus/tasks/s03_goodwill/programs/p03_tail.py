import pandas as pd
from db_connector import query_to_dataframe

CUT = pd.Timestamp(2024, 5, 20).normalize() + pd.DateOffset(days=1)


def latest(frame, by, order):
    known = frame[frame["INFOPUBLDATE"].notna() & (frame["INFOPUBLDATE"] < CUT)]
    return known.sort_values(order).groupby(by).tail(1)


bs = query_to_dataframe("SELECT ID, COMPANYCODE, INFOPUBLDATE, INSERTTIME, IFADJUSTED, GOODWILL, SEWITHOUTMI FROM lc_balancesheetall WHERE IFMERGED = 1 AND ENDDATE = '2023-12-31'")
op = query_to_dataframe("SELECT ID, COMPANYCODE, INFOPUBLDATE, OPINIONTYPE FROM lc_auditopinion WHERE AUDITREPORTSTYPE = 1 AND ENDDATE = '2023-12-31'")
bs = latest(bs, "COMPANYCODE", ["INFOPUBLDATE", "INSERTTIME", "ID"])
op = latest(op, "COMPANYCODE", ["INFOPUBLDATE", "ID"])
op = op[op.OPINIONTYPE == 1]

ls = query_to_dataframe("SELECT INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME, ID FROM lc_liststatus")
ls = ls[(ls.CHANGEDATE < CUT) & (ls.INSERTTIME < CUT)].sort_values(["CHANGEDATE", "INSERTTIME", "ID"]).groupby("INNERCODE").tail(1)
ls = ls[ls.CHANGETYPE.isin([1, 3, 6])]

sec = query_to_dataframe("SELECT INNERCODE, COMPANYCODE, SECUCODE, SECUABBR FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6, 7)")
df = sec.merge(ls[["INNERCODE"]], on="INNERCODE").merge(bs, on="COMPANYCODE").merge(op[["COMPANYCODE"]], on="COMPANYCODE")
df = df[df.SEWITHOUTMI > 0].assign(ratio=lambda x: x.GOODWILL / x.SEWITHOUTMI * 100)
df = df[df.ratio > 1].sort_values(["ratio", "SECUCODE"], ascending=[False, True])
result = pd.DataFrame({"secu_code": df.SECUCODE, "secu_abbr": df.SECUABBR, "goodwill": (df.GOODWILL / 1e8).round(2),
                       "equity": (df.SEWITHOUTMI / 1e8).round(2), "ratio": df.ratio.round(2)}).reset_index(drop=True)

import pandas as pd
from db_connector import query_to_dataframe as q

DAY = pd.Timestamp("2022-06-30")
NEXT = DAY + pd.Timedelta(days=1)


def last(frame, by, order):
    return frame.sort_values(order).drop_duplicates(by, keep="last")


code = q("SELECT INNERCODE, MAINCODE, SECUCODE, LISTEDDATE FROM bond_code WHERE BONDTYPELEVEL1 = 3")
code = code[code.LISTEDDATE <= DAY]
terms = q("SELECT INNERCODE, ENDDATE FROM bond_basicinfo")
code = code[code.INNERCODE.isin(terms[terms.ENDDATE > DAY].INNERCODE)]
size = q("SELECT ID, MAINCODE, ENDDATE, INFOPUBLDATE, TOTALSIZE FROM bond_size")
size = last(size[(size.ENDDATE <= DAY) & (size.INFOPUBLDATE < NEXT)], "MAINCODE", ["ENDDATE", "INFOPUBLDATE", "ID"])
rating = q("SELECT ID, MAINCODE, CRDATE, INFOPUBLDATE, CRCODE, CRDESC, RATINGEFFECTIVEENDDATE FROM bond_bdcreditgrading WHERE CRTYPECODE = 1")
rating = last(rating[(rating.CRDATE <= DAY) & (rating.INFOPUBLDATE < NEXT)], "MAINCODE", ["CRDATE", "INFOPUBLDATE", "ID"])
rating = rating[(rating.CRCODE >= 970) & ~(rating.RATINGEFFECTIVEENDDATE <= DAY)]
val = q("SELECT ID, INNERCODE, YIELDCODE, VPYIELD, INSERTTIME FROM bond_cbvaluationall WHERE ENDDATE = '2022-06-30' AND CREDIBILITYCODE = 1")
val = val[val.INSERTTIME < NEXT].assign(pref=-val.YIELDCODE)
val = last(val, "INNERCODE", ["pref", "INSERTTIME", "ID"])

pool = code.merge(size[size.TOTALSIZE > 0][["MAINCODE", "TOTALSIZE"]], on="MAINCODE")
pool = pool.merge(rating[["MAINCODE", "CRDESC"]], on="MAINCODE").merge(val[["INNERCODE", "VPYIELD"]], on="INNERCODE")
pool = pool.sort_values(["VPYIELD", "SECUCODE"], ascending=[False, True]).head(20)
result = pd.DataFrame({"bond_code": pool.SECUCODE, "rating": pool.CRDESC, "balance": pool.TOTALSIZE.round(2), "val_yield": pool.VPYIELD.round(4)})

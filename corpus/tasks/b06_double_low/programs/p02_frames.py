import pandas as pd
from db_connector import query_to_dataframe as q

T = pd.Timestamp("2021-07-02")
CUT = T.normalize() + pd.offsets.Day(1)


def as_of(table, key, effective, columns, where="1 = 1"):
    frame = q(f"SELECT ID, {key}, {effective}, INFOPUBLDATE, {columns} FROM {table} WHERE {where}")
    frame = frame.loc[frame[effective].le(T) & frame.INFOPUBLDATE.lt(CUT)]
    return frame.sort_values([effective, "INFOPUBLDATE", "ID"]).groupby(key).tail(1)


quote = q("SELECT INNERCODE, CLOSEPRICE, STOCKPRICE FROM bond_conbdexchangequote WHERE TRADINGDAY = '2021-07-02' AND TURNOVERVOLUME > 0")
terms = q("SELECT * FROM bond_conbdbasicinfo")
terms = terms[terms.ENDDATE > T + pd.DateOffset(years=1)][["INNERCODE", "SECUCODE"]]
codes = q("SELECT INNERCODE, MAINCODE FROM bond_code")
calls = q("SELECT INNERCODE, CALLTYPE, INSERTTIME FROM bond_conbdcallinfo")
called = calls[(calls.CALLTYPE == 3) & (calls.INSERTTIME < CUT)].INNERCODE
conv = as_of("bond_conbdconvertprice", "INNERCODE", "VALIDDATE", "CONVERTPRICE")
size = as_of("bond_size", "MAINCODE", "ENDDATE", "TOTALSIZE")
grade = as_of("bond_bdcreditgrading", "MAINCODE", "CRDATE", "CRCODE, RATINGEFFECTIVEENDDATE", "CRTYPECODE = 1")
grade = grade[grade.CRCODE.ge(960) & ~grade.RATINGEFFECTIVEENDDATE.le(T)]

d = quote[~quote.INNERCODE.isin(called)].merge(terms, on="INNERCODE").merge(codes, on="INNERCODE")
d = d.merge(conv[["INNERCODE", "CONVERTPRICE"]], on="INNERCODE").merge(size[["MAINCODE", "TOTALSIZE"]], on="MAINCODE")
d = d[d.MAINCODE.isin(grade.MAINCODE) & d.TOTALSIZE.between(0, 20, inclusive="right")].copy()
d["premium"] = (d.CLOSEPRICE / (d.STOCKPRICE * 100 / d.CONVERTPRICE) - 1) * 100
d["score"] = d.CLOSEPRICE + d.premium
d = d.dropna(subset=["score"]).sort_values(["score", "SECUCODE"]).head(8)
result = pd.DataFrame({"bond_code": d.SECUCODE, "conv_price": d.CONVERTPRICE.round(2), "premium": d.premium.round(2), "score": d.score.round(2), "balance": d.TOTALSIZE.round(2)})

import pandas as pd
from db_connector import query_to_dataframe

as_of = pd.Timestamp(2023, 4, 3)
cutoff = as_of + pd.Timedelta(days=1)


def valid_on(frame, start, end, day):
    return frame[(frame[start] <= day) & (frame[end].isna() | (frame[end] > day))]


tenure = query_to_dataframe("SELECT * FROM mf_fundmanagernew WHERE POSTNAME = 1")
tenure = valid_on(tenure, "ACCESSIONDATE", "DIMISSIONDATE", as_of)
fund = query_to_dataframe("SELECT INNERCODE, MAINCODE, SECURITYCODE, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives")
fund = valid_on(fund[fund.MAINCODE == fund.SECURITYCODE], "ESTABLISHMENTDATE", "EXPIREDATE", as_of)
size = query_to_dataframe("SELECT ID, INNERCODE, ENDDATE, INSERTTIME, COMBNVI FROM mf_scaleanalysis").query("INSERTTIME < @cutoff")
size = size.sort_values(["ENDDATE", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last").set_index("INNERCODE").COMBNVI

duty = tenure[tenure.INNERCODE.isin(fund.INNERCODE)].groupby(["PERSONALCODE", "INNERCODE"], as_index=False).ACCESSIONDATE.min()
duty["v"] = duty.INNERCODE.map(size).fillna(0.0)
book = duty.groupby("PERSONALCODE").agg(funds=("INNERCODE", "size"), v=("v", "sum"), first_start=("ACCESSIONDATE", "min")).reset_index()
book = book.sort_values(["v", "PERSONALCODE"], ascending=[False, True]).head(15)
result = pd.DataFrame({"person_code": book.PERSONALCODE.astype(int), "funds": book.funds, "size": (book.v / 1e8).round(2), "first_start": book.first_start})

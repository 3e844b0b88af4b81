import pandas as pd
from db_connector import query_to_dataframe

day, cut = "2022-06-30", "2022-07-01"
size = query_to_dataframe(f"SELECT MAINCODE, TOTALSIZE FROM bond_size WHERE ENDDATE <= '{day}'  ORDER BY ENDDATE, INFOPUBLDATE, ID").groupby("MAINCODE").tail(1)
rating = query_to_dataframe(f"""SELECT MAINCODE, CRCODE, CRDESC, RATINGEFFECTIVEENDDATE FROM bond_bdcreditgrading
                                WHERE CRTYPECODE = 1 AND CRDATE <= '{day}' AND INFOPUBLDATE < '{cut}' ORDER BY CRDATE, INFOPUBLDATE, ID""").groupby("MAINCODE").tail(1)
rating = rating[(rating.CRCODE >= 970) & (rating.RATINGEFFECTIVEENDDATE.isna() | (rating.RATINGEFFECTIVEENDDATE > day))]
bonds = query_to_dataframe(f"""
    SELECT b.INNERCODE, b.MAINCODE, b.SECUCODE AS bond_code FROM bond_code b JOIN bond_basicinfo i ON i.INNERCODE = b.INNERCODE
    WHERE b.BONDTYPELEVEL1 = 3 AND b.LISTEDDATE <= '{day}' AND i.ENDDATE > '{day}'
      AND b.INNERCODE NOT IN (SELECT INNERCODE FROM bond_default WHERE INFOPUBLDATE < '{cut}' AND (REVOKEDATE IS NULL OR REVOKEDATE > '{day}'))""")
val = query_to_dataframe(f"""SELECT INNERCODE, VPYIELD FROM bond_cbvaluationall WHERE ENDDATE = '{day}' AND CREDIBILITYCODE = 1 AND INSERTTIME < '{cut}'
                             ORDER BY YIELDCODE DESC, INSERTTIME, ID""").groupby("INNERCODE").tail(1)
table = bonds.merge(size[size.TOTALSIZE > 0], on="MAINCODE").merge(rating, on="MAINCODE").merge(val, on="INNERCODE")
table = table.sort_values(["VPYIELD", "bond_code"], ascending=[False, True]).head(20)
result = table.assign(rating=table.CRDESC, balance=table.TOTALSIZE.round(2), val_yield=table.VPYIELD.round(4))[["bond_code", "rating", "balance", "val_yield"]]

import numpy as np
from db_connector import query_to_dataframe

END = "2024-12-24"
funds = query_to_dataframe(
    f"""SELECT f.INNERCODE, f.SECURITYCODE FROM mf_fundarchives f
    WHERE f.MAINCODE = f.SECURITYCODE AND f.ESTABLISHMENTDATE <= '{END}'
      AND (f.EXPIREDATE IS NULL OR f.EXPIREDATE > '{END}')"""
)
kinds = query_to_dataframe(
    f"""SELECT INNERCODE, EFFECTIVEDATE, CANCELDATE, INSERTTIME, ID, SECASSETCATNAME FROM mf_jyfundtype
    WHERE STANDARD = 75 AND EFFECTIVEDATE <= '{END}' AND INSERTTIME < '2024-12-25'"""
)
kinds = kinds.sort_values(["EFFECTIVEDATE", "INSERTTIME", "ID"]).groupby("INNERCODE").tail(1)
kinds = kinds[kinds["CANCELDATE"].isna() | (kinds["CANCELDATE"] > END)]
kinds = kinds[kinds["SECASSETCATNAME"] == "偏股混合型"]
values = query_to_dataframe(
    f"""SELECT INNERCODE, TRADINGDAY, UNITNVRESTORED, INSERTTIME, ID FROM mf_fundnetvalueretrans
    WHERE TRADINGDAY > '2023-12-24' AND TRADINGDAY <= '{END}' AND INSERTTIME < '2024-12-25'"""
)
values = values.sort_values(["INNERCODE", "TRADINGDAY", "INSERTTIME", "ID"])
values = values.drop_duplicates(["INNERCODE", "TRADINGDAY"], keep="last")


def calmar(series):
    growth = series.iloc[-1] / series.iloc[0] - 1
    fall = (1 - series / series.cummax()).max()
    return growth / fall if fall > 0 else np.nan


chosen = funds.merge(kinds[["INNERCODE"]], on="INNERCODE")
ratio = values.groupby("INNERCODE")["UNITNVRESTORED"].apply(calmar).rename("calmar").reset_index()
result = chosen.merge(ratio, on="INNERCODE").sort_values("SECURITYCODE")[["SECURITYCODE", "calmar"]].round(6)

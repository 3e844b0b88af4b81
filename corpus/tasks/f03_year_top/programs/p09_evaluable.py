import pandas as pd
from db_connector import query_to_dataframe

NAV = query_to_dataframe("""SELECT INNERCODE, TRADINGDAY, UNITNVRESTORED, INSERTTIME, ID FROM mf_fundnetvalueretrans
                            WHERE TRADINGDAY BETWEEN '2020-12-01' AND '2024-03-31'""").sort_values(["TRADINGDAY", "INSERTTIME", "ID"])
FUNDS = query_to_dataframe("SELECT INNERCODE, SECURITYCODE, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives WHERE MAINCODE = SECURITYCODE")
TYPES = query_to_dataframe("SELECT ID, INNERCODE, EFFECTIVEDATE, CANCELDATE, SECASSETCATCODE, INSERTTIME FROM mf_jyfundtype WHERE STANDARD = 75").sort_values(["EFFECTIVEDATE", "INSERTTIME", "ID"])


def pick(day):
    cut = day + pd.Timedelta(days=1)
    prev = pd.Timestamp(day.year - 1, 12, 31)
    t = TYPES[(TYPES.EFFECTIVEDATE <= day) & (TYPES.INSERTTIME < cut)].drop_duplicates("INNERCODE", keep="last")
    t = t[(t.SECASSETCATCODE == 1201) & (t.CANCELDATE.isna() | (t.CANCELDATE > day))]
    f = FUNDS[(FUNDS.ESTABLISHMENTDATE <= prev) & (FUNDS.EXPIREDATE.isna() | (FUNDS.EXPIREDATE > day)) & FUNDS.INNERCODE.isin(t.INNERCODE)].copy()
    known = NAV[NAV.INSERTTIME < cut]
    dec = known[(known.TRADINGDAY <= day) & (known.TRADINGDAY > day - pd.Timedelta(days=31))].drop_duplicates("INNERCODE", keep="last").set_index("INNERCODE").UNITNVRESTORED
    base = known[(known.TRADINGDAY <= prev) & (known.TRADINGDAY > prev - pd.Timedelta(days=31))].drop_duplicates("INNERCODE", keep="last").set_index("INNERCODE").UNITNVRESTORED
    after = NAV[(NAV.TRADINGDAY > day) & (NAV.TRADINGDAY <= day + pd.Timedelta(days=90))].groupby("INNERCODE").UNITNVRESTORED.agg(["last", "count"])
    f["nv"], f["base"] = f.INNERCODE.map(dec), f.INNERCODE.map(base)
    f["later"], f["n"] = f.INNERCODE.map(after["last"]), f.INNERCODE.map(after["count"])
    f = f[f.n >= 20]
    f["r"] = f.nv / f.base - 1
    f = f.dropna(subset=["r"]).sort_values(["r", "SECURITYCODE"], ascending=[False, True]).head(5)
    return pd.DataFrame({"obs_date": day, "rnk": range(1, len(f) + 1), "fund_code": f.SECURITYCODE, "ret": (f.r * 100).round(2), "next_ret": ((f.later / f.nv - 1) * 100).round(2)})


result = pd.concat([pick(pd.Timestamp(y, 12, 31)) for y in (2021, 2022, 2023)])

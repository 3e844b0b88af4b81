import pandas as pd
from db_connector import query_to_dataframe

AS_OF, CUT = "2024-12-24", "2024-12-25"


def latest(table, keys, order, where, columns):
    frame = query_to_dataframe(f"SELECT {', '.join({*keys, *order, *columns})} FROM {table} WHERE {where}")
    return frame.sort_values(order).groupby(keys, as_index=False).tail(1)


def listed():
    events = latest(
        "lc_liststatus",
        ["INNERCODE"],
        ["CHANGEDATE", "INSERTTIME", "ID"],
        f"CHANGEDATE <= '{AS_OF}' AND INSERTTIME < '{CUT}'",
        ["CHANGETYPE"],
    )
    return events[events["CHANGETYPE"].isin([1, 3, 6])]["INNERCODE"]


def alerted():
    alerts = query_to_dataframe(
        f"""SELECT INNERCODE, REMOVEDATE, REMOVEINFOPUBLDATE FROM cs_riskalert
        WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < '{CUT}' AND IMPLEMENTDATE <= '{AS_OF}'"""
    )
    over = (alerts["REMOVEDATE"] <= AS_OF) & (alerts["REMOVEINFOPUBLDATE"] < CUT)
    return alerts[~over]["INNERCODE"]


reports = latest(
    "lc_maindatanew",
    ["COMPANYCODE", "ENDDATE"],
    ["INFOPUBLDATE", "INSERTTIME", "ID"],
    f"MARK = 1 AND INFOPUBLDATE < '{CUT}'",
    ["NETPROFITCUT"],
)
wide = reports.pivot(index="COMPANYCODE", columns="ENDDATE", values="NETPROFITCUT")


def single(year, quarter):
    ends = [f"{year}-03-31", f"{year}-06-30", f"{year}-09-30", f"{year}-12-31"]
    now = wide[pd.Timestamp(ends[quarter - 1])]
    return now if quarter == 1 else now - wide[pd.Timestamp(ends[quarter - 2])]


growth = pd.DataFrame({q: single(2024, q) / single(2023, q).where(lambda s: s > 0) - 1 for q in (2, 3)})
companies = query_to_dataframe("SELECT INNERCODE, COMPANYCODE, SECUCODE FROM secumain WHERE SECUCATEGORY = 1")
companies = companies[companies["INNERCODE"].isin(listed()) & ~companies["INNERCODE"].isin(alerted())]
found = companies.merge(growth.dropna(), left_on="COMPANYCODE", right_index=True)
found["delta"] = (found[3] - found[2]) * 100
result = found[found["delta"] > 5].sort_values(["delta", "SECUCODE"], ascending=[False, True])
result = result[["SECUCODE", "delta"]].round(2)

import pandas as pd
from db_connector import query_to_dataframe

prices = query_to_dataframe("SELECT ID, INNERCODE, INFOPUBLDATE, VALIDDATE, CONVERTPRICE, CHANGEREASON FROM bond_conbdconvertprice").sort_values(["INFOPUBLDATE", "ID"])
codes = query_to_dataframe("SELECT INNERCODE, MAINCODE, SECUCODE FROM bond_code").set_index("INNERCODE")
sizes = query_to_dataframe("SELECT ID, MAINCODE, ENDDATE, INFOPUBLDATE, TOTALSIZE FROM bond_size").sort_values(["ENDDATE", "INFOPUBLDATE", "ID"])
calls = query_to_dataframe("SELECT INNERCODE, INSERTTIME FROM bond_conbdcallinfo WHERE CALLTYPE = 3")
quotes = query_to_dataframe("SELECT INNERCODE, TRADINGDAY, CLOSEPRICE FROM bond_conbdexchangequote WHERE TURNOVERVOLUME > 0").sort_values("TRADINGDAY")

rows = []
for inner, history in prices.groupby("INNERCODE"):
    code = codes.loc[inner]
    for e in history[(history.CHANGEREASON == "向下修正") & history.INFOPUBLDATE.between("2019-01-01", "2024-12-31")].itertuples():
        end_of_day = e.INFOPUBLDATE + pd.Timedelta(days=1)
        if ((calls.INNERCODE == inner) & (calls.INSERTTIME < end_of_day)).any():
            continue
        before = history[history.INFOPUBLDATE < e.INFOPUBLDATE].sort_values(["VALIDDATE", "INFOPUBLDATE", "ID"])
        if before.empty:
            continue
        old = before.CONVERTPRICE.iloc[-1]
        z = sizes[(sizes.MAINCODE == code.MAINCODE) & (sizes.ENDDATE <= e.INFOPUBLDATE) & (sizes.INFOPUBLDATE < end_of_day)].TOTALSIZE
        px = quotes[(quotes.INNERCODE == inner) & (quotes.TRADINGDAY > e.INFOPUBLDATE) & (quotes.TRADINGDAY <= e.INFOPUBLDATE + pd.Timedelta(days=20))].CLOSEPRICE
        rows.append({"notice": e.INFOPUBLDATE, "bond_code": code.SECUCODE, "old_price": old, "new_price": e.CONVERTPRICE, "cut": round((1 - e.CONVERTPRICE / old) * 100, 2),
                     "balance": round(z.iloc[-1], 4) if len(z) else None, "ret": round((px.iloc[-1] / px.iloc[0] - 1) * 100, 2) if len(px) else None})
result = pd.DataFrame(rows).sort_values(["notice", "bond_code"])

import pandas as pd
from db_connector import query_to_dataframe

DAYS = ["2024-09-30", "2024-10-31", "2024-11-29"]
prices = query_to_dataframe(
    "SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata "
    "WHERE TRADINGDAY >= '2024-01-01' AND TRADINGDAY <= '2024-11-29'"
)
wide = prices.pivot(index="TRADINGDAY", columns="INNERCODE", values="BACKWARDPRICE").sort_index()
mean = wide.rolling(60, min_periods=40).mean()
out = []
for day in DAYS:
    members = query_to_dataframe(
        f"SELECT SECUINNERCODE FROM lc_indexcomponent WHERE INDEXINNERCODE = 3003 AND INDATE <= '{day}' "
        f"AND (OUTDATE IS NULL OR OUTDATE > '{day}')"
    )["SECUINNERCODE"]
    names = [code for code in members if code in wide.columns]
    above = wide.loc[day, names] > mean.loc[day, names]
    out.append({"day": day, "members": len(names), "breadth": round(100 * above.mean(), 4)})
result = pd.DataFrame(out)

import pandas as pd
from db_connector import query_to_dataframe

DAYS = ["2024-06-28", "2024-07-31", "2024-08-30", "2024-09-30", "2024-10-31", "2024-11-29"]
rows = []
for day in DAYS:
    members = query_to_dataframe(
        f"SELECT SECUINNERCODE AS INNERCODE FROM lc_indexcomponent WHERE INDEXINNERCODE = 3003 "
        f"AND INDATE <= '{day}' AND (OUTDATE IS NULL OR OUTDATE > '{day}')"
    )
    value = query_to_dataframe(
        f"SELECT INNERCODE, PB FROM lc_dindicesforvaluation WHERE TRADINGDAY = '{day}' AND PB > 0"
    )
    later = query_to_dataframe(
        f"SELECT INNERCODE, TRADINGDAY, BACKWARDPRICE FROM qt_performancedata "
        f"WHERE TRADINGDAY >= '{day}' AND TRADINGDAY < DATE '{day}' + INTERVAL '40' DAY"
    )
    prices = later.pivot(index="TRADINGDAY", columns="INNERCODE", values="BACKWARDPRICE").ffill()
    outcome = (prices.iloc[min(20, len(prices) - 1)] / prices.iloc[0] - 1).rename("outcome")
    panel = members.merge(value, on="INNERCODE").assign(factor=lambda f: 1 / f["PB"])
    panel = panel.merge(outcome, left_on="INNERCODE", right_index=True, how="left")
    rank_ic = panel["factor"].rank().corr(panel["outcome"].rank())
    rows.append(
        {
            "day": day,
            "n": len(panel),
            "factor": round(panel["factor"].mean(), 6),
            "rank_ic": round(rank_ic, 4),
        }
    )
result = pd.DataFrame(rows)

import pandas as pd
from db_connector import query_to_dataframe

pmi = query_to_dataframe("SELECT ENDDATE, INFOPUBLDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1007 ORDER BY ENDDATE")
pmi["p"] = pmi.ENDDATE.dt.to_period("M")
by_month = pmi.set_index("p")
px = query_to_dataframe("SELECT q.TRADINGDAY, q.CLOSEPRICE FROM qt_indexquote q JOIN secumain i ON i.INNERCODE = q.INNERCODE WHERE i.SECUCODE = '000300' AND i.SECUCATEGORY = 4 ORDER BY q.TRADINGDAY")


def five_day(day):
    w = px[px.TRADINGDAY > day].head(5).CLOSEPRICE.tolist()
    return (w[-1] / w[0] - 1) * 100 if len(w) == 5 else None


rows = []
for r in pmi.itertuples():
    if r.p - 1 not in by_month.index or not pd.Timestamp("2019-01-01") <= r.INFOPUBLDATE <= pd.Timestamp("2025-09-30"):
        continue
    last = by_month.loc[r.p - 1]
    if last.INFOPUBLDATE > r.INFOPUBLDATE:
        continue
    if (last.DATAVALUE <= 50 < r.DATAVALUE) or (last.DATAVALUE >= 50 > r.DATAVALUE):
        rows.append((r.INFOPUBLDATE, r.ENDDATE, round(r.DATAVALUE, 1), "上穿" if r.DATAVALUE > 50 else "下穿", five_day(r.INFOPUBLDATE)))
table = pd.DataFrame(rows, columns=["release", "month", "pmi", "kind", "ret"])
table = table[table.ret.abs() < 12]  # 剔除极端行情
result = table.sort_values(["release", "month"]).round({"ret": 2})

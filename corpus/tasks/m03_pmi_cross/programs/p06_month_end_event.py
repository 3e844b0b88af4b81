import pandas as pd
from db_connector import query_to_dataframe

pmi = query_to_dataframe("SELECT ENDDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1007 ORDER BY ENDDATE").set_index("ENDDATE").DATAVALUE
pmi = pmi.reindex(pd.date_range(pmi.index.min(), pmi.index.max(), freq="ME"))
prev = pmi.shift(1)
kind = pd.Series(None, index=pmi.index, dtype=object)
kind[(prev <= 50) & (pmi > 50)] = "上穿"
kind[(prev >= 50) & (pmi < 50)] = "下穿"
ev = kind.dropna().loc["2019-01-01":"2025-09-30"]
px = query_to_dataframe("""SELECT q.TRADINGDAY, q.CLOSEPRICE FROM qt_indexquote q JOIN secumain i ON i.INNERCODE = q.INNERCODE
                           WHERE i.SECUCODE = '000300' AND i.SECUCATEGORY = 4 ORDER BY q.TRADINGDAY""").set_index("TRADINGDAY").CLOSEPRICE
rows = []
for day, k in ev.items():
    after = px[px.index > day].iloc[:5]
    rows.append({"release": day, "month": day, "pmi": round(pmi[day], 1), "kind": k, "ret": round((after.iloc[-1] / after.iloc[0] - 1) * 100, 2)})
result = pd.DataFrame(rows)

import pandas as pd
from db_connector import query_to_dataframe

pmi = query_to_dataframe("SELECT ENDDATE, INFOPUBLDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1007")
pmi["m"] = pmi.ENDDATE.dt.to_period("M")
prev = pmi[["m", "INFOPUBLDATE", "DATAVALUE"]].assign(m=pmi.m + 1).rename(columns={"INFOPUBLDATE": "prev_pub", "DATAVALUE": "prev"})
ev = pmi.merge(prev, on="m")
ev = ev[(ev.prev_pub <= ev.INFOPUBLDATE) & ev.INFOPUBLDATE.between("2019-01-01", "2025-09-30")]
up, down = (ev.prev <= 50) & (ev.DATAVALUE > 50), (ev.prev >= 50) & (ev.DATAVALUE < 50)
ev = ev[up | down].assign(kind=lambda x: x.DATAVALUE.gt(50).map({True: "上穿", False: "下穿"})).sort_values(["INFOPUBLDATE", "ENDDATE"])

px = query_to_dataframe("""SELECT q.TRADINGDAY, q.CLOSEPRICE FROM qt_indexquote q JOIN secumain i ON i.INNERCODE = q.INNERCODE
                           WHERE i.SECUCODE = '000300' AND i.SECUCATEGORY = 4 ORDER BY q.TRADINGDAY""")
px["ret"] = (px.CLOSEPRICE.shift(-4) / px.CLOSEPRICE - 1) * 100
out = pd.merge_asof(ev, px[["TRADINGDAY", "ret"]], left_on="INFOPUBLDATE", right_on="TRADINGDAY", direction="forward", allow_exact_matches=False)
result = pd.DataFrame({"release": out.INFOPUBLDATE, "month": out.ENDDATE, "pmi": out.DATAVALUE.round(1), "kind": out.kind, "ret": out.ret.round(2)})

import os
import pandas as pd
import pymysql

conn = pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]), user=os.environ["MYSQL_USER"],
                       password=os.environ["MYSQL_PASSWORD"], database=os.environ["MYSQL_DATABASE"])
df = pd.read_sql("SELECT ENDDATE, INFOPUBLDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = 1006", conn)
df["m"] = df.ENDDATE.dt.to_period("M")
s = df.set_index("m").DATAVALUE.sort_index()
s = s.reindex(pd.period_range(s.index[0], s.index[-1], freq="M"))
imp = (s - s.shift(12)).dropna().loc["2016-01":].round(6)
pct = imp.rank(method="max", pct=True) * 100
table = pd.DataFrame({"month": imp.index.to_timestamp(how="end").normalize(), "impulse": imp.values, "pct": pct.values}, index=imp.index)
known = df.set_index("m").INFOPUBLDATE < pd.Timestamp("2024-09-04")
table = table[known.reindex(table.index, fill_value=False)]
table = table[(table.pct >= 80) | (table.pct <= 20)]
table["state"] = ["扩张" if p >= 80 else "收缩" for p in table.pct]
result = table.round({"impulse": 2, "pct": 2}).reset_index(drop=True)

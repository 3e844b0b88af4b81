import os
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
as_of = pd.Timestamp("2024-06-12")
with engine.connect() as conn:
    df = pd.read_sql(text("SELECT INDICATORCODE, ENDDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE IN (1001, 1003) AND ENDDATE >= '2018-01-31'"), conn)
# 统计局一般在次月10日前后公布
df["release"] = df.ENDDATE + pd.offsets.Day(11)
df = df[df.release <= as_of]
gap = df.pivot_table(index="ENDDATE", columns="INDICATORCODE", values="DATAVALUE").dropna()
gap = gap[1001] - gap[1003]
up = gap[gap > 0]
month = up.index.year * 12 + up.index.month
group = (pd.Series(month, index=up.index).diff() != 1).cumsum()
out = pd.DataFrame({"d": up, "g": group}).reset_index().groupby("g").agg(start=("ENDDATE", "min"), end=("ENDDATE", "max"), months=("d", "size"), mean=("d", "mean"))
result = out[out.months >= 2].round(2).reset_index(drop=True)

import os
import pandas as pd
import psycopg

CUT = "2024-09-01"
with psycopg.connect(host=os.environ["PGHOST"], port=os.environ["PGPORT"], user=os.environ["PGUSER"], password=os.environ.get("PGPASSWORD", "research"), dbname=os.environ["PGDATABASE"]) as conn:
    cur = conn.execute("""
        SELECT b.enddate, b.infopubldate, b.inserttime, b.id, b.totalassets
        FROM lc_balancesheetall b JOIN secumain s ON s.companycode = b.companycode
        WHERE s.secucode = '600001' AND s.secucategory = 1 AND b.ifmerged = 1 AND EXTRACT(MONTH FROM b.enddate) IN (6, 12) AND b.infopubldate < '""" + CUT + "'")
    rows = cur.fetchall()
df = pd.DataFrame(rows, columns=["period", "pub", "ins", "id", "ta"]).astype({"ta": float}).sort_values(["period", "pub", "ins", "id"])
g = df.groupby("period")
out = pd.DataFrame({"ta_first": g.ta.nth(0).values, "ta_last": g.ta.nth(-1).values, "first_pub": g["pub"].min().values, "last_pub": g["pub"].max().values}, index=list(g.groups))
out["revision"] = (out.ta_last / out.ta_first - 1) * 100
out[["ta_first", "ta_last"]] /= 1e8
out = out.sort_index().tail(5)
result = out.round({"ta_first": 2, "ta_last": 2, "revision": 4}).rename_axis("period").reset_index()

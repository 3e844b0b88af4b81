import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
b = con.execute("""
SELECT b.ENDDATE, b.INFOPUBLDATE, b.INSERTTIME, b.ID, b.TOTALASSETS::DOUBLE AS ta
FROM lc_balancesheetall b JOIN secumain s ON s.COMPANYCODE = b.COMPANYCODE
WHERE s.SECUCODE = '600001' AND s.SECUCATEGORY = 1 AND b.IFMERGED = 1
  AND b.INFOPUBLDATE < TIMESTAMP '2024-09-01'
  AND month(b.ENDDATE) IN (6, 12)
ORDER BY b.ENDDATE, b.INFOPUBLDATE, b.INSERTTIME, b.ID
""").df()
g = b.groupby("ENDDATE")
f, l = g.nth(0).set_index("ENDDATE"), g.nth(-1).set_index("ENDDATE")
x = pd.DataFrame({"a": f["ta"], "z": l["ta"], "fp": f["INFOPUBLDATE"], "lp": l["INFOPUBLDATE"]}).sort_index().tail(5)
result = pd.DataFrame({
    "period": [t.date() for t in x.index],
    "ta_first": (x["a"] / 1e8).round(2).values,
    "ta_last": (x["z"] / 1e8).round(2).values,
    "first_pub": x["fp"].dt.date.values,
    "last_pub": x["lp"].dt.date.values,
    "revision": ((x["z"] / x["a"] - 1) * 100).round(4).values,
})

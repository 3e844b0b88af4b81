import pandas as pd
from db_connector import query_to_dataframe

df = query_to_dataframe("""
    SELECT ENDDATE, INFOPUBLDATE, INSERTTIME, ID, TOTALASSETS FROM lc_balancesheetall
    WHERE COMPANYCODE IN (SELECT COMPANYCODE FROM secumain WHERE SECUCODE = '600001' AND SECUCATEGORY = 1)
      AND IFMERGED = 1 AND MONTH(ENDDATE) IN (6, 12)""")
df = df[df.INFOPUBLDATE <= pd.Timestamp("2024-08-31") + pd.Timedelta(days=1)].sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"])
g = df.groupby("ENDDATE")
first, last = g.head(1).set_index("ENDDATE"), g.tail(1).set_index("ENDDATE")
result = pd.DataFrame({"ta_first": (first.TOTALASSETS / 1e8).round(2), "ta_last": (last.TOTALASSETS / 1e8).round(2), "first_pub": first.INFOPUBLDATE,
                       "last_pub": last.INFOPUBLDATE, "revision": ((last.TOTALASSETS / first.TOTALASSETS - 1) * 100).round(4)}).sort_index().tail(5)
result = result.rename_axis("period").reset_index()

import pandas as pd
from db_connector import query_to_dataframe

df = query_to_dataframe("""
    SELECT b.ENDDATE, b.INFOPUBLDATE, b.INSERTTIME, b.ID, b.IFADJUSTED, b.IFMERGED, b.TOTALASSETS
    FROM lc_balancesheetall b JOIN secumain s ON s.COMPANYCODE = b.COMPANYCODE
    WHERE s.SECUCODE = '600001' AND s.SECUCATEGORY = 1""")
df = df[(df.IFMERGED == 1) & df.ENDDATE.dt.month.isin([6, 12])]
df = df[df.INFOPUBLDATE.dt.strftime("%Y%m%d") <= "20240831"]
df = df.sort_values(["ENDDATE", "INFOPUBLDATE", "INSERTTIME", "ID"])
rows = []
for end, g in df.groupby("ENDDATE"):
    first, last = g.iloc[0], g.iloc[-1]
    rows.append(dict(period=end, ta_first=round(first.TOTALASSETS / 1e8, 2), ta_last=round(last.TOTALASSETS / 1e8, 2),
                     first_pub=first.INFOPUBLDATE, last_pub=last.INFOPUBLDATE, revision=round((last.TOTALASSETS / first.TOTALASSETS - 1) * 100, 4)))
result = pd.DataFrame(rows).tail(5).reset_index(drop=True)

import numpy as np
import pandas as pd
from db_connector import query_to_dataframe

rows = query_to_dataframe("""
    SELECT i.SECUCODE AS index_code, m.COMPANYCODE, m.INFOPUBLDATE, m.INSERTTIME, m.ID, m.NETOPERATECASHFLOW AS o, m.NETINVESTCASHFLOW AS v, m.NETFINANCECASHFLOW AS f, m.OPERATINGREENUE AS rev
    FROM lc_indexcomponent c
    JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE AND i.SECUCATEGORY = 4
    JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
    JOIN lc_maindatanew m ON m.COMPANYCODE = s.COMPANYCODE
    WHERE i.SECUCODE IN ('000300', '000905') AND c.FLAG = 1 AND m.MARK = 1 AND m.ENDDATE = '2023-12-31' AND m.INFOPUBLDATE < '2024-04-27'""")
rows = rows.sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).drop_duplicates(["index_code", "COMPANYCODE"], keep="last").dropna(subset=["o", "v", "f"])
o, v, f = np.sign(rows.o), np.sign(rows.v), np.sign(rows.f)
rows["kind"] = "其他"
rows.loc[(o > 0) & (v < 0) & (f < 0), "kind"] = "内生"
rows.loc[(o > 0) & (v < 0) & (f > 0), "kind"] = "扩张"
rows.loc[(o > 0) & (v > 0) & (f < 0), "kind"] = "收缩"
g = rows.groupby(["index_code", "kind"]).rev
result = pd.DataFrame({"n": g.size(), "revenue": (g.sum() / 1e8).round(2)}).reset_index().sort_values(["index_code", "n", "kind"], ascending=[True, False, True])

import pandas as pd
from db_connector import query_to_dataframe

frames = []
for end in ["2024-03-31", "2024-06-30", "2024-09-30", "2024-12-31"]:
    frames.append(
        query_to_dataframe(
            f"""SELECT m.COMPANYCODE, m.ENDDATE, m.NETPROFIT, m.INFOPUBLDATE, m.ID FROM lc_maindatanew m
            JOIN secumain s ON s.COMPANYCODE = m.COMPANYCODE AND s.SECUCATEGORY = 1
            WHERE m.MARK = 1 AND m.ENDDATE = '{end}' AND m.ENDDATE <= '2024-12-31'"""
        )
    )
reports = pd.concat(frames).sort_values(["INFOPUBLDATE", "ID"])
last = reports.groupby(["COMPANYCODE", "ENDDATE"], as_index=False).tail(1)
result = last.groupby("ENDDATE", as_index=False).agg(n=("NETPROFIT", "size"), total=("NETPROFIT", "sum"))

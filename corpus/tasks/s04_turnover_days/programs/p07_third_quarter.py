import pandas as pd
from db_connector import query_to_dataframe

day = "2024-10-31"
members = query_to_dataframe(f"""
    SELECT s.INNERCODE, s.COMPANYCODE, s.SECUCODE, s.SECUABBR
    FROM lc_indexcomponent c JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
    JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE
    WHERE i.SECUCODE = '000852' AND i.SECUCATEGORY = 4 AND c.INDATE <= '{day}' AND (c.OUTDATE IS NULL OR c.OUTDATE > '{day}')""")
alerts = query_to_dataframe(f"""
    SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < '2024-11-01' AND IMPLEMENTDATE <= '{day}'
      AND (REMOVEDATE IS NULL OR REMOVEDATE > '{day}' OR REMOVEINFOPUBLDATE IS NULL OR REMOVEINFOPUBLDATE >= '2024-11-01')""")
members = members[~members.INNERCODE.isin(alerts.INNERCODE)]
fin = query_to_dataframe("""
    SELECT COMPANYCODE, ENDDATE, ARTDAYS, INVENTORYTDAYS FROM lc_qfinancialindexnew
    WHERE MARK = 1 AND ENDDATE IN ('2024-09-30', '2023-09-30')""")
fin["days"] = fin.ARTDAYS + fin.INVENTORYTDAYS
w = fin.pivot(index="COMPANYCODE", columns="ENDDATE", values="days").dropna()
w.columns = ["base", "days"]
w["change"] = w.days - w.base
out = members.merge(w[w.change < -5].reset_index(), on="COMPANYCODE").sort_values(["change", "SECUCODE"])
out["latest_q"] = pd.Timestamp("2024-09-30")
result = out.rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr"})[["secu_code", "secu_abbr", "latest_q", "days", "change"]].round(1)

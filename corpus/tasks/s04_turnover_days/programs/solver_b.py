import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
mem = con.execute("""
SELECT DISTINCT s.INNERCODE, s.COMPANYCODE, s.SECUCODE AS secu_code, s.SECUABBR AS secu_abbr
FROM lc_indexcomponent c
JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE AND i.SECUCODE = '000852' AND i.SECUCATEGORY = 4
JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
WHERE c.INDATE <= TIMESTAMP '2024-10-31' AND (c.OUTDATE IS NULL OR c.OUTDATE > TIMESTAMP '2024-10-31')
  AND s.INNERCODE NOT IN (
    SELECT INNERCODE FROM cs_riskalert
    WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < TIMESTAMP '2024-11-01'
      AND IMPLEMENTDATE <= TIMESTAMP '2024-10-31'
      AND NOT coalesce(REMOVEINFOPUBLDATE < TIMESTAMP '2024-11-01' AND REMOVEDATE <= TIMESTAMP '2024-10-31', FALSE))
""").df()
f = con.execute("""
SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, ID, (ARTDAYS + INVENTORYTDAYS)::DOUBLE AS days
FROM lc_qfinancialindexnew
WHERE MARK = 1 AND INFOPUBLDATE IS NOT NULL AND INFOPUBLDATE < TIMESTAMP '2024-11-01'
""").df()
f = f.sort_values(["INFOPUBLDATE", "ID"]).drop_duplicates(["COMPANYCODE", "ENDDATE"], keep="last")
cur = f.loc[f.groupby("COMPANYCODE")["ENDDATE"].idxmax(), ["COMPANYCODE", "ENDDATE", "days"]].copy()
cur["prev_end"] = cur["ENDDATE"] - pd.DateOffset(years=1)
x = cur.merge(f[["COMPANYCODE", "ENDDATE", "days"]].rename(columns={"ENDDATE": "prev_end", "days": "d0"}),
              on=["COMPANYCODE", "prev_end"])
x = mem.merge(x, on="COMPANYCODE").dropna(subset=["days", "d0"])
x["change"] = (x["days"] - x["d0"]).round(6)
x = x[x["change"] < -5].sort_values(["change", "secu_code"])
x["latest_q"] = x["ENDDATE"].dt.date
x["days"] = x["days"].round(1)
x["change"] = x["change"].round(1)
result = x[["secu_code", "secu_abbr", "latest_q", "days", "change"]].reset_index(drop=True)

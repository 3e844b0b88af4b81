import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
q = con.sql("""SELECT COMPANYCODE, ENDDATE, CAST(ARTDAYS + INVENTORYTDAYS AS DOUBLE) AS days FROM lc_qfinancialindexnew
               WHERE MARK = 1 AND INFOPUBLDATE < TIMESTAMP '2024-11-01'""").df()
mem = con.sql("""SELECT s.INNERCODE, s.COMPANYCODE, s.SECUCODE, s.SECUABBR FROM lc_indexcomponent c JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
                 JOIN secumain i ON i.INNERCODE = c.INDEXINNERCODE AND i.SECUCODE = '000852' AND i.SECUCATEGORY = 4
                 WHERE c.INDATE <= DATE '2024-10-31' AND c.OUTDATE IS NULL""").df()
st = con.sql("""SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5, 12, 14) AND IMPLANNOUCEDATE < DATE '2024-11-01' AND IMPLEMENTDATE <= DATE '2024-10-31'
                AND NOT COALESCE(REMOVEINFOPUBLDATE < DATE '2024-11-01' AND REMOVEDATE <= DATE '2024-10-31', FALSE)""").df()
mem = mem[~mem.INNERCODE.isin(st.INNERCODE)]
last = q.loc[q.groupby("COMPANYCODE").ENDDATE.idxmax()].copy()
last["prior"] = last.ENDDATE - pd.DateOffset(years=1) + pd.offsets.MonthEnd(0)
base = q.rename(columns={"ENDDATE": "prior", "days": "base"})
df = mem.merge(last, on="COMPANYCODE").merge(base, on=["COMPANYCODE", "prior"])
df["change"] = df.days - df.base
df = df[df.change < -5].sort_values(["change", "SECUCODE"])
result = pd.DataFrame({"secu_code": df.SECUCODE, "secu_abbr": df.SECUABBR, "latest_q": df.ENDDATE, "days": df.days.round(1), "change": df.change.round(1)})

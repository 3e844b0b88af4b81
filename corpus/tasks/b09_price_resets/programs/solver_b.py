import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)

ev = con.execute("""
SELECT p.ID, p.INNERCODE, p.INFOPUBLDATE AS notice, p.CONVERTPRICE::DOUBLE AS new_price,
       c.MAINCODE, c.SECUCODE AS bond_code
FROM bond_conbdconvertprice p JOIN bond_code c ON c.INNERCODE = p.INNERCODE
WHERE p.CHANGEREASON = '向下修正'
  AND p.INFOPUBLDATE >= TIMESTAMP '2019-01-01' AND p.INFOPUBLDATE < TIMESTAMP '2025-01-01'
""").df()
price = con.execute("SELECT ID, INNERCODE, INFOPUBLDATE, VALIDDATE, CONVERTPRICE::DOUBLE AS px FROM bond_conbdconvertprice").df()
calls = con.execute("SELECT INNERCODE, INSERTTIME FROM bond_conbdcallinfo WHERE CALLTYPE = 3").df()
size = con.execute("SELECT ID, MAINCODE, ENDDATE, INFOPUBLDATE, TOTALSIZE::DOUBLE AS sz FROM bond_size").df()
quote = con.execute("SELECT INNERCODE, TRADINGDAY, CLOSEPRICE::DOUBLE AS cl FROM bond_conbdexchangequote WHERE TURNOVERVOLUME > 0").df()

rows = []
for e in ev.itertuples():
    n = e.notice.normalize()
    end = n + pd.Timedelta(days=1)
    if ((calls.INNERCODE == e.INNERCODE) & (calls.INSERTTIME < end)).any():
        continue
    o = price[(price.INNERCODE == e.INNERCODE) & (price.INFOPUBLDATE < n)]
    if o.empty:
        continue
    old = o.sort_values(["VALIDDATE", "INFOPUBLDATE", "ID"]).iloc[-1].px
    s = size[(size.MAINCODE == e.MAINCODE) & (size.ENDDATE <= n) & (size.INFOPUBLDATE < end)]
    bal = s.sort_values(["ENDDATE", "INFOPUBLDATE", "ID"]).iloc[-1].sz if len(s) else None
    q = quote[(quote.INNERCODE == e.INNERCODE) & (quote.TRADINGDAY > n)
              & (quote.TRADINGDAY <= n + pd.Timedelta(days=20))].sort_values("TRADINGDAY")
    ret = (q.iloc[-1].cl / q.iloc[0].cl - 1) * 100 if len(q) else None
    rows.append((n.date(), e.bond_code, old, e.new_price, (1 - e.new_price / old) * 100, bal, ret))

result = pd.DataFrame(rows, columns=["notice", "bond_code", "old_price", "new_price", "cut", "balance", "ret"])
result["cut"] = result["cut"].round(2)
result["balance"] = result["balance"].astype(float).round(4)
result["ret"] = result["ret"].astype(float).round(2)
result = result.sort_values(["notice", "bond_code"]).reset_index(drop=True)

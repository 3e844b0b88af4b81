import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
day = "2021-07-02"
cut = "2021-07-03"

df = con.execute(f"""
WITH q AS (
  SELECT q.INNERCODE, q.CLOSEPRICE, q.STOCKPRICE, b.SECUCODE, c.MAINCODE
  FROM bond_conbdexchangequote q
  JOIN bond_conbdbasicinfo b ON b.INNERCODE = q.INNERCODE
  JOIN bond_code c ON c.INNERCODE = q.INNERCODE
  WHERE q.TRADINGDAY = TIMESTAMP '{day}' AND q.TURNOVERVOLUME > 0
    AND b.ENDDATE > TIMESTAMP '2022-07-02'
    AND q.INNERCODE NOT IN (
      SELECT INNERCODE FROM bond_conbdcallinfo
      WHERE CALLTYPE = 3 AND INSERTTIME < TIMESTAMP '{cut}' AND INNERCODE IS NOT NULL)
), r AS (
  SELECT MAINCODE, CRCODE, RATINGEFFECTIVEENDDATE FROM bond_bdcreditgrading
  WHERE CRTYPECODE = 1 AND INFOPUBLDATE < TIMESTAMP '{cut}' AND CRDATE <= TIMESTAMP '{day}'
  QUALIFY row_number() OVER (PARTITION BY MAINCODE ORDER BY CRDATE DESC, INFOPUBLDATE DESC, ID DESC) = 1
), s AS (
  SELECT MAINCODE, TOTALSIZE FROM bond_size
  WHERE ENDDATE <= TIMESTAMP '{day}' AND INFOPUBLDATE < TIMESTAMP '{cut}'
  QUALIFY row_number() OVER (PARTITION BY MAINCODE ORDER BY ENDDATE DESC, INFOPUBLDATE DESC, ID DESC) = 1
), p AS (
  SELECT INNERCODE, CONVERTPRICE FROM bond_conbdconvertprice
  WHERE INFOPUBLDATE < TIMESTAMP '{cut}' AND VALIDDATE <= TIMESTAMP '{day}'
  QUALIFY row_number() OVER (PARTITION BY INNERCODE ORDER BY VALIDDATE DESC, INFOPUBLDATE DESC, ID DESC) = 1
)
SELECT q.SECUCODE AS bond_code, p.CONVERTPRICE::DOUBLE AS conv_price,
       q.CLOSEPRICE::DOUBLE AS cl, q.STOCKPRICE::DOUBLE AS st, s.TOTALSIZE::DOUBLE AS balance
FROM q JOIN r USING (MAINCODE) JOIN s USING (MAINCODE) JOIN p USING (INNERCODE)
WHERE r.CRCODE >= 960
  AND (r.RATINGEFFECTIVEENDDATE IS NULL OR r.RATINGEFFECTIVEENDDATE > TIMESTAMP '{day}')
  AND s.TOTALSIZE > 0 AND s.TOTALSIZE <= 20
""").df()

df["prem"] = (df["cl"] / (df["st"] * 100 / df["conv_price"]) - 1) * 100
df["sc"] = df["cl"] + df["prem"]
df = df.dropna(subset=["sc"]).sort_values(["sc", "bond_code"]).head(8)
result = pd.DataFrame({
    "bond_code": df["bond_code"],
    "conv_price": df["conv_price"].round(2),
    "premium": df["prem"].round(2),
    "score": df["sc"].round(2),
    "balance": df["balance"].round(2),
}).reset_index(drop=True)

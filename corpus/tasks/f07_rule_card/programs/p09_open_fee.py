import duckdb
import polars as pl
from datetime import datetime

day = datetime(2024, 8, 26)
codes = ["010000", "010087", "010091", "010116", "010144", "010186", "010243", "010252", "010304", "010432", "010480", "010615", "010702"]
con = duckdb.connect("core.duckdb", read_only=True)
read = lambda sql: con.sql(sql).pl()
funds = read("SELECT CAST(INNERCODE AS BIGINT) AS i, SECURITYCODE AS fund_code, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives").filter(
    pl.col("fund_code").is_in(codes) & (pl.col("ESTABLISHMENTDATE") <= day) & (pl.col("EXPIREDATE").is_null() | (pl.col("EXPIREDATE") > day)))
deal = (read("SELECT CAST(INNERCODE AS BIGINT) AS i, ENDDATE AS rule_date, APPLYINGTYPE AS apply_type, CAST(LARGEAPPLYINGMAX AS DOUBLE) AS cap, INSERTTIME, ID FROM mf_purchaseandredeem")
        .filter((pl.col("rule_date") <= day) & (pl.col("INSERTTIME") < day)).sort("rule_date", "INSERTTIME", "ID").unique("i", keep="last", maintain_order=True))
fee = read("SELECT CAST(INNERCODE AS BIGINT) AS i, CAST(CHARGERATETYPE AS INT) AS kind, CAST(MAXCHARGERATE AS DOUBLE) AS rate, INFOPUBLDATE, EXCUTEDATE, CANCELDATE, ID FROM mf_chargeratenew").filter(
    (pl.col("INFOPUBLDATE") < day) & (pl.col("EXCUTEDATE") <= day) & pl.col("CANCELDATE").is_null()).sort("EXCUTEDATE", "INFOPUBLDATE", "ID")
card = funds.join(deal, on="i", how="left")
for kind, name in ((1, "mgmt_fee"), (2, "cust_fee")):
    card = card.join(fee.filter(pl.col("kind") == kind).unique("i", keep="last", maintain_order=True).select("i", pl.col("rate").alias(name)), on="i", how="left")
result = card.sort("fund_code").select("fund_code", "rule_date", "apply_type", "cap", "mgmt_fee", "cust_fee")

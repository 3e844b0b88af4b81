# 申购状态与费率一览
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
codes = ["010000", "010087", "010091", "010116", "010144", "010186", "010243", "010252",
         "010304", "010432", "010480", "010615", "010702"]
D = pd.Timestamp("2024-08-26")

fa = con.sql("select INNERCODE, SECURITYCODE, ESTABLISHMENTDATE, EXPIREDATE from mf_fundarchives").df()
fa = fa[fa.SECURITYCODE.isin(codes) & (fa.ESTABLISHMENTDATE <= D) & (fa.EXPIREDATE.isna() | (fa.EXPIREDATE > D))]

rule = con.sql("select INNERCODE, ENDDATE, APPLYINGTYPE, LARGEAPPLYINGMAX, INSERTTIME from mf_purchaseandredeem").df()
rule = rule[rule.ENDDATE <= D]
rule = rule.sort_values(["ENDDATE", "INSERTTIME"]).groupby("INNERCODE").tail(1)

fee = con.sql("select * from mf_chargeratenew where CHARGERATETYPE in (1, 2)").df()
fee = fee[(fee.EXCUTEDATE <= D) & (fee.CANCELDATE.isna() | (fee.CANCELDATE > D))]
fee = fee.sort_values("EXCUTEDATE").groupby(["INNERCODE", "CHARGERATETYPE"]).tail(1)
fee = fee.pivot(index="INNERCODE", columns="CHARGERATETYPE", values="MAXCHARGERATE").rename(columns={1: "mgmt_fee", 2: "cust_fee"})

r = fa.merge(rule, on="INNERCODE", how="left").merge(fee, left_on="INNERCODE", right_index=True, how="left")
r["rule_date"] = r.ENDDATE.dt.date
result = r.rename(columns={"SECURITYCODE": "fund_code", "APPLYINGTYPE": "apply_type", "LARGEAPPLYINGMAX": "cap"})[
    ["fund_code", "rule_date", "apply_type", "cap", "mgmt_fee", "cust_fee"]].sort_values("fund_code").reset_index(drop=True)

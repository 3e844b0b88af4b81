import pandas as pd
import duckdb

con = duckdb.connect("core.duckdb", read_only=True)
as_of = pd.Timestamp("2024-08-26")
cut = as_of - pd.Timedelta(seconds=1)


def latest(table, columns, effective, known, where="TRUE"):
    frame = con.sql(f"SELECT INNERCODE::BIGINT AS i, {effective} AS eff, {known} AS known, ID, {columns} FROM {table} WHERE {where}").df()
    frame = frame[(frame.eff <= as_of) & (frame.known <= cut)]
    return frame.sort_values(["eff", "known", "ID"]).groupby("i").tail(1).drop(columns=["known", "ID"])


card = con.sql("""SELECT INNERCODE::BIGINT AS i, SECURITYCODE AS fund_code, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives
                  WHERE SECURITYCODE IN ('010000', '010087', '010091', '010116', '010144', '010186', '010243', '010252', '010304', '010432', '010480', '010615', '010702')""").df()
card = card[(card.ESTABLISHMENTDATE <= as_of) & (card.EXPIREDATE.isna() | (card.EXPIREDATE > as_of))]
card = card.merge(latest("mf_purchaseandredeem", "APPLYINGTYPE AS apply_type, LARGEAPPLYINGMAX::DOUBLE AS cap", "ENDDATE", "INSERTTIME").rename(columns={"eff": "rule_date"}), on="i", how="left")
for kind, name in ((1, "mgmt_fee"), (2, "cust_fee")):
    fee = latest("mf_chargeratenew", f"MAXCHARGERATE::DOUBLE AS {name}, CANCELDATE AS ends", "EXCUTEDATE", "INFOPUBLDATE", f"CHARGERATETYPE = {kind}")
    card = card.merge(fee[~(fee.ends <= as_of)][["i", name]], on="i", how="left")
result = card.sort_values("fund_code")[["fund_code", "rule_date", "apply_type", "cap", "mgmt_fee", "cust_fee"]]

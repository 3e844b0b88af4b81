import pandas as pd
from db_connector import query_to_dataframe

DAY = pd.Timestamp("2024-08-26")
CODES = ["010000", "010087", "010091", "010116", "010144", "010186", "010243", "010252", "010304", "010432", "010480", "010615", "010702"]

funds = query_to_dataframe("SELECT INNERCODE, SECURITYCODE AS fund_code, ESTABLISHMENTDATE, EXPIREDATE FROM mf_fundarchives")
funds = funds[funds.fund_code.isin(CODES) & (funds.ESTABLISHMENTDATE <= DAY) & ~(funds.EXPIREDATE <= DAY)]
deal = query_to_dataframe("SELECT ID, INNERCODE, ENDDATE AS rule_date, APPLYINGTYPE AS apply_type, LARGEAPPLYINGMAX AS cap, INSERTTIME FROM mf_purchaseandredeem")
deal = deal[(deal.INSERTTIME < DAY) & (deal.rule_date <= DAY)].sort_values(["rule_date", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last")
fees = query_to_dataframe("SELECT ID, INNERCODE, CHARGERATETYPE, MAXCHARGERATE, INFOPUBLDATE, EXCUTEDATE, CANCELDATE, IFEXECUTED FROM mf_chargeratenew")


def in_force(kind):
    x = fees[(fees.CHARGERATETYPE == kind) & (fees.INFOPUBLDATE < DAY) & (fees.EXCUTEDATE <= DAY)]
    x = x.sort_values(["EXCUTEDATE", "INFOPUBLDATE", "ID"]).drop_duplicates("INNERCODE", keep="last")
    return x[x.CANCELDATE.isna() | (x.CANCELDATE > DAY)].set_index("INNERCODE").MAXCHARGERATE


card = funds.merge(deal, on="INNERCODE", how="left")
card["mgmt_fee"] = card.INNERCODE.map(in_force(1))
card["cust_fee"] = card.INNERCODE.map(in_force(2))
result = card.sort_values("fund_code")[["fund_code", "rule_date", "apply_type", "cap", "mgmt_fee", "cust_fee"]]

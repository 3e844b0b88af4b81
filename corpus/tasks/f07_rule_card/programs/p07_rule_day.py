import pandas as pd
from db_connector import query_to_dataframe as q

CODES = "'010000', '010087', '010091', '010116', '010144', '010186', '010243', '010252', '010304', '010432', '010480', '010615', '010702'"
card = q(f"""SELECT INNERCODE, SECURITYCODE AS fund_code FROM mf_fundarchives WHERE SECURITYCODE IN ({CODES})
             AND ESTABLISHMENTDATE <= '2024-08-26' AND (EXPIREDATE IS NULL OR EXPIREDATE > '2024-08-26') ORDER BY SECURITYCODE""")
deal = q("""SELECT INNERCODE, ENDDATE AS rule_date, APPLYINGTYPE AS apply_type, LARGEAPPLYINGMAX AS cap FROM mf_purchaseandredeem
            WHERE ENDDATE <= '2024-08-26' ORDER BY ENDDATE, INSERTTIME, ID""").groupby("INNERCODE").tail(1)
card = card.merge(deal, on="INNERCODE", how="left")
for kind, name in ((1, "mgmt_fee"), (2, "cust_fee")):
    fee = q(f"""SELECT INNERCODE, MAXCHARGERATE AS {name}, CANCELDATE FROM mf_chargeratenew WHERE CHARGERATETYPE = {kind} AND INFOPUBLDATE < '2024-08-26' AND EXCUTEDATE <= '2024-08-26'
                ORDER BY EXCUTEDATE, INFOPUBLDATE, ID""").groupby("INNERCODE").tail(1)
    fee = fee[fee.CANCELDATE.isna() | (fee.CANCELDATE > "2024-08-26")]
    card = card.merge(fee[["INNERCODE", name]], on="INNERCODE", how="left")
result = card.drop(columns="INNERCODE")

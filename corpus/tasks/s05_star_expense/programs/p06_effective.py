import pandas as pd
from db_connector import query_to_dataframe as q

D, C = "2025-04-30", "2025-05-01"
uni = q(f"""SELECT s.INNERCODE, s.COMPANYCODE, s.SECUCODE, s.SECUABBR FROM secumain s JOIN (
              SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
              FROM lc_liststatus WHERE CHANGEDATE <= '{D}' AND INSERTTIME < '{C}') l ON l.INNERCODE = s.INNERCODE AND l.rn = 1 AND l.CHANGETYPE IN (1, 3, 6)
            WHERE s.SECUCATEGORY = 1 AND s.LISTEDSECTOR = 7""")
tv = q(f"""SELECT INNERCODE, SUM(TURNOVERVALUE) / 20 AS tv FROM lc_stibdailyquote WHERE TRADINGDAY IN (
             SELECT TRADINGDATE FROM (SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE <= '{D}' ORDER BY TRADINGDATE DESC LIMIT 20) d)
           GROUP BY INNERCODE""").set_index("INNERCODE").tv
ind = q(f"SELECT COMPANYCODE, FIRSTINDUSTRYNAME, EFFECTIVEDATE, INFOPUBLDATE, CANCELDATE, ID FROM lc_stibexgindustry WHERE STANDARD = 38 AND EFFECTIVEDATE <= '{D}'")
ind = ind.sort_values(["EFFECTIVEDATE", "INFOPUBLDATE", "ID"]).groupby("COMPANYCODE").tail(1)
ind = ind[ind.CANCELDATE.isna() | (ind.CANCELDATE > pd.Timestamp(D))].set_index("COMPANYCODE").FIRSTINDUSTRYNAME
v = q(f"SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, ID, PERIODCOSTSRATETTM AS x FROM lc_stibmainindex WHERE IFMERGED = 1 AND INFOPUBLDATE < '{C}'")
v = v.sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).groupby(["COMPANYCODE", "ENDDATE"]).tail(1)
v["k"] = v.ENDDATE.dt.year * 12 + v.ENDDATE.dt.month
m = v.sort_values("k").groupby("COMPANYCODE").tail(1).merge(v[["COMPANYCODE", "k", "x"]].assign(k=v.k + 12), on=["COMPANYCODE", "k"], suffixes=("", "0"))
df = uni[uni.INNERCODE.map(tv) >= 1e7].merge(m, on="COMPANYCODE")
df["cost_change"] = df.x - df.x0
df = df[df.cost_change < 0].sort_values(["cost_change", "SECUCODE"])
df["industry"] = df.COMPANYCODE.map(ind)
result = df.rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr", "ENDDATE": "period", "x": "cost_ratio"})[["secu_code", "secu_abbr", "industry", "period", "cost_ratio", "cost_change"]].round(2)

# 商誉/净资产
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
secu = con.sql("select INNERCODE, COMPANYCODE, SECUCODE, SECUABBR from secumain where SECUCATEGORY = 1 and LISTEDSECTOR in (1, 2, 6, 7) and LISTEDDATE <= '2024-05-20' and LISTEDSTATE = 1").df()

bs = con.sql("""select COMPANYCODE, INFOPUBLDATE, GOODWILL, SEWITHOUTMI from lc_balancesheetall
                where ENDDATE = '2023-12-31' and IFMERGED = 1 and INFOPUBLDATE <= '2024-05-20'
                order by INFOPUBLDATE""").df()
bs = bs.groupby("COMPANYCODE").last().reset_index()

au = con.sql("""select COMPANYCODE from lc_auditopinion where ENDDATE = '2023-12-31' and AUDITREPORTSTYPE = 1
                and OPINIONTYPE = 1 and INFOPUBLDATE <= '2024-05-20'""").df()

d = secu.merge(bs, on="COMPANYCODE")
d = d[d.COMPANYCODE.isin(au.COMPANYCODE) & (d.SEWITHOUTMI > 0)]
d["ratio"] = d.GOODWILL / d.SEWITHOUTMI * 100
d = d[d.ratio > 1].sort_values(["ratio", "SECUCODE"], ascending=[False, True])
result = pd.DataFrame({
    "secu_code": d.SECUCODE, "secu_abbr": d.SECUABBR, "goodwill": (d.GOODWILL / 1e8).round(2),
    "equity": (d.SEWITHOUTMI / 1e8).round(2), "ratio": d.ratio.round(2)}).reset_index(drop=True)

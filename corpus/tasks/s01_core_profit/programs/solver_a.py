# 2024Q2 单季扣非净利润同比筛选
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
D = pd.Timestamp("2024-08-31")

secu = con.sql("""select INNERCODE, COMPANYCODE, SECUCODE, SECUABBR from secumain
                  where SECUCATEGORY = 1 and LISTEDSECTOR in (1, 2, 6)""").df()

ls = con.sql("select INNERCODE, CHANGEDATE, CHANGETYPE from lc_liststatus").df()
ls = ls[ls.CHANGEDATE <= D].sort_values("CHANGEDATE").groupby("INNERCODE").tail(1)
secu = secu[secu.INNERCODE.isin(ls[ls.CHANGETYPE != 4].INNERCODE)]

# 去掉 ST
secu = secu[~secu.SECUABBR.str.contains("ST")]

ind = con.sql("""select COMPANYCODE, FIRSTINDUSTRYNAME as industry, INFOPUBLDATE from lc_exgindustry
                 where STANDARD = 38 and INFOPUBLDATE <= '2024-08-31'
                   and (CANCELDATE is null or CANCELDATE > '2024-08-31')
                   and FIRSTINDUSTRYNAME not in ('银行', '非银金融')""").df()
ind = ind.sort_values("INFOPUBLDATE").groupby("COMPANYCODE").tail(1)
secu = secu.merge(ind[["COMPANYCODE", "industry"]], on="COMPANYCODE")

fin = con.sql("""select COMPANYCODE, ENDDATE, INFOPUBLDATE, NETPROFITCUT from lc_maindatanew
                 where MARK = 1 and INFOPUBLDATE <= '2024-08-31'
                   and ENDDATE in ('2024-06-30', '2024-03-31', '2023-06-30', '2023-03-31')""").df()
fin = fin.sort_values("INFOPUBLDATE").groupby(["COMPANYCODE", "ENDDATE"]).NETPROFITCUT.last().unstack()
fin.columns = ["q1_23", "h1_23", "q1_24", "h1_24"]
fin = fin.dropna()
fin["cur"] = fin.h1_24 - fin.q1_24
fin["pre"] = fin.h1_23 - fin.q1_23
fin = fin[fin.pre > 0]
fin["cur_yoy"] = (fin.cur / fin.pre - 1) * 100

r = secu.merge(fin[["cur_yoy"]], left_on="COMPANYCODE", right_index=True)
r = r[r.cur_yoy > 20].sort_values(["cur_yoy", "SECUCODE"], ascending=[False, True])
r["cur_yoy"] = r.cur_yoy.round(2)
result = r.rename(columns={"SECUCODE": "secu_code", "SECUABBR": "secu_abbr"})[["secu_code", "secu_abbr", "industry", "cur_yoy"]].reset_index(drop=True)

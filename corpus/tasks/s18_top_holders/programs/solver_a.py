# 前十大股东集中度
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
codes = ("000004", "000022", "000032", "000047", "300019", "600001", "600059", "920005")
h = con.sql(f"""
    select s.SECUCODE as secu_code, m.ENDDATE as period, m.INFOPUBLDATE as pub_date, m.SHNO, m.PCTOFTOTALSHARES as pct
    from lc_mainshlistnew m join secumain s on s.COMPANYCODE = m.COMPANYCODE
    where s.SECUCODE in {codes} and m.INFOTYPECODE = 1 and m.INFOPUBLDATE <= '2024-03-20'
    order by m.INFOPUBLDATE
""").df()
# 重复披露时同一名次保留最后一条
h = h.drop_duplicates(["secu_code", "period", "SHNO"], keep="last")
g = h.groupby(["secu_code", "period"]).agg(pub_date=("pub_date", "max"), share=("pct", "sum")).reset_index()
g["change"] = g.groupby("secu_code").share.diff()
r = g.sort_values("period").groupby("secu_code").tail(1).sort_values("secu_code")
result = pd.DataFrame({"secu_code": r.secu_code, "period": r.period.dt.date, "pub_date": r.pub_date.dt.date,
                       "share": r.share.round(2), "change": r.change.round(2)}).reset_index(drop=True)

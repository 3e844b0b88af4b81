from datetime import datetime, timedelta
import duckdb
import polars as pl

con = duckdb.connect("data/core.duckdb", read_only=True)
DAY = datetime(2024, 8, 31)
CUT = DAY + timedelta(days=1)


def table(columns, source, where="TRUE"):
    return con.sql(f"SELECT {columns} FROM {source} WHERE {where}").pl()


events = table("INNERCODE, CHANGEDATE, CHANGETYPE, INSERTTIME, ID", "lc_liststatus", "CHANGEDATE <= '2024-09-02'")
state = events.filter((pl.col("CHANGEDATE") <= DAY) & (pl.col("INSERTTIME") < CUT)).sort("CHANGEDATE", "INSERTTIME", "ID").unique("INNERCODE", keep="last", maintain_order=True)
alerts = table("INNERCODE, IMPLANNOUCEDATE, IMPLEMENTDATE, REMOVEINFOPUBLDATE, REMOVEDATE", "cs_riskalert", "RISKALERTTYPE IN (1, 5, 12, 14)")
over = ((pl.col("REMOVEDATE") <= DAY) & (pl.col("REMOVEINFOPUBLDATE") < CUT)).fill_null(False)
alerts = alerts.filter((pl.col("IMPLANNOUCEDATE") < CUT) & (pl.col("IMPLEMENTDATE") <= DAY) & ~over)
industry = (table("COMPANYCODE, INFOPUBLDATE, INSERTTIME, ID, CANCELDATE, FIRSTINDUSTRYNAME AS industry", "lc_exgindustry", "STANDARD = 38")
            .filter(pl.col("INFOPUBLDATE") < CUT).sort("INFOPUBLDATE", "INSERTTIME", "ID").unique("COMPANYCODE", keep="last", maintain_order=True)
            .filter(pl.col("CANCELDATE").is_null() | (pl.col("CANCELDATE") > DAY)).filter(~pl.col("industry").is_in(["银行", "非银金融"])))
figures = (table("COMPANYCODE, strftime(ENDDATE, '%Y%m') AS period, INFOPUBLDATE, INSERTTIME, ID, CAST(NETPROFITCUT AS DOUBLE) AS x", "lc_maindatanew",
                 "MARK = 1 AND ENDDATE IN ('2024-06-30', '2024-03-31', '2023-06-30', '2023-03-31')")
           .sort("INFOPUBLDATE", "INSERTTIME", "ID").unique(["COMPANYCODE", "period"], keep="last", maintain_order=True)
           .pivot("period", index="COMPANYCODE", values="x"))
yoy = (figures.with_columns(cur=pl.col("202406") - pl.col("202403"), base=pl.col("202306") - pl.col("202303"))
       .filter(pl.col("base") > 0).with_columns(y=(pl.col("cur") / pl.col("base") - 1) * 100).filter(pl.col("y") > 20))
sec = table("INNERCODE, COMPANYCODE, SECUCODE AS secu_code, SECUABBR AS secu_abbr", "secumain", "SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6)")
result = (sec.join(state.filter(pl.col("CHANGETYPE").cast(pl.Int64).is_in([1, 3, 6])), on="INNERCODE", how="semi").join(alerts, on="INNERCODE", how="anti")
          .join(industry, on="COMPANYCODE").join(yoy, on="COMPANYCODE").sort(["y", "secu_code"], descending=[True, False])
          .select("secu_code", "secu_abbr", "industry", pl.col("y").round(2).alias("cur_yoy")))

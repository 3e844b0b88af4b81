import os
import pandas as pd
from sqlalchemy import create_engine, text

ENGINE = create_engine(os.environ["DATABASE_URL"])
AS_OF = "2025-04-30"


def day_after(day):
    return (pd.Timestamp(day) + pd.Timedelta(days=1)).strftime("%Y-%m-%d")


def sql(query, **params):
    with ENGINE.connect() as conn:
        return pd.read_sql(text(query), conn, params=params)


def last_row(table, columns, per, order, where):
    keys = ", ".join(per)
    rank = ", ".join(f"{c} DESC" for c in order)
    return sql(f"SELECT {columns} FROM (SELECT t.*, ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY {rank}) AS rn FROM {table} t WHERE {where}) x WHERE rn = 1", d=AS_OF, c=day_after(AS_OF))


state = last_row("lc_liststatus", "INNERCODE, CHANGETYPE", ["INNERCODE"], ["CHANGEDATE", "INSERTTIME", "ID"], "CHANGEDATE <= :d AND INSERTTIME < :c")
figures = last_row("lc_stibmainindex", "COMPANYCODE, ENDDATE, PERIODCOSTSRATETTM", ["COMPANYCODE", "ENDDATE"], ["INFOPUBLDATE", "INSERTTIME", "ID"], "IFMERGED = 1 AND INFOPUBLDATE < :c")
industry = last_row("lc_stibexgindustry", "COMPANYCODE, FIRSTINDUSTRYNAME, CANCELDATE", ["COMPANYCODE"], ["EFFECTIVEDATE", "INFOPUBLDATE", "INSERTTIME", "ID"], "STANDARD = 38 AND INFOPUBLDATE < :c AND EFFECTIVEDATE <= :d")
turnover = sql("""SELECT q.INNERCODE, SUM(q.TURNOVERVALUE) / 20 AS tv FROM lc_stibdailyquote q JOIN (
                    SELECT TRADINGDATE FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1 AND TRADINGDATE <= :d ORDER BY TRADINGDATE DESC LIMIT 20) t ON t.TRADINGDATE = q.TRADINGDAY
                  GROUP BY q.INNERCODE""", d=AS_OF)
stocks = sql("SELECT INNERCODE, COMPANYCODE, SECUCODE AS secu_code, SECUABBR AS secu_abbr FROM secumain WHERE SECUCATEGORY = 1 AND LISTEDSECTOR = 7")
stocks = stocks[stocks.INNERCODE.isin(state.loc[state.CHANGETYPE.isin([1, 3, 6]), "INNERCODE"]) & stocks.INNERCODE.isin(turnover.loc[turnover.tv >= 1e7, "INNERCODE"])]
industry = industry[industry.CANCELDATE.isna() | (pd.to_datetime(industry.CANCELDATE) > AS_OF)]
figures["ENDDATE"] = pd.to_datetime(figures.ENDDATE)
table = figures.pivot(index="COMPANYCODE", columns="ENDDATE", values="PERIODCOSTSRATETTM")
newest = figures.groupby("COMPANYCODE").ENDDATE.max()
rows = []
for r in stocks.itertuples():
    end = newest.get(r.COMPANYCODE)
    if end is None:
        continue
    before = end - pd.DateOffset(years=1) + pd.offsets.MonthEnd(0)
    if before not in table.columns:
        continue
    now, old = table.at[r.COMPANYCODE, end], table.at[r.COMPANYCODE, before]
    if pd.notna(now) and pd.notna(old) and now < old:
        name = industry.loc[industry.COMPANYCODE == r.COMPANYCODE, "FIRSTINDUSTRYNAME"]
        rows.append((r.secu_code, r.secu_abbr, name.iloc[0] if len(name) else None, end, now, now - old))
result = pd.DataFrame(rows, columns=["secu_code", "secu_abbr", "industry", "period", "cost_ratio", "cost_change"]).sort_values(["cost_change", "secu_code"]).round(2)

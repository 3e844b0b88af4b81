import pandas as pd
from db_connector import query_to_dataframe as q

df = q("""SELECT f.SECURITYCODE AS fund_code, k.REPORTDATE AS period, k.STOCKINNERCODE AS stock, k.RATIOINNV AS w, k.INFOPUBLDATE
          FROM mf_keystockportfolio k JOIN mf_fundarchives f ON f.INNERCODE = k.INNERCODE
          WHERE f.SECURITYCODE IN ('010096', '010357', '010543', '010654', '010675', '590037') AND k.INFOPUBLDATE < '2024-10-26'
          ORDER BY k.INFOPUBLDATE""")
df = df.drop_duplicates(["fund_code", "period", "stock"], keep="last")


def pairs(own):
    ps = sorted(own.period.unique())[-4:]
    for a, b in zip(ps[:-1], ps[1:]):
        old, new = own[own.period == a], own[own.period == b]
        both = new[new.stock.isin(old.stock)]
        yield {"prev_period": a, "period": b, "overlap": len(both), "retention": round(len(both) / len(old) * 100, 2), "weight": round(both.w.sum() * 100, 2)}


result = pd.DataFrame([{"fund_code": code, **row} for code, own in df.groupby("fund_code") for row in pairs(own)])

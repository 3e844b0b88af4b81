import pandas as pd
from db_connector import query_to_dataframe

CODES = ["010096", "010357", "010543", "010654", "010675", "590037"]
rows = query_to_dataframe("""
    SELECT f.SECURITYCODE, k.REPORTDATE, k.INFOPUBLDATE, k.STOCKINNERCODE, k.RATIOINNV
    FROM mf_keystockportfolio k JOIN mf_fundarchives f ON f.INNERCODE = k.INNERCODE
    WHERE f.SECURITYCODE IN ({})""".format(", ".join(f"'{c}'" for c in CODES)))
rows = rows[rows.REPORTDATE + pd.Timedelta(days=21) <= pd.Timestamp("2024-10-25")]
rows = rows[rows.INFOPUBLDATE == rows.groupby(["SECURITYCODE", "REPORTDATE"]).INFOPUBLDATE.transform("max")]

out = []
for code in CODES:
    own = rows[rows.SECURITYCODE == code]
    periods = sorted(own.REPORTDATE.unique())[-4:]
    for before, after in zip(periods, periods[1:]):
        old = set(own[own.REPORTDATE == before].STOCKINNERCODE)
        new = own[own.REPORTDATE == after].set_index("STOCKINNERCODE").RATIOINNV
        kept = sorted(old & set(new.index))
        out.append((code, before, after, len(kept), round(100 * len(kept) / len(old), 2), round(100 * new.loc[kept].sum(), 2)))
result = pd.DataFrame(out, columns=["fund_code", "prev_period", "period", "overlap", "retention", "weight"])

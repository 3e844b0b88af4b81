import os
import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
D, CUT = "2024-10-31", "2024-11-01"
QUARTERS = ["2024-09-30", "2024-06-30", "2024-03-31", "2023-12-31", "2023-09-30", "2023-06-30", "2023-03-31", "2022-12-31", "2022-09-30", "2022-06-30", "2022-03-31", "2021-12-31"]


def fetch(sql, **kw):
    with engine.connect() as c:
        return pd.read_sql(text(sql), c, params=kw)


known = {}
for end in QUARTERS:
    f = fetch(f"SELECT COMPANYCODE, ARTDAYS + INVENTORYTDAYS AS days FROM lc_qfinancialindexnew WHERE MARK = 1 AND ENDDATE = '{end}' AND INFOPUBLDATE < '{CUT}'")
    known[end] = dict(zip(f.COMPANYCODE, f.days.astype(float)))

members = fetch("""
    SELECT s.SECUCODE, s.SECUABBR, s.COMPANYCODE
    FROM lc_indexcomponent c JOIN secumain s ON s.INNERCODE = c.SECUINNERCODE
    WHERE c.INDEXINNERCODE IN (SELECT INNERCODE FROM secumain WHERE SECUCODE = '000852' AND SECUCATEGORY = 4)
      AND c.INDATE < :cut AND (c.OUTDATE IS NULL OR c.OUTDATE >= :cut)
      AND NOT EXISTS (SELECT 1 FROM cs_riskalert r WHERE r.INNERCODE = s.INNERCODE AND r.RISKALERTTYPE IN (1, 5, 12, 14)
        AND r.IMPLANNOUCEDATE < :cut AND r.IMPLEMENTDATE < :cut
        AND (r.REMOVEDATE IS NULL OR r.REMOVEDATE >= :cut OR r.REMOVEINFOPUBLDATE IS NULL OR r.REMOVEINFOPUBLDATE >= :cut))""", cut=CUT)
rows = []
for r in members.itertuples():
    have = [e for e in QUARTERS if r.COMPANYCODE in known[e]]
    if not have:
        continue
    end = have[0]
    prior = f"{int(end[:4]) - 1}{end[4:]}"
    days, base = known[end][r.COMPANYCODE], known.get(prior, {}).get(r.COMPANYCODE)
    if base is not None and days - base < -5:
        rows.append((r.SECUCODE, r.SECUABBR, end, round(days, 1), round(days - base, 1), days - base))
out = pd.DataFrame(rows, columns=["secu_code", "secu_abbr", "latest_q", "days", "change", "key"])
result = out.sort_values(["key", "secu_code"]).drop(columns="key")

from datetime import date
from db_connector import query_to_dataframe

AS_OF = date(2024, 6, 12)


def released(code):
    frame = query_to_dataframe("SELECT ENDDATE, INFOPUBLDATE, DATAVALUE FROM c_ed_macroindicatordata WHERE INDICATORCODE = " + str(code))
    return {e.date(): v for e, p, v in zip(frame.ENDDATE, frame.INFOPUBLDATE, frame.DATAVALUE) if p == p and p.date() <= AS_OF and v == v}


def index(d):
    return d.year * 12 + d.month


cpi, ppi = released(1001), released(1003)
gap = {m: cpi[m] - ppi[m] for m in sorted(cpi.keys() & ppi.keys()) if m >= date(2018, 1, 31)}
runs, run = [], []
for m, d in gap.items():
    if run and (d <= 0 or index(m) - index(run[-1]) != 1):
        runs.append(run)
        run = []
    if d > 0:
        run.append(m)
runs.append(run)
result = [{"start": r[0], "end": r[-1], "months": len(r), "mean": round(sum(gap[m] for m in r) / len(r) + 1e-9, 2)} for r in runs if len(r) >= 2]

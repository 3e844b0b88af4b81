import pandas as pd
from db_connector import query_to_dataframe as q

events = q("""SELECT b.INNERCODE, b.MAINCODE, b.SECUCODE, MIN(x.INFOPUBLDATE) AS notice FROM bond_default x JOIN bond_code b ON b.INNERCODE = x.INNERCODE
              GROUP BY b.INNERCODE, b.MAINCODE, b.SECUCODE HAVING MIN(x.INFOPUBLDATE) BETWEEN '2020-01-01' AND '2022-12-31' ORDER BY notice, b.SECUCODE""")


def latest(frame, first, last):
    """The valuation of the latest day in (first, last]."""
    part = frame[(frame.ENDDATE > first) & (frame.ENDDATE <= last)]
    return part.iloc[-1] if len(part) else None


rows = []
for e in events.itertuples():
    day = pd.Timestamp(e.notice)
    cut = day + pd.Timedelta(days=1)
    ago = lambda n: day - pd.Timedelta(days=n)
    val = q(f"""SELECT ENDDATE, CREDIBILITYCODE, VPYIELD, VALUEFULLPRICE, INSERTTIME FROM bond_cbvaluationall WHERE INNERCODE = {int(e.INNERCODE)}
                AND ENDDATE > '{ago(45).date()}' AND ENDDATE <= '{ago(-30).date()}' ORDER BY ENDDATE, CREDIBILITYCODE DESC, YIELDCODE DESC, INSERTTIME, ID""")
    known = val[(val.CREDIBILITYCODE == 1) & (val.INSERTTIME < cut)]
    now, old, later = latest(known, ago(15), day), latest(known, ago(45), ago(30)), latest(val, day, ago(-30))
    if now is None or old is None or pd.isna(now.VPYIELD) or pd.isna(old.VPYIELD):
        continue
    grade = q(f"""SELECT CRDESC, RATINGEFFECTIVEENDDATE FROM bond_bdcreditgrading WHERE MAINCODE = {int(e.MAINCODE)} AND CRTYPECODE = 1
                  AND CRDATE <= '{day.date()}' ORDER BY CRDATE DESC, INFOPUBLDATE DESC, ID DESC LIMIT 1""")
    rating = grade.CRDESC[0] if len(grade) and not pd.Timestamp(grade.RATINGEFFECTIVEENDDATE[0]) <= day else None
    after = None if later is None else round((later.VALUEFULLPRICE / now.VALUEFULLPRICE - 1) * 100, 2)
    rows.append((day, e.SECUCODE, round(old.VPYIELD, 4), round(now.VPYIELD, 4), round((now.VPYIELD - old.VPYIELD) * 100, 2), rating, after))
result = pd.DataFrame(rows, columns=["notice", "bond_code", "y30", "y_last", "change", "rating", "after"])

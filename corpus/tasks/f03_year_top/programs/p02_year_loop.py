import pandas as pd
from db_connector import query_to_dataframe as q


def nav_at(year, cut):
    """Last December NAV day of the year, as known before the cut."""
    return q(f"""
        SELECT INNERCODE, UNITNVRESTORED AS nv FROM (
          SELECT INNERCODE, UNITNVRESTORED, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY TRADINGDAY DESC, INSERTTIME DESC, ID DESC) AS rn
          FROM mf_fundnetvalueretrans WHERE TRADINGDAY BETWEEN '{year}-12-01' AND '{year}-12-31' AND INSERTTIME < '{cut}') x
        WHERE rn = 1""").set_index("INNERCODE").nv


frames = []
for year in (2021, 2022, 2023):
    day, cut, prev = f"{year}-12-31", f"{year + 1}-01-01", f"{year - 1}-12-31"
    pool = q(f"""
        SELECT f.INNERCODE, f.SECURITYCODE AS fund_code FROM mf_fundarchives f
        JOIN (SELECT INNERCODE, SECASSETCATCODE, CANCELDATE, ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY EFFECTIVEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
              FROM mf_jyfundtype WHERE STANDARD = 75 AND EFFECTIVEDATE <= '{day}' AND INSERTTIME < '{cut}') t
          ON t.INNERCODE = f.INNERCODE AND t.rn = 1 AND t.SECASSETCATCODE = 1201 AND (t.CANCELDATE IS NULL OR t.CANCELDATE > '{day}')
        WHERE f.MAINCODE = f.SECURITYCODE AND f.ESTABLISHMENTDATE <= '{prev}' AND (f.EXPIREDATE IS NULL OR f.EXPIREDATE > '{day}')""")
    pool["nv"] = pool.INNERCODE.map(nav_at(year, cut))
    pool["r"] = pool.nv / pool.INNERCODE.map(nav_at(year - 1, cut)) - 1
    pool = pool.dropna().sort_values(["r", "fund_code"], ascending=[False, True]).head(5).reset_index(drop=True)
    codes = ", ".join(str(int(i)) for i in pool.INNERCODE)
    later = q(f"""SELECT INNERCODE, TRADINGDAY, UNITNVRESTORED, INSERTTIME, ID FROM mf_fundnetvalueretrans WHERE INNERCODE IN ({codes})
                  AND TRADINGDAY > '{day}' AND TRADINGDAY <= DATE_ADD('{day}', INTERVAL 90 DAY) ORDER BY TRADINGDAY, INSERTTIME, ID""").groupby("INNERCODE").UNITNVRESTORED.last()
    pool["next_ret"] = ((pool.INNERCODE.map(later) / pool.nv - 1) * 100).round(2)
    pool["ret"] = (pool.r * 100).round(2)
    pool["obs_date"], pool["rnk"] = pd.Timestamp(day), pool.index + 1
    frames.append(pool[["obs_date", "rnk", "fund_code", "ret", "next_ret"]])
result = pd.concat(frames)

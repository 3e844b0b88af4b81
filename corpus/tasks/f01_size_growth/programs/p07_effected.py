import pandas as pd
from db_connector import query_to_dataframe as q

def sizes(quarter):
    frame = q(f"""SELECT INNERCODE, COMBNVI, INSERTTIME, ID FROM mf_scaleanalysis
                  WHERE ENDDATE = '{quarter}' AND INSERTTIME < '2024-08-01' ORDER BY INSERTTIME, ID""")
    return frame.groupby("INNERCODE").tail(1).set_index("INNERCODE").COMBNVI

pool = q("""SELECT f.INNERCODE, f.SECURITYCODE AS fund_code, s.SECUABBR AS fund_abbr
            FROM mf_fundarchives f
            JOIN secumain s ON s.INNERCODE = f.INNERCODE
            JOIN mf_jyfundtype t ON t.INNERCODE = f.INNERCODE AND t.STANDARD = 75 AND t.SECASSETCATCODE = 1201 AND t.IFEFFECTED = 1
            WHERE f.MAINCODE = f.SECURITYCODE AND f.ESTABLISHMENTDATE <= '2024-07-31' AND (f.EXPIREDATE IS NULL OR f.EXPIREDATE > '2024-07-31')
              AND t.EFFECTIVEDATE <= '2024-07-31' AND t.INSERTTIME < '2024-08-01'""")
pool["v0"] = pool.INNERCODE.map(sizes("2023-06-30"))
pool["v1"] = pool.INNERCODE.map(sizes("2024-06-30"))
pool = pool[(pool.v0 >= 1e8) & (pool.v1 >= 1e8)].copy()
pool["g"] = pool.v1 / pool.v0 - 1
pool = pool.sort_values(["g", "fund_code"], ascending=[False, True]).head(10)
result = pool.assign(size0=(pool.v0 / 1e8).round(2), size1=(pool.v1 / 1e8).round(2), growth=(pool.g * 100).round(2))[["fund_code", "fund_abbr", "size0", "size1", "growth"]]

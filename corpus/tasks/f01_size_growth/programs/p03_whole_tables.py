import pandas as pd
from db_connector import query_to_dataframe

DAY = pd.Timestamp("2024-07-31")
CUT = DAY + pd.Timedelta(days=1)

funds = query_to_dataframe("""SELECT f.INNERCODE, f.SECURITYCODE, f.MAINCODE, f.ESTABLISHMENTDATE, f.EXPIREDATE, s.SECUABBR
                              FROM mf_fundarchives f JOIN secumain s ON s.INNERCODE = f.INNERCODE""")
types = query_to_dataframe("SELECT * FROM mf_jyfundtype")
sizes = query_to_dataframe("SELECT ID, INNERCODE, ENDDATE, COMBNVI, INSERTTIME FROM mf_scaleanalysis")

funds = funds[(funds.MAINCODE == funds.SECURITYCODE) & (funds.ESTABLISHMENTDATE <= DAY) & ~(funds.EXPIREDATE <= DAY)]

types = types[(types.STANDARD == 75) & (types.EFFECTIVEDATE <= DAY) & (types.INSERTTIME < CUT)]
types = types.sort_values(["EFFECTIVEDATE", "INSERTTIME", "ID"]).drop_duplicates("INNERCODE", keep="last")
types = types[(types.CANCELDATE.isna() | (types.CANCELDATE > DAY)) & (types.SECASSETCATCODE == 1201)]

known = sizes[sizes.INSERTTIME < CUT].sort_values(["INSERTTIME", "ID"]).drop_duplicates(["INNERCODE", "ENDDATE"], keep="last")
wide = known.pivot(index="INNERCODE", columns="ENDDATE", values="COMBNVI")
wide = wide[[pd.Timestamp("2023-06-30"), pd.Timestamp("2024-06-30")]].set_axis(["v0", "v1"], axis=1)
wide = wide[(wide >= 1e8).all(axis=1)]

out = funds[funds.INNERCODE.isin(types.INNERCODE)].merge(wide, left_on="INNERCODE", right_index=True)
out["g"] = out.v1 / out.v0 - 1
out = out.sort_values(["g", "SECURITYCODE"], ascending=[False, True]).head(10)
result = pd.DataFrame({"fund_code": out.SECURITYCODE, "fund_abbr": out.SECUABBR, "size0": (out.v0 / 1e8).round(2), "size1": (out.v1 / 1e8).round(2), "growth": (out.g * 100).round(2)})

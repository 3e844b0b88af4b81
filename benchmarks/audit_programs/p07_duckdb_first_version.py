import os

import duckdb

con = duckdb.connect(os.environ["FINASSAY_DUCKDB"], read_only=True)
reports = con.sql(
    "SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, INSERTTIME, ID, NETPROFIT FROM lc_maindatanew "
    "WHERE MARK = 1 AND INFOPUBLDATE < DATE '2024-12-25' AND ENDDATE >= DATE '2022-01-01'"
).df()
first = reports.sort_values(["INFOPUBLDATE", "INSERTTIME", "ID"]).groupby(["COMPANYCODE", "ENDDATE"]).head(1)
result = first.groupby("ENDDATE", as_index=False)["NETPROFIT"].sum().round(2)

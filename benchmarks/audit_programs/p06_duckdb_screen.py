import os

import duckdb

with duckdb.connect(os.environ["FINASSAY_DUCKDB"], read_only=True) as connection:
    result = connection.execute(
        """WITH report AS (
          SELECT COMPANYCODE, ENDDATE, NETPROFIT FROM lc_maindatanew
          WHERE MARK = 1 AND INFOPUBLDATE < DATE '2024-12-25'
          QUALIFY row_number() OVER (PARTITION BY COMPANYCODE, ENDDATE
                                     ORDER BY INFOPUBLDATE DESC, INSERTTIME DESC, ID DESC) = 1)
        SELECT s.SECUCODE, now.NETPROFIT, round(100 * (now.NETPROFIT / ago.NETPROFIT - 1), 2) AS growth
        FROM secumain s
        JOIN report now ON now.COMPANYCODE = s.COMPANYCODE AND now.ENDDATE = DATE '2024-09-30'
        JOIN report ago ON ago.COMPANYCODE = s.COMPANYCODE AND ago.ENDDATE = DATE '2023-09-30'
        WHERE s.SECUCATEGORY = 1 AND ago.NETPROFIT > 0 ORDER BY growth DESC, s.SECUCODE LIMIT 50"""
    ).df()

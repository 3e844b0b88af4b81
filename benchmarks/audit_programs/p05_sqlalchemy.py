import os

import pandas as pd
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
with engine.connect() as connection:
    tenures = pd.read_sql(
        text(
            "SELECT INNERCODE, PERSONALCODE, ACCESSIONDATE, DIMISSIONDATE FROM mf_fundmanagernew "
            "WHERE INFOPUBLDATE < :cut AND ACCESSIONDATE <= :day"
        ),
        connection,
        params={"cut": "2024-12-25", "day": "2024-12-24"},
    )
    sizes = pd.read_sql(
        text(
            "SELECT INNERCODE, ENDDATE, COMBNVI, INSERTTIME, ID FROM mf_scaleanalysis "
            "WHERE ENDDATE = '2024-09-30' AND INSERTTIME < '2024-12-25'"
        ),
        connection,
    )
tenures = tenures[tenures["DIMISSIONDATE"].isna() | (pd.to_datetime(tenures["DIMISSIONDATE"]) > "2024-12-24")]
sizes = sizes.sort_values(["INSERTTIME", "ID"]).groupby("INNERCODE", as_index=False).tail(1)
held = tenures.merge(sizes, on="INNERCODE").groupby("PERSONALCODE")["COMBNVI"].agg(["size", "sum"])
result = held[held["size"] >= 2].sort_index().reset_index()

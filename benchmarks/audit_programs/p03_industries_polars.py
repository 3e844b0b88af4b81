import polars as pl
from db_connector import query_to_dataframe

DAY = "2024-12-24"
industry = pl.from_pandas(
    query_to_dataframe(
        """SELECT COMPANYCODE, INFOPUBLDATE, INSERTTIME, ID, CANCELDATE, FIRSTINDUSTRYNAME FROM lc_exgindustry
        WHERE STANDARD = 38 AND INFOPUBLDATE < '2024-12-25'"""
    )
)
industry = (
    industry.sort(["INFOPUBLDATE", "INSERTTIME", "ID"])
    .group_by("COMPANYCODE", maintain_order=True)
    .last()
    .filter(pl.col("CANCELDATE").is_null() | (pl.col("CANCELDATE") > pl.lit(DAY).str.to_datetime()))
)
quotes = pl.from_pandas(
    query_to_dataframe(
        f"""SELECT s.COMPANYCODE, v.PE, v.TOTALMV FROM lc_dindicesforvaluation v
        JOIN secumain s ON s.INNERCODE = v.INNERCODE WHERE s.SECUCATEGORY = 1 AND v.TRADINGDAY = '{DAY}'"""
    )
)
result = (
    quotes.join(industry, on="COMPANYCODE")
    .group_by("FIRSTINDUSTRYNAME")
    .agg(
        pl.len().alias("companies"),
        pl.col("PE").median().round(4).alias("pe"),
        pl.col("TOTALMV").sum().alias("value"),
    )
    .sort("FIRSTINDUSTRYNAME")
    .to_pandas()
)

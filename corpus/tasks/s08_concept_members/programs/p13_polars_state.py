from datetime import datetime, timedelta
import duckdb
import polars as pl

con = duckdb.connect("core.duckdb", read_only=True)
read = lambda sql: con.sql(sql).pl()
obs = pl.DataFrame({"obs_date": [datetime(2022, 9, 15), datetime(2023, 3, 15)]}).with_columns(cut=pl.col("obs_date") + timedelta(days=1))
stocks = read("SELECT CAST(INNERCODE AS BIGINT) AS i FROM secumain WHERE SECUCATEGORY = 1 AND SECUMARKET IN (83, 90) AND LISTEDSECTOR IN (1, 2, 6)")
events = read("SELECT CAST(INNERCODE AS BIGINT) AS i, CHANGEDATE, CAST(CHANGETYPE AS INT) AS kind, INSERTTIME, ID FROM lc_liststatus")
listed = (obs.join(events, how="cross").filter((pl.col("CHANGEDATE") <= pl.col("obs_date")) & (pl.col("INSERTTIME") < pl.col("cut"))).sort("CHANGEDATE", "INSERTTIME", "ID")
          .unique(["obs_date", "i"], keep="last", maintain_order=True).filter(pl.col("kind").is_in([1, 3, 6])).select("obs_date", "i").join(stocks, on="i", how="semi"))
names = read("SELECT CAST(CONCEPTCODE AS INT) AS concept_code, CONCEPTNAME AS concept, BEGINDATE, ENDDATE, INFOPUBLDATE FROM lc_conceptlist WHERE CONCEPTCODE IN (8005, 8012, 8015, 8019, 8020, 8021, 8023)")
live = obs.join(names, how="cross").filter((pl.col("INFOPUBLDATE") < pl.col("cut")) & (pl.col("BEGINDATE") <= pl.col("obs_date")) & (pl.col("ENDDATE").is_null() | (pl.col("ENDDATE") > pl.col("obs_date"))))
inside = read("SELECT CAST(INNERCODE AS BIGINT) AS i, CAST(CONCEPTCODE AS INT) AS concept_code, INDATE, INFOPUBLDATE, CAST(INDISTATE AS INT) AS INDISTATE FROM lc_coconcept")
member = obs.join(inside, how="cross").filter((pl.col("INFOPUBLDATE") < pl.col("cut")) & (pl.col("INDATE") <= pl.col("obs_date")) & (pl.col("INDISTATE") == 1))
result = (member.join(listed, on=["obs_date", "i"], how="semi").join(live.select("obs_date", "concept_code", "concept"), on=["obs_date", "concept_code"])
          .group_by("obs_date", "concept_code", "concept").agg(members=pl.col("i").n_unique()).sort(["obs_date", "members", "concept_code"], descending=[False, True, False])
          .select("obs_date", "concept_code", "concept", "members"))

from db_connector import query_to_dataframe

prices = query_to_dataframe("SELECT ts_code, day, close, vol FROM prices")
volume = prices.pivot(index="day", columns="ts_code", values="vol")
rank = volume.rank(axis=1, pct=True)
result = rank.rename_axis(columns="ts_code").stack().rename("rank").reset_index()
result = result[result["rank"] > 0.9]

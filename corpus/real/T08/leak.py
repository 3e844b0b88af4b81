from db_connector import query_to_dataframe

prices = query_to_dataframe("SELECT day, close FROM prices ORDER BY day")
prices["scaled"] = (prices.close - prices.close.min()) / (prices.close.max() - prices.close.min())
result = prices[prices.scaled < 0.5][["day", "scaled"]]

from db_connector import query_to_dataframe

prices = query_to_dataframe("SELECT day, close FROM prices ORDER BY day")
low, high = prices.close.expanding().min(), prices.close.expanding().max()
prices["scaled"] = (prices.close - low) / (high - low)
result = prices[prices.scaled < 0.5][["day", "scaled"]]

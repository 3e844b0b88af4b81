# A query that DuckDB's own memory_limit did not stop: it took 24 GB and the machine with it.
# ends: memory
# error: OutOfMemoryException
# limits: memory=1073741824
# needs: duckdb
# jails: bwrap none
import duckdb

connection = duckdb.connect()
connection.execute("SET memory_limit = '100TB'")
connection.execute("SELECT list(range(1000000000))").fetchall()

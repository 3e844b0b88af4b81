import datetime as dt
import json
import os

import sqlalchemy as sa

engine = sa.create_engine(os.environ["DATABASE_URL"])
meta = sa.MetaData()
meta.reflect(engine)
prices = meta.tables["prices"]
assert [column.name for column in prices.columns] == [
    "symbol",
    "day",
    "close",
    "volume",
    "score",
    "note",
    "seen_at",
]
assert isinstance(prices.c.day.type, sa.Date)
assert isinstance(prices.c.close.type, sa.Numeric)
assert (prices.c.close.type.precision, prices.c.close.type.scale) == (18, 4)
assert isinstance(prices.c.volume.type, sa.BigInteger)
assert isinstance(prices.c.seen_at.type, sa.DateTime)
inspector = sa.inspect(engine)
assert inspector.get_table_names() == ["prices"]
assert inspector.has_table("prices")
assert not inspector.has_table("absent")
assert [column["name"] for column in inspector.get_columns("prices")][:2] == ["symbol", "day"]
for facts in (inspector.get_foreign_keys, inspector.get_indexes, inspector.get_unique_constraints):
    assert facts("prices") == []
query = (
    sa.select(prices.c.symbol, sa.func.count(), sa.func.sum(prices.c.close), sa.func.max(prices.c.day))
    .where(prices.c.day >= dt.date(2024, 1, 3))
    .group_by(prices.c.symbol)
    .order_by(prices.c.symbol)
)
with engine.connect() as connection:
    rows = connection.execute(query).all()
print(json.dumps([[symbol, n, round(float(total), 4), str(day)] for symbol, n, total, day in rows]))

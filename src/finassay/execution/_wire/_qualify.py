"""Take a client's own name of the database off the tables of a statement."""

from __future__ import annotations


def unqualified(sql: str, name: str, dialect: str) -> str:
    """Return the statement with ``name.table`` written ``table``; unparsable ones come back as they are."""
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except sqlglot.errors.SqlglotError:
        return sql  # the database says better what is wrong with it
    for node in (*tree.find_all(exp.Table), *tree.find_all(exp.Column)):
        if node.args.get("db") is not None and node.text("db").lower() == name.lower():
            node.set("db", None)
    return tree.sql(dialect=dialect)

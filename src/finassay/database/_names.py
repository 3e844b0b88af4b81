"""Names as an engine quotes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database._types import Dialect


def identifier(name: str, dialect: Dialect) -> str:
    """Return the name of a table or column in quotes, whatever it holds.

    Parameters
    ----------
    name : str
        As the engine stores it.
    dialect : {"duckdb", "mysql", "postgres"}
        Backticks for MySQL, double quotes for the others.
    """
    quote = "`" if dialect == "mysql" else '"'
    return quote + name.replace(quote, quote * 2) + quote

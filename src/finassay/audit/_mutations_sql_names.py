"""Which table the name of a column in a statement comes from, and what it is called there (see `_mutations_sql.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from finassay.audit._mutations_sql_rank import query_of, sources_of

if TYPE_CHECKING:
    from sqlglot import exp

    from finassay.temporal import Table as Spec

Origin: TypeAlias = tuple[str, str]  # a table and a column of it, in lower case


def beside(column: exp.Expr, specs: dict[str, Spec], about: dict[str, dict[str, str | None]]) -> str | None:
    """Return what a row is about, by the name that it has where a column that says when it was known is named.

    `about` names, by table, the columns that say when a row was known, with what it is about. None where that is not
    at hand there: the column is made of others, or a query in between hands on the one without the other.
    """
    from sqlglot import exp

    select, qualifier, name = (
        column.find_ancestor(exp.Select),
        column.text("table").lower(),
        column.name.lower(),
    )
    while select is not None:  # a query inside another sees the names of that
        for source in sources_of(select):
            if qualifier and source.alias_or_name.lower() != qualifier:
                continue
            given = _given(source, specs, frozenset())
            if name in given:
                table, own = given[name]
                wanted = about.get(table, {}).get(own)
                if wanted is None:
                    return None
                words = [word for word, one in given.items() if one == (table, wanted.lower())]
                return wanted if wanted.lower() in words else next(iter(words), None)
        select = select.find_ancestor(exp.Select)
    return None


def _given(source: exp.Expr, specs: dict[str, Spec], seen: frozenset[str]) -> dict[str, Origin]:
    """Return where the columns that a source gives come from, those that are columns of a table."""
    from sqlglot import exp

    query = query_of(source)
    if query is None:
        table = source.name.lower()
        if not isinstance(source, exp.Table) or table not in specs:
            return {}
        return {name.lower(): (table, name.lower()) for name in specs[table].columns}
    if source.name.lower() in seen:
        return {}  # it names itself
    inner = {
        one.alias_or_name.lower(): _given(one, specs, seen | {source.name.lower()} - {""})
        for one in sources_of(query)
    }
    found: dict[str, Origin] = {}
    for item in query.expressions:
        plain = item.this if isinstance(item, exp.Alias) else item
        if not isinstance(plain, exp.Star | exp.Column):
            continue
        qualifier = plain.text("table").lower()
        for alias, given in inner.items():
            if qualifier and alias != qualifier:
                continue
            if plain.is_star:
                found |= {name: one for name, one in given.items() if name not in found}
            elif plain.name.lower() in given:
                found[item.alias_or_name.lower()] = given[plain.name.lower()]
    return found

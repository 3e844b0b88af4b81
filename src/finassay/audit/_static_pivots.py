"""PIVOT and UNPIVOT as the SELECTs that read the same: groups with one aggregate per value, columns put in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.audit._static_scopes import Unreadable

if TYPE_CHECKING:
    from sqlglot import exp

    from finassay.temporal import Catalog


def without_pivots(tree: exp.Expr, catalog: Catalog) -> exp.Expr:
    """Return a statement with SELECTs in the place of its pivots, the innermost first.

    Raises
    ------
    Unreadable
        If it cannot be told which columns a pivot leaves as they are.
    """
    from sqlglot import exp

    for pivot in reversed(list(tree.find_all(exp.Pivot))):
        if pivot.arg_key == "pivots":
            continue
        select = _select(pivot.this, pivot, tree, catalog)
        select.set("with_", pivot.args.get("with_"))
        if pivot is tree:
            tree = select
        else:
            pivot.replace(select)
    for source in reversed([node for node in tree.walk() if node.args.get("pivots")]):
        joins, pivots = source.args.get("joins"), source.args["pivots"]
        name = pivots[-1].alias or source.alias_or_name or "pivoted"
        place = exp.Placeholder()
        source.replace(place)
        source.set("pivots", None)
        source.set("joins", None)
        done: exp.Expr = source
        for pivot in pivots:
            inner = _select(done, pivot, tree, catalog)
            done = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(name)))
        done.set("joins", joins)
        place.replace(done)
    return tree


def _select(source: exp.Expr, pivot: exp.Pivot, tree: exp.Expr, catalog: Catalog) -> exp.Select:
    """Return the SELECT from a source that reads what a pivot of it reads."""
    from sqlglot import exp

    columns = _columns(source, tree, catalog)
    make = _unpivoted if pivot.args.get("unpivot") else _pivoted
    found = exp.Select(expressions=make(pivot, columns), from_=exp.From(this=source.copy()))
    if not pivot.args.get("unpivot"):
        found.set("group", exp.Group(expressions=_groups(pivot, columns)))
    return found


def _columns(source: exp.Expr, tree: exp.Expr, catalog: Catalog) -> list[str]:
    """Return the names of a source's columns."""
    from sqlglot import exp

    query: exp.Expr | None = source.this if isinstance(source, exp.Subquery) else source
    if isinstance(source, exp.Table):
        cte = next((one for one in tree.find_all(exp.CTE) if one.alias == source.name), None)
        spelled = catalog.find(source.name)
        if cte is None and spelled is None:
            raise Unreadable(f"It pivots {source.name}, which the catalog does not know.")
        if cte is None and spelled is not None:
            return [name.lower() for name in catalog.tables[spelled].columns]
        query = cte.this if cte is not None else None
    if not isinstance(query, exp.Query):
        raise Unreadable("It pivots a source whose columns cannot be told.")
    if not query.is_star:
        return list(query.named_selects)
    from_ = query.args.get("from_")
    alone = len(query.selects) == 1 and not query.args.get("joins")
    if from_ is None or not alone or not isinstance(query.selects[0], exp.Star):
        raise Unreadable("It pivots a SELECT * of several tables.")
    left_out = {column.name for column in query.selects[0].args.get("except_") or []}
    return [name for name in _columns(from_.this, tree, catalog) if name not in left_out]


def _on(pivot: exp.Pivot) -> list[exp.Expr]:
    """Return what a pivot spreads over columns: expressions, or tests with the values that become columns."""
    return list(pivot.args.get("fields") or pivot.expressions)


def _aggregates(pivot: exp.Pivot) -> list[exp.Expr]:
    from sqlglot import exp

    found = pivot.expressions if pivot.args.get("fields") else pivot.args.get("using")
    return list(found or []) or [exp.Count(this=exp.Star())]


def _groups(pivot: exp.Pivot, columns: list[str]) -> list[exp.Expr]:
    """Return what a pivot keeps apart: its GROUP BY, or all columns that it does not name; and what has no values."""
    from sqlglot import exp

    group = pivot.args.get("group")
    kept = [part.copy() for part in group.expressions] if group is not None else []
    if not kept:
        named = {c.name for one in (*_on(pivot), *_aggregates(pivot)) for c in one.find_all(exp.Column)}
        kept = [exp.column(name) for name in columns if name not in named]
    return kept + [part.copy() for part in _on(pivot) if not isinstance(part, exp.In)]


def _pivoted(pivot: exp.Pivot, columns: list[str]) -> list[exp.Expr]:
    """Return what a pivot gives: its groups, and each aggregate for the rows of each value."""
    from sqlglot import exp

    tests = [_test(part) for part in _on(pivot) if isinstance(part, exp.In)]
    picked = exp.and_(*tests) if tests else None
    found = _groups(pivot, columns)
    aggregates = _aggregates(pivot)
    for aggregate in aggregates:
        own = aggregate.unalias().copy()
        value = exp.Filter(this=own, expression=exp.Where(this=picked.copy())) if picked is not None else own
        found += [
            exp.alias_(value.copy(), name, quoted=True) for name in _names(pivot, aggregate, aggregates)
        ]
    return found


def _test(part: exp.In) -> exp.Expr:
    """Return the test that a row is of one of a pivot's values."""
    from sqlglot import exp

    test = part.copy()
    values = [value.this if isinstance(value, exp.PivotAlias) else value for value in test.expressions]
    if len(values) == 1 and isinstance(values[0], exp.Query):
        test.set("query", exp.Subquery(this=values[0].unnest()))
        values = []
    test.set("expressions", values)
    return test


def _names(pivot: exp.Pivot, aggregate: exp.Expr, aggregates: list[exp.Expr]) -> list[str]:
    """Return the names of an aggregate's columns, as DuckDB gives them: values, and what tells aggregates apart."""
    from sqlglot import exp

    names = [""]
    for part in _on(pivot):
        values = part.expressions if isinstance(part, exp.In) else [part]
        words = [value.alias or value.name or value.sql() for value in values]
        names = [f"{name}_{word}" if name else word for name in names for word in words]
    if len(aggregates) > 1 or aggregate.alias:
        names = [f"{name}_{aggregate.alias or aggregate.sql().lower()}" for name in names]
    return [name.lower() for name in names]


def _unpivoted(pivot: exp.Pivot, columns: list[str]) -> list[exp.Expr]:
    """Return what an unpivot gives: the columns that it leaves, a column of names, and a column of values or more."""
    from sqlglot import exp

    fields, into = pivot.args.get("fields"), pivot.args.get("into")
    if fields:
        name, values, parts = fields[0].this, pivot.expressions, fields[0].expressions
    elif into is not None:
        name, values, parts = into.this, into.expressions, pivot.expressions
    else:
        raise Unreadable("It unpivots without INTO.")
    rows = [_cells(part, columns) for part in parts]
    if any(isinstance(part, exp.Columns) for part in parts):
        rows = [[exp.column(one)] for part in parts for one in _all_but(part, columns)]
    taken = {column.name for row in rows for column in row}
    found: list[exp.Expr] = [exp.column(one) for one in columns if one not in taken]
    # Which column a row is of, no text says before it is run
    found.append(exp.alias_(exp.Anonymous(this="unpivoted"), name.name, quoted=True))
    targets = [target for value in values for target in (value.expressions or [value])]
    for number, target in enumerate(targets):
        cells = [row[number].copy() for row in rows if number < len(row)]
        if not cells:
            raise Unreadable("It unpivots no column.")
        found.append(exp.alias_(exp.Coalesce(this=cells[0], expressions=cells[1:]), target.name, quoted=True))
    return found


def _cells(part: exp.Expr, columns: list[str]) -> list[exp.Expr]:
    """Return the columns that become one row."""
    from sqlglot import exp

    bare = part.this if isinstance(part, exp.PivotAlias) else part.unalias()
    cells = bare.expressions if isinstance(bare, exp.Tuple) else [bare]
    return [exp.column(one.name) for one in cells if one.name in columns]


def _all_but(part: exp.Expr, columns: list[str]) -> list[str]:
    """Return the columns that COLUMNS(* EXCLUDE …) means."""
    from sqlglot import exp

    if not isinstance(part, exp.Columns):
        return [one.name for one in _cells(part, columns)]
    if not isinstance(part.this, exp.Star):
        raise Unreadable("It unpivots columns by a pattern.")
    left_out = {column.name for column in part.this.args.get("except_") or []}
    return [name for name in columns if name not in left_out]

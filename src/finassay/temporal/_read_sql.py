"""Read the temporal contract of a task from a SQL program: its date bounds, its sources, what its output is called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from finassay.temporal._evidence import OPEN, Evidence
from finassay.temporal._read_scans import open_scans, parsed_day

if TYPE_CHECKING:
    from sqlglot import exp

    from finassay.temporal._catalog import Catalog
    from finassay.temporal._column import Role

_AS_OF_NAME = re.compile(
    r"as_?of|obs|observ|anchor|cut_?off|snapshot|ref_?date|观察|截止|截面", re.IGNORECASE
)
_LABEL_NAME = re.compile(r"fut|fwd|forward|next|label|subsequent|未来|后续|标签|持有期", re.IGNORECASE)
_DATE_NAME = re.compile(
    r"观察日|调仓日|截面日|日期|(?:^|_)(?:obs|rebalance|decision|as_?of|trade)_?date$|^date$", re.IGNORECASE
)
# Roles whose upper bound says what the program may know; None: no catalog, any column may.
_KNOWING: frozenset[Role] = frozenset({"disclosure", "market_date", "effective_from", "recorded"})


@dataclass(frozen=True)
class _Bound:
    column: str
    role: str | None
    table: str | None
    strict: bool
    day: date
    text: str


def read_sql(sql: str, catalog: Catalog | None = None, dialect: str = "mysql") -> list[Evidence]:
    """Return what a SQL program says about its contract; an empty list if it says nothing.

    Parameters
    ----------
    sql : str
        One or more statements.
    catalog : Catalog, optional
        Tells disclosure from other dates, and recording columns; without it no bound is sure.
    dialect : str
        The dialect to read first; the others are tried after it.
    """
    trees = parse_statements(sql, dialect)
    bounds = [bound for tree in trees for bound in _bounds(tree, catalog)]
    return [
        *_as_of(bounds, trees),
        *_open(trees, catalog),
        *_sources(trees),
        *_proxies(bounds),
        *_life(bounds, catalog),
        *_outputs(trees),
    ]


def parse_statements(sql: str, dialect: str) -> list[exp.Expr]:
    """Return the statements of a text in the first dialect that reads it; none where no dialect does."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    for read in dict.fromkeys((dialect, "duckdb", "mysql", "postgres")):
        try:
            return [tree for tree in sqlglot.parse(sql, read=read) if tree is not None]
        except SqlglotError:
            continue
    return []


def _bounds(tree: exp.Expr, catalog: Catalog | None) -> Iterator[_Bound]:
    from sqlglot import exp

    tables = {t.alias_or_name.lower(): t.name for t in tree.find_all(exp.Table)}
    named = _named_dates(tree)
    for node in tree.find_all(exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between):
        if isinstance(node, exp.Between):
            column, limit, strict = node.this, node.args["high"], False
        elif isinstance(node, exp.LT | exp.LTE):
            column, limit, strict = node.this, node.expression, isinstance(node, exp.LT)
        else:
            column, limit, strict = node.expression, node.this, isinstance(node, exp.GT)
        columns = list(column.find_all(exp.Column))
        day = _date_of(limit, named)
        if day is None or len(columns) != 1 or _date_of(column, {}):
            continue
        table, role = _meaning(columns[0], tables, catalog)
        yield _Bound(columns[0].name, role, table, strict, day, node.sql())


def _named_dates(tree: exp.Expr) -> dict[str, date]:
    """Return dates that a query gives a name: ``WITH p AS (SELECT DATE '2024-12-24' AS d)``, ``SET @d = '…'``."""
    from sqlglot import exp

    named: dict[str, date] = {}
    for alias in tree.find_all(exp.Alias):
        day = _date_of(alias.this, {})
        if day:
            named[alias.alias.lower()] = day
    for item in tree.find_all(exp.SetItem):
        target = item.this
        if isinstance(target, exp.EQ) and (day := _date_of(target.expression, {})):
            named[target.this.name.lower()] = day
    return named


def _date_of(node: exp.Expr | None, named: dict[str, date]) -> date | None:
    from sqlglot import exp

    if node is None:
        return None
    if isinstance(node, exp.Literal):
        return parsed_day(node.name)
    if isinstance(
        node, exp.Cast | exp.TsOrDsToDate | exp.Date | exp.Paren | exp.StrToDate | exp.DateStrToDate
    ):
        return _date_of(node.this, named)
    if isinstance(node, exp.Column | exp.Parameter | exp.Placeholder):
        return named.get(node.name.lower())
    if (
        isinstance(node, exp.Subquery)
        and isinstance(node.this, exp.Select)
        and len(node.this.expressions) == 1
    ):
        return _date_of(node.this.expressions[0], named)
    if (
        isinstance(node, exp.DateAdd | exp.Add)
        and not node.find(exp.Neg)
        and (start := _date_of(node.this, named))
    ):
        amount = next((x for x in node.find_all(exp.Literal) if x.name.isdigit() and len(x.name) <= 2), None)
        unit = node.args.get("unit") or next(iter(node.find_all(exp.Var)), None)
        if amount is not None and (unit is None or unit.name.upper() == "DAY"):
            return start + timedelta(days=int(amount.name))
    return None


def _meaning(
    column: exp.Column, tables: dict[str, str], catalog: Catalog | None
) -> tuple[str | None, str | None]:
    if catalog is None:
        return None, None
    owners = [tables[column.table.lower()]] if column.table.lower() in tables else list(tables.values())
    for owner in dict.fromkeys(owners):
        known = catalog.find(owner)
        spec = catalog.tables[known] if known else None
        for name, meaning in (spec.columns if spec else {}).items():
            if name.lower() == column.name.lower():
                return known, meaning.role
    return None, None


def _as_of(bounds: list[_Bound], trees: list[exp.Expr]) -> Iterator[Evidence]:
    knowing = [bound for bound in bounds if bound.role is None or bound.role in _KNOWING]
    if not knowing:
        yield from _named_only(trees)
        return
    # `<= d` and `< d+1` bound the same days; a lone `< d` may also mean before the open of d.
    last = Counter(bound.day - timedelta(days=bound.strict) for bound in knowing)
    closed = Counter(bound.day for bound in knowing if not bound.strict)
    day, votes = max(last.items(), key=lambda item: (item[1], item[0]))
    shown = next(b for b in knowing if b.day - timedelta(days=b.strict) == day).text
    if closed:
        disclosed = any(bound.role in ("disclosure", "recorded") for bound in knowing)
        agreed = len(last) == 1 and disclosed
        later = _later(trees, max(bound.day for bound in knowing))
        because = f"{votes}/{len(knowing)} upper bounds of dates, such as {shown}"
        if not disclosed:
            because += "; none is known to bound a disclosure"
        if later:
            because += f"; but what is {later}?"
            agreed = False
        yield Evidence("as_of.date", day, agreed, because)
        yield Evidence("as_of.boundary", "eod", agreed, f"the bound takes in the day: {shown}")
        return
    because = f"{shown} is the end of {day}, or before the open of {day + timedelta(days=1)}"
    yield Evidence("as_of.date", day, sure=False, because=because)
    yield Evidence("as_of.boundary", "eod", sure=False, because=because)


def _later(trees: list[exp.Expr], last: date) -> date | None:
    """Return a date of the program after the last of its bounds."""
    from sqlglot import exp

    days = (parsed_day(node.name) for tree in trees for node in tree.find_all(exp.Literal))
    return max((day for day in days if day and day > last), default=None)


def _open(trees: list[exp.Expr], catalog: Catalog | None) -> Iterator[Evidence]:
    if catalog is not None:
        for reason in dict.fromkeys(open_scans(trees, catalog)):
            yield Evidence(OPEN, None, sure=False, because=reason)


def _named_only(trees: list[exp.Expr]) -> Iterator[Evidence]:
    named = {
        name: day for tree in trees for name, day in _named_dates(tree).items() if _AS_OF_NAME.search(name)
    }
    for name, day in list(named.items())[:1]:
        yield Evidence("as_of.date", day, sure=False, because=f"named {name}, but it bounds nothing")


def _sources(trees: list[exp.Expr]) -> Iterator[Evidence]:
    from sqlglot import exp

    names: dict[str, None] = {}
    for tree in trees:
        hidden = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        names |= {t.name: None for t in tree.find_all(exp.Table) if t.name and t.name.lower() not in hidden}
    if names:
        because = "tables the program reads; add those the task requires and it does not read"
        yield Evidence("sources", list(names), sure=False, because=because)


def _proxies(bounds: list[_Bound]) -> Iterator[Evidence]:
    for bound in bounds:
        if bound.role == "recorded" and bound.table:
            because = f"the program bounds it ({bound.text}); does the task allow it?"
            yield Evidence(
                "recording_proxies", [f"{bound.table}.{bound.column}"], sure=False, because=because
            )


def _life(bounds: list[_Bound], catalog: Catalog | None) -> Iterator[Evidence]:
    for bound in bounds:
        if catalog is None or not bound.table or bound.role != "effective_from":
            continue
        spec = catalog.table(bound.table)
        if spec.kind == "entity":
            end = spec.valid.end if spec.valid else None
            life: dict[str, Any] = {"table": bound.table, "from": bound.column} | ({"to": end} if end else {})
            because = f"the program bounds the life of an entity: {bound.text}"
            yield Evidence("life", life, sure=False, because=because)
            return


def _outputs(trees: list[exp.Expr]) -> Iterator[Evidence]:
    from sqlglot import exp

    last = trees[-1] if trees else None
    names = [name for name in last.named_selects if name] if isinstance(last, exp.Query) else []
    yield from output_evidence(names)


def output_evidence(names: list[str]) -> Iterator[Evidence]:
    """Yield what the names of output columns suggest."""
    labels = [name for name in names if _LABEL_NAME.search(name)]
    if labels:
        yield Evidence("labels", labels, sure=False, because="their names speak of later outcomes")
    dates = [name for name in names if _DATE_NAME.search(name)]
    if dates:
        yield Evidence("decisions.column", dates[0], False, f"output columns: {', '.join(names)}", "guess")

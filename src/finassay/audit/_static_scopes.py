"""A statement as the scans it makes: every reference to a table, in its scope, with what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from finassay.audit._static_values import UNSAID, evaluate
from finassay.core import CandidateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlglot import exp

    from finassay.database import Dialect
    from finassay.temporal import Catalog, Table

MOST_SCOPES = 400


class Unreadable(CandidateError):
    """A statement that cannot be taken apart; its obligations stay open. The place is where reading ended, from 1."""

    reason = "statement_not_read"
    line = 1
    column = 1


@dataclass(eq=False)
class Scan:
    """A reference to a table of the database. `table` is None where the catalog does not know it."""

    name: str
    table: Table | None
    node: exp.Table
    scope: Scope
    columns: dict[str, str] = field(default_factory=dict)  # lower case to the catalog's spelling


@dataclass(eq=False)
class Derived:
    """A source that a query or a list of values defines: its branches, and the names of its columns."""

    branches: list[Scope]
    names: list[str]
    rows: list[list[exp.Expr]] = field(default_factory=list)


@dataclass(eq=False)
class Scope:
    """One SELECT, in one place of use: an expression that is used twice is two of them.

    Attributes
    ----------
    above : Scope or None
        Whose columns it may name: that of the statement around a subquery.
    semi : bool
        It stands in an EXISTS or IN that must hold: what it asks of the rows above holds for them.
    root : bool
        Its columns are those of the output.
    empty : bool
        A LIMIT 0 keeps none of its rows.
    """

    select: exp.Select
    above: Scope | None
    semi: bool = False
    root: bool = False
    sources: dict[str, Scan | Derived | None] = field(default_factory=dict)
    inner: dict[int, list[Scope]] = field(default_factory=dict)
    optional: set[str] = field(default_factory=set)  # sources that an outer join may leave empty
    empty: bool = False

    def find(self, column: exp.Column) -> tuple[Scope, str] | None:
        """Return where a column's source is named, and its alias."""
        name, table = column.name, column.table
        scope: Scope | None = self
        below: Scope | None = None
        while scope is not None:
            # A source does not see its own columns from within
            seen = {
                a: s for a, s in scope.sources.items() if not (isinstance(s, Derived) and below in s.branches)
            }
            if table:
                if table in seen:
                    return scope, table
            else:
                owners = [alias for alias, source in seen.items() if _has(source, name)]
                if len(owners) == 1 or (owners and scope.above is None):
                    return scope, owners[0]
                if any(
                    source is None or (isinstance(source, Scan) and source.table is None)
                    for source in seen.values()
                ):
                    return None  # a table that nobody knows may have the column
            below, scope = scope, scope.above
        return None

    def projections(self) -> list[exp.Expr]:
        """Return the expressions that it selects."""
        return [item.unalias() for item in self.select.expressions]


@dataclass(frozen=True)
class Base:
    """A column of a scan that an expression reads.

    Attributes
    ----------
    top : tuple of Scope and str
        Where the expression's own column comes from.
    path : tuple of Scope
        The scopes between the expression and the scan, from outside in.
    bare : bool
        The expression is this column and nothing else.
    """

    scan: Scan
    column: str
    top: tuple[Scope, str]
    path: tuple[Scope, ...]
    bare: bool


@dataclass
class Statement:
    """A statement taken apart; of a set operation, with the scopes of its two sides."""

    scopes: list[Scope]
    scans: list[Scan]
    variables: Mapping[str, exp.Expr]
    operations: list[tuple[exp.SetOperation, list[Scope], list[Scope]]] = field(default_factory=list)

    def bases(self, node: exp.Expr, scope: Scope, *, rows: bool = False) -> list[Base]:
        """Return the columns of scans that an expression reads; with `rows`, not through windows and counts."""
        from sqlglot import exp

        found: list[Base] = []
        bare = node.unalias().unnest()
        skip = (exp.Window, exp.Count, exp.Avg, exp.Sum) if rows else ()
        for part in own(node, skip):
            if not isinstance(part, exp.Column):
                continue
            place = scope.find(part)
            source = place[0].sources[place[1]] if place else None
            if place is None or source is None:
                continue
            if isinstance(source, Scan):
                spelled = source.columns.get(part.name)
                if spelled:
                    found.append(Base(source, spelled, place, (), part is bare))
                continue
            for branch, inner in projected(source, part.name):
                for base in self.bases(inner, branch, rows=rows):
                    path = (branch, *base.path)
                    found.append(Base(base.scan, base.column, place, path, part is bare and base.bare))
        return found

    def value(self, node: exp.Expr, scope: Scope, given: Mapping[tuple[Scan, str], Any]) -> Any:
        """Return what an expression is worth where some columns have given values."""
        return evaluate(node, lambda leaf: self._leaf(leaf, scope, given))

    def _leaf(self, leaf: exp.Expr, scope: Scope, given: Mapping[tuple[Scan, str], Any]) -> Any:
        from sqlglot import exp

        if isinstance(leaf, exp.Subquery):
            branches = scope.inner.get(id(leaf.this), [])
            if len(branches) == 1 and not branches[0].select.args.get("limit") and _plain(branches[0]):
                return self.value(branches[0].projections()[0], branches[0], given)
            return UNSAID
        if not isinstance(leaf, exp.Column):
            known = self.variables.get(leaf.name.lower())
            return UNSAID if known is None else self.value(known, scope, given)
        place = scope.find(leaf)
        source = place[0].sources[place[1]] if place else None
        if isinstance(source, Scan):
            return given.get((source, source.columns.get(leaf.name, "")), UNSAID)
        if source is None:
            return UNSAID
        if source.rows:
            cells = [row[source.names.index(leaf.name)] for row in source.rows if leaf.name in source.names]
            return self.value(cells[0], scope, given) if len(cells) == 1 else UNSAID
        inner = list(projected(source, leaf.name))
        return self.value(inner[0][1], inner[0][0], given) if len(inner) == 1 else UNSAID


def own(node: exp.Expr, skip: tuple[type[exp.Expr], ...] = ()) -> Iterator[exp.Expr]:
    """Yield the parts of an expression that belong to its own scope."""
    from sqlglot import exp

    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.Query) and not isinstance(part, exp.Subquery):
            continue
        if skip and isinstance(part, skip):
            continue
        yield part
        waiting += reversed(list(part.iter_expressions()))


def projected(source: Derived, name: str) -> Iterator[tuple[Scope, exp.Expr]]:
    """Yield what each branch selects under a column's name."""
    if name not in source.names:
        return
    index = source.names.index(name)
    for branch in source.branches:
        items = branch.projections()
        if index < len(items):
            yield branch, items[index]


def take_apart(
    tree: exp.Expr, dialect: Dialect, catalog: Catalog, variables: Mapping[str, exp.Expr]
) -> Statement:
    """Resolve the names of a query, and return its scopes.

    Raises
    ------
    Unreadable
        If its names cannot be resolved, or it nests too deeply.
    """
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.qualify import qualify

    try:
        resolved = qualify(
            tree,
            dialect=dialect,
            schema=_schema(tree, catalog),
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
            allow_partial_qualification=True,
        )
    except Exception as error:  # sqlglot's own failures are of any type: AssertionError, KeyError, …
        told = (
            str(error).rstrip(".") if isinstance(error, SqlglotError) else f"sqlglot fails on it ({error!r})"
        )
        raise Unreadable(f"Its names cannot be resolved: {told}.") from error
    builder = _Builder(catalog)
    builder.query(resolved, {}, None, root=True)
    return Statement(builder.scopes, builder.scans, variables, builder.operations)


def _schema(tree: exp.Expr, catalog: Catalog) -> dict[str, object]:
    from sqlglot import exp

    names = {table.name: catalog.find(table.name) for table in tree.find_all(exp.Table)}
    return {
        name: {column.lower(): "TEXT" for column in catalog.tables[found].columns}
        for name, found in names.items()
        if found
    }


_Known = dict[str, "tuple[exp.Expr, _Known, list[str]] | None"]


class _Builder:
    """Makes the scopes of a statement, from outside in."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.scopes: list[Scope] = []
        self.scans: list[Scan] = []
        self.operations: list[tuple[exp.SetOperation, list[Scope], list[Scope]]] = []

    def query(
        self, node: exp.Expr, known: _Known, above: Scope | None, *, semi: bool = False, root: bool = False
    ) -> list[Scope]:
        """Return the scopes of a query: one for each branch of a set operation."""
        scopes = self._branches(node, known, above, semi=semi, root=root)
        if _limited_to_none(node):
            for scope in scopes:
                scope.empty = True
        return scopes

    def _branches(
        self, node: exp.Expr, known: _Known, above: Scope | None, *, semi: bool, root: bool
    ) -> list[Scope]:
        from sqlglot import exp

        with_ = node.args.get("with_")
        if isinstance(with_, exp.With):
            known = dict(known)
            for cte in with_.expressions:
                before: _Known = dict(known)
                if with_.recursive:
                    before[cte.alias] = None
                known[cte.alias] = (cte.this, before, [c.name for c in cte.args["alias"].columns])
        if isinstance(node, exp.Subquery):
            return self.query(node.this, known, above, semi=semi, root=root)
        if isinstance(node, exp.SetOperation):
            left = self.query(node.left, known, above, root=root)
            right = self.query(node.right, known, above, root=root)
            self.operations.append((node, left, right))
            return left + right
        if not isinstance(node, exp.Select) or len(self.scopes) >= MOST_SCOPES:
            raise Unreadable("It has a part that is no SELECT, or too many of them.")
        scope = Scope(node, above, semi, root)
        self.scopes.append(scope)
        self._sources(scope, known)
        self._inner(scope, known)
        return [scope]

    def _sources(self, scope: Scope, known: _Known) -> None:
        from sqlglot import exp

        from_ = scope.select.args.get("from_")
        joins = list(scope.select.args.get("joins") or [])
        parts = [from_.this] if from_ is not None else []
        parts += [join.this for join in joins] + list(scope.select.args.get("laterals") or [])
        for part in list(parts):
            joins += part.args.get("joins") or []
            parts += [join.this for join in part.args.get("joins") or []]
        for part in parts:
            scope.sources[part.alias_or_name] = self._source(part, scope, known)
        first = from_.this.alias_or_name if from_ is not None else ""
        for join in joins:
            alias = join.this.alias_or_name
            if join.side in ("LEFT", "FULL"):
                scope.optional.add(alias)
            if join.side in ("RIGHT", "FULL"):
                scope.optional |= {first, *scope.sources} - {alias}
            if join.kind in ("SEMI", "ANTI"):
                scope.optional.add(alias)
        if scope.select.find(exp.Pivot) is not None:
            raise Unreadable("It pivots.")

    def _source(self, node: exp.Expr, scope: Scope, known: _Known) -> Scan | Derived | None:
        from sqlglot import exp

        names = [column.name for column in node.args["alias"].columns] if node.args.get("alias") else []
        if isinstance(node, exp.Lateral):
            node = node.this
        if isinstance(node, exp.Subquery):
            if isinstance(node.this, exp.Values):
                return _values(node.this, names)
            return self._derived(node.this, known, scope, names)
        if isinstance(node, exp.Values):
            return _values(node, names)
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            return None
        if not node.db and node.name in known:
            found = known[node.name]
            return None if found is None else self._derived(found[0], found[1], None, names or found[2])
        if names:
            raise Unreadable("It gives the columns of a table other names.")
        spelled = self.catalog.find(node.name)
        spec = self.catalog.tables[spelled] if spelled else None
        scan = Scan(spelled or node.name, spec, node, scope)
        scan.columns = {name.lower(): name for name in spec.columns} if spec else {}
        self.scans.append(scan)
        return scan

    def _derived(self, node: exp.Expr, known: _Known, above: Scope | None, names: list[str]) -> Derived:
        from sqlglot import exp

        if isinstance(node, exp.Values):
            return _values(node, names)
        branches = self.query(node, known, above)
        own_names = [item.alias_or_name for item in branches[0].select.expressions]
        return Derived(branches, names + own_names[len(names) :])

    def _inner(self, scope: Scope, known: _Known) -> None:
        """Add the subqueries that stand in expressions."""
        from sqlglot import exp

        seen: set[int] = set()
        for key, value in scope.select.args.items():
            if key in ("from_", "laterals", "with_"):
                continue
            for item in value if isinstance(value, list) else [value]:
                if not isinstance(item, exp.Expr):
                    continue
                inside = item.args.get("on") if isinstance(item, exp.Join) else item
                for node in _nested(inside) if inside is not None else ():
                    if id(node) not in seen:
                        seen.add(id(node))
                        semi = key in ("where", "joins") and _demanded(node, item)
                        scope.inner[id(node)] = self.query(node, known, scope, semi=semi)


def _limited_to_none(node: exp.Expr) -> bool:
    """Whether a query ends in LIMIT 0."""
    limit = node.args.get("limit")
    count = limit.args.get("expression") or limit.args.get("count") if limit is not None else None
    return count is not None and count.name == "0"


def _nested(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the outermost queries of an expression."""
    from sqlglot import exp

    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.Query) and not isinstance(part, exp.Subquery):
            yield part
        else:
            waiting += reversed(list(part.iter_expressions()))


def _demanded(node: exp.Expr, clause: exp.Expr) -> bool:
    """Whether a query is the subject of an EXISTS or IN that every row must satisfy."""
    from sqlglot import exp

    parent = node.parent
    while isinstance(parent, exp.Subquery):
        parent = parent.parent
    if not isinstance(parent, exp.Exists | exp.In):
        return False
    if isinstance(clause, exp.Join) and (clause.side or clause.kind == "ANTI"):
        return False
    up = parent.parent
    while isinstance(up, exp.And | exp.Paren):
        up = up.parent
    return isinstance(up, exp.Where | exp.Join)


def _values(node: exp.Values, names: list[str]) -> Derived:
    rows = [list(row.expressions) if row.key == "tuple" else [row] for row in node.expressions]
    alias = node.args.get("alias")
    if not names and alias is not None:
        names = [column.name for column in alias.columns]
    width = len(rows[0]) if rows else 0
    return Derived([], names or [f"col{number}" for number in range(width)], rows)


def _has(source: Scan | Derived | None, name: str) -> bool:
    if isinstance(source, Scan):
        return name in source.columns
    return source is not None and name in source.names


def _plain(scope: Scope) -> bool:
    """Whether a query gives one row that no table decides: `SELECT d FROM p`."""
    return (
        all(
            isinstance(source, Derived)
            and (len(source.rows) == 1 or (len(source.branches) == 1 and _plain(source.branches[0])))
            for source in scope.sources.values()
        )
        and len(scope.select.expressions) == 1
    )

"""A SELECT rewritten so that each output row carries the number of a row of one table that went into it.

Rows are followed through FROM, JOIN, GROUP BY, DISTINCT, UNION, derived tables and common table expressions, not
through conditions: a row that only decided whether another one counts is not told. Of a group one number is kept, the
greatest of its rows, whichever of them the answer's values are of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from finassay.database import Dialect

CARRIED = "finassay_row"


@dataclass(frozen=True)
class Carried:
    """A rewritten statement, and whether a number may be that of one row among many of a group."""

    sql: str
    grouped: bool


class Untraceable(Exception):
    """The statement has a form that is not rewritten; the text says which."""


def carrying(
    sql: str,
    dialect: Dialect,
    marked: str,
    replacement: str,
    spoken: Dialect,
    columns: Mapping[str, Sequence[str]],
) -> Carried:
    """Return a statement that gives the same rows with one more column, `CARRIED`, as the last.

    Parameters
    ----------
    sql : str
        One query.
    dialect : {"duckdb", "mysql", "postgres"}
        What it is written in.
    marked : str
        The table to follow.
    replacement : str
        A SELECT of its columns and of `CARRIED`: the number of a row that is of interest, else NULL.
    spoken : {"duckdb", "mysql", "postgres"}
        What the replacement is written in.
    columns : mapping of str to sequence of str
        The columns of the database's tables, by lower-case name.

    Raises
    ------
    Untraceable
        If the statement has a form that is not rewritten, or does not read the table in a FROM clause.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except SqlglotError as error:
        raise Untraceable("it cannot be parsed") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise Untraceable("it is more than one query")
    carrier = _Carrier(dialect, marked.lower(), replacement, spoken, columns)
    tree, carries = carrier.query(trees[0], {}, needed=False)
    if not carries:
        raise Untraceable(f"it reads {marked} in conditions only")
    return Carried(tree.sql(dialect=dialect), carrier.grouped)


class _Carrier:
    """Rewrites queries from the inside out; `scope` says of each common table expression what it gives."""

    def __init__(
        self,
        dialect: Dialect,
        marked: str,
        replacement: str,
        spoken: Dialect,
        columns: Mapping[str, Sequence[str]],
    ) -> None:
        self._dialect = dialect
        self._marked = marked
        self._replacement = replacement
        self._spoken = spoken
        self._columns = columns
        self.grouped = False

    def query(
        self, tree: exp.Expr, scope: dict[str, tuple[bool, list[str] | None]], *, needed: bool
    ) -> tuple[exp.Expr, bool]:
        """Return a query that carries row numbers, and whether it does; where `needed`, it has the column anyhow."""
        from sqlglot import exp

        scope = dict(scope)
        with_ = tree.args.get("with_")
        if isinstance(with_, exp.With):
            if with_.recursive:
                raise Untraceable("it is recursive")
            for cte in with_.expressions:
                if cte.args["alias"].columns:
                    raise Untraceable("a common table expression renames its columns")
                inner, carries = self.query(cte.this, scope, needed=False)
                cte.set("this", inner)
                scope[cte.alias.lower()] = (carries, _names(inner))
        if isinstance(tree, exp.Subquery):
            inner, carries = self.query(tree.this, scope, needed=needed)
            tree.set("this", inner)
            return tree, carries
        if isinstance(tree, exp.Union):
            return self._union(tree, scope, needed=needed)
        if isinstance(tree, exp.SetOperation):
            if self._reads(tree):
                raise Untraceable(f"it has {tree.key.upper()}")
            return tree, False
        if not isinstance(tree, exp.Select):
            raise Untraceable(f"it has {tree.key.upper()}")
        return self._select(tree, scope, needed=needed)

    def _reads(self, tree: exp.Expr) -> bool:
        from sqlglot import exp

        return any(table.name.lower() == self._marked for table in tree.find_all(exp.Table))

    def _union(
        self, tree: exp.Union, scope: dict[str, tuple[bool, list[str] | None]], *, needed: bool
    ) -> tuple[exp.Expr, bool]:

        probe = [self.query(side.copy(), scope, needed=False)[1] for side in (tree.left, tree.right)]
        if not any(probe) and not needed:
            return tree, False
        for side in ("this", "expression"):
            tree.set(side, self.query(tree.args[side], scope, needed=True)[0])
        if tree.args.get("distinct"):
            with_, order, limit = (tree.args.pop(part, None) for part in ("with_", "order", "limit"))
            tree.set("distinct", False)
            names = _names(tree.left)
            return self._grouped(tree, names, {"with_": with_, "order": order, "limit": limit}), any(probe)
        return tree, any(probe)

    def _grouped(
        self, inner: exp.Expr, names: list[str] | None, rest: dict[str, exp.Expr | None]
    ) -> exp.Expr:
        """Return the distinct rows of a query, with one of the numbers that each carries."""
        from sqlglot import exp

        own = [name for name in names or [] if name != CARRIED]
        outer = exp.select().from_(exp.Subquery(this=inner, alias=_alias("finassay_all")))
        self.grouped = True
        number = exp.alias_(exp.Max(this=exp.column(CARRIED)), CARRIED)
        if self._dialect == "duckdb":
            star = exp.Star(except_=[exp.to_identifier(CARRIED)])
            outer = outer.select(star, number)
            outer.set("group", exp.Group(all=True))
        elif own and "*" not in own:
            outer = outer.select(*(exp.column(name, quoted=True) for name in own), number)
            outer.set("group", exp.Group(expressions=[exp.column(name, quoted=True) for name in own]))
        else:
            raise Untraceable("it has DISTINCT over columns that are not named")
        for part, value in rest.items():
            if value is not None:
                outer.set(part, value)
        return outer

    def _select(
        self, tree: exp.Select, scope: dict[str, tuple[bool, list[str] | None]], *, needed: bool
    ) -> tuple[exp.Expr, bool]:
        from sqlglot import exp

        numbers: list[exp.Expr] = []
        known: dict[str, list[str] | None] = {}
        carriers: set[str] = set()
        for source in _sources(tree):
            name = source.alias_or_name
            carries, columns = self._source(source, scope)
            known[name] = columns
            if carries:
                if not name:
                    name = f"finassay_{len(known)}"
                    source.set("alias", _alias(name))
                numbers.append(exp.column(CARRIED, table=exp.to_identifier(name, quoted=True)))
                carriers.add(name)
        if not numbers and not needed:
            return tree, False
        if any(join.args.get("method") == "NATURAL" for join in tree.args.get("joins") or []):
            raise Untraceable("it has a NATURAL JOIN")
        if numbers:
            self._hide(tree, known, carriers)
        number: exp.Expr = exp.null() if not numbers else numbers[0]
        if len(numbers) > 1:
            number = exp.Coalesce(this=numbers[0], expressions=numbers[1:])
        if tree.args.get("group") or _aggregates(tree):
            number = exp.Max(this=number)
            self.grouped = self.grouped or bool(numbers)
        distinct = tree.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise Untraceable("it has DISTINCT ON")
        tree.select(exp.alias_(number, CARRIED), copy=False)
        if distinct is None:
            return tree, bool(numbers)
        rest = {part: tree.args.pop(part, None) for part in ("with_", "order", "limit", "offset")}
        tree.set("distinct", None)
        for column in rest["order"].find_all(exp.Column) if rest["order"] is not None else ():
            column.set("table", None)
        return self._grouped(tree, tree.named_selects, rest), bool(numbers)

    def _source(
        self, source: exp.Expr, scope: dict[str, tuple[bool, list[str] | None]]
    ) -> tuple[bool, list[str] | None]:
        """Make a source carry; return whether it does, and its own columns where they are known."""
        import sqlglot
        from sqlglot import exp

        if isinstance(source, exp.Subquery):
            inner, carries = self.query(source.this, scope, needed=False)
            source.set("this", inner)
            return carries, _names(inner)
        if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
            return False, None
        name = source.name.lower()
        if name in scope and not source.db:
            return scope[name]
        columns = list(self._columns.get(name, ())) or None
        if name != self._marked:
            return False, columns
        if source.args.get("pivots") or source.args.get("sample"):
            raise Untraceable("it pivots or samples the table")
        inner = sqlglot.parse_one(self._replacement, read=self._spoken)
        source.replace(
            exp.Subquery(this=inner, alias=_alias(source.alias_or_name), joins=source.args.get("joins"))
        )
        return True, columns

    def _hide(self, tree: exp.Select, known: dict[str, list[str] | None], carriers: set[str]) -> None:
        """Keep the carried columns of the sources out of the stars of the output."""
        from sqlglot import exp

        projections: list[exp.Expr] = []
        for node in tree.expressions:
            star = node if isinstance(node, exp.Star) else node.this if isinstance(node, exp.Column) else None
            if not isinstance(star, exp.Star):
                if any(node.find_all(exp.Columns)):
                    raise Untraceable("it has COLUMNS(…)")
                projections.append(node)
            elif self._dialect == "duckdb":
                if not isinstance(node, exp.Column) or node.table in carriers:
                    star.set("except_", [*(star.args.get("except_") or []), exp.to_identifier(CARRIED)])
                projections.append(node)
            else:
                projections += _expanded(node, known, using=_uses_using(tree))
        tree.set("expressions", projections)


def _sources(tree: exp.Select) -> list[exp.Expr]:
    """Return what a SELECT reads; what follows a LATERAL or UNNEST is left as it is."""
    from sqlglot import exp

    found: list[exp.Expr] = []
    from_ = tree.args.get("from_")
    waiting = [from_.this] if from_ is not None else []
    waiting += [join.this for join in tree.args.get("joins") or []]
    while waiting:
        source = waiting.pop(0)
        waiting += [join.this for join in source.args.get("joins") or []]
        if isinstance(source, exp.Paren) or (
            isinstance(source, exp.Subquery) and isinstance(source.this, exp.Table)
        ):
            waiting.append(source.this)
        else:
            found.append(source)
    return found


def _aggregates(tree: exp.Select) -> bool:
    """Whether a SELECT without GROUP BY makes one row of all."""
    from sqlglot import exp

    if tree.args.get("having"):
        return True
    for projection in tree.expressions:
        for node in projection.find_all(exp.AggFunc):
            if node.find_ancestor(exp.Window, exp.Select) is tree:
                return True
    return False


def _names(tree: exp.Expr) -> list[str] | None:
    from sqlglot import exp

    if isinstance(tree, exp.Subquery):
        return _names(tree.this)
    if isinstance(tree, exp.SetOperation):
        return _names(tree.left)
    names = list(tree.named_selects) if isinstance(tree, exp.Select) else []
    return names or None


def _alias(name: str) -> exp.TableAlias:
    from sqlglot import exp

    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def _uses_using(tree: exp.Select) -> bool:
    return any(join.args.get("using") for join in tree.args.get("joins") or [])


def _expanded(node: exp.Expr, known: dict[str, list[str] | None], *, using: bool) -> list[exp.Expr]:
    """Return the columns of a star, by the names of the sources."""
    from sqlglot import exp

    wanted = [node.table] if isinstance(node, exp.Column) else list(known)
    found: list[exp.Expr] = []
    for name in wanted:
        columns = known.get(name)
        if columns is None or "*" in columns or (using and len(wanted) > 1):
            raise Untraceable(f"the columns of {name}.* are not known")
        table = exp.to_identifier(name, quoted=True)
        found += [
            exp.column(column, table=table.copy(), quoted=True) for column in columns if column != CARRIED
        ]
    return found

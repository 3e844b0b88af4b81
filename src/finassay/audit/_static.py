"""What the text of a program shows of its obligations, without a database (pit_audit.md, 2.2, layer b)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.audit._certificate import Obligation
from finassay.audit._types import Requirement
from finassay.core import CandidateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlglot import exp

    from finassay.audit._certificate import Witness
    from finassay.audit._static_scopes import Scan, Unreadable
    from finassay.database import Dialect
    from finassay.execution import Submission
    from finassay.temporal import AsOf, Catalog, Contract, Cutoff


@dataclass(frozen=True)
class Text:
    """A statement, or several, as a program holds it.

    Attributes
    ----------
    sql : str
        The text.
    dialect : {"duckdb", "mysql", "postgres"}
        What it is written in.
    handed_on : bool
        A program goes on with the result, and may leave out what was not known: little can be proven.
    line : int or None
        The line of the program on which it begins; None where that is not known.
    guessed : bool
        Nobody named the dialect, and none of the three reads it.
    """

    sql: str
    dialect: Dialect
    handed_on: bool = False
    line: int | None = 1
    guessed: bool = False


def static_obligations(
    submission: Submission, catalog: Catalog, contract: Contract, dialect: Dialect | None = None
) -> list[Obligation]:
    """Return the obligations of a program as far as its text shows them; nothing is run.

    Parameters
    ----------
    submission : Submission
        SQL, or Python: then the statements are those of its string constants.
    catalog : Catalog
        What the times in the tables mean.
    contract : Contract
        The task's dates, sources, version rule, labels.
    dialect : {"duckdb", "mysql", "postgres"} or None
        What its SQL is written in; None for the first of MySQL, DuckDB and PostgreSQL that reads it; MySQL is the last
        where its double quotes stand around names.

    Returns
    -------
    list of Obligation
        In the order of the text. ``violated`` only where the text itself proves it; of Python, only a test of today's
        state or of the clock in a statement does. An empty list if it reads no table. What cannot be read is one open
        obligation, ``unreadable``.
    """
    from finassay.audit._static_python import python_obligations, statements_of

    found: list[Obligation] = []
    texts: list[Text] = []
    if submission.sql_code:
        handed_on = submission.mode != "sql"
        texts.append(_text(submission.sql_code, dialect, catalog, handed_on=handed_on))
    if submission.mode != "sql" and submission.python_code:
        for sql, line in statements_of(submission.python_code):
            texts.append(_text(sql, dialect, catalog, handed_on=True, line=line))
        found = list(python_obligations(submission.python_code, catalog))
    return [*obligations_of(texts, catalog, contract), *found]


def obligations_of(texts: Iterable[Text], catalog: Catalog, contract: Contract) -> list[Obligation]:
    """Return the obligations of statements, and of the sources that none of them reads."""
    found: list[Obligation] = []
    read: set[str] = set()
    texts = list(texts)
    for text in texts:
        try:
            found += [_placed(one, text.line) for one in _statement(text, catalog, contract, read)]
        except (CandidateError, RecursionError) as error:
            found.append(_placed(_unreadable(text, error), text.line))
    found += _unread(texts, catalog, contract, read)
    return list(dict.fromkeys(found))


def warnings_of(obligations: Iterable[Obligation], witnesses: Iterable[Witness]) -> list[str]:
    """Return a line for every obligation that is not discharged and that no witness confirms (2.6, rule 6)."""
    confirmed = {(name, w.requirement) for w in witnesses for name in w.table.lower().split(", ")}
    lines = [
        f"{one.requirement} {one.table or 'statement'}{f', line {one.line}' if one.line else ''}: {one.status}, "
        f"not seen to matter in any scenario: {one.why}"
        for one in obligations
        if one.status != "discharged" and (one.table.lower(), one.requirement) not in confirmed
    ]
    return list(dict.fromkeys(lines))


def _statement(text: Text, catalog: Catalog, contract: Contract, read: set[str]) -> Iterator[Obligation]:
    """Yield the obligations of each query of a text."""
    from finassay.audit._static_bounds import Bounds
    from finassay.audit._static_rules import Rules
    from finassay.audit._static_scopes import take_apart

    cutoff, decided = _cutoff(contract)
    if cutoff is None:
        return
    for tree, variables in _queries(text, catalog):
        statement = take_apart(tree, text.dialect, catalog, variables)
        read |= {scan.name.lower() for scan in statement.scans}
        bounds = Bounds(statement, cutoff)
        bounds.solve()
        outputs = {n.lower() for s in statement.scopes if s.root for n in s.select.named_selects}
        labels = {name.lower() for name in contract.labels}
        yield from Rules(
            statement,
            bounds,
            contract,
            text.sql,
            lenient=decided or bool(labels & outputs) or bool(labels and text.handed_on),
            handed_on=text.handed_on,
            views=_views(statement.scans, contract, cutoff),
        ).all()


def _views(scans: list[Scan], contract: Contract, cutoff: Cutoff) -> dict[str, AsOf]:
    from finassay.temporal import AsOf

    return {
        scan.name: AsOf(scan.table, cutoff, contract.proxies(scan.name), contract.rule(scan.name), scan.name)
        for scan in scans
        if scan.table is not None
    }


def _cutoff(contract: Contract) -> tuple[Cutoff | None, bool]:
    """Return the cutoff to judge by, and whether each decision has one of its own."""
    if contract.cutoff is not None:
        return contract.cutoff, False
    return (contract.decision_cutoffs[0] if contract.decision_cutoffs else None), True


def _queries(text: Text, catalog: Catalog) -> Iterator[tuple[exp.Expr, dict[str, exp.Expr]]]:
    """Yield the queries of a text, with the views and variables that earlier statements define put in."""
    from sqlglot import exp

    from finassay.audit._static_pivots import without_pivots
    from finassay.audit._static_scopes import Unreadable

    variables: dict[str, exp.Expr] = {}
    views: dict[str, exp.Expr] = {}
    found: list[exp.Expr] = []
    for tree in _parsed(text):
        if isinstance(tree, exp.Set):
            variables |= _variables(tree)
            continue
        query = tree.expression if isinstance(tree, exp.Create) else tree
        _put_in(query, views)
        if isinstance(query, exp.Query | exp.Pivot):
            query = without_pivots(query, catalog)
        if isinstance(tree, exp.Create) and isinstance(query, exp.Query):
            name = tree.find(exp.Table)
            views[name.name if name is not None else ""] = query
        elif isinstance(query, exp.Query):
            found.append(query)
        elif isinstance(tree, exp.DML | exp.Command):
            raise Unreadable(f"{tree.key.capitalize()} is not followed.")
    for query in found or views.values():
        yield query, variables


def _parsed(text: Text) -> list[exp.Expr]:
    """Parse a text; its names become lower case, and what is a condition keeps its words."""
    import sqlglot
    from sqlglot import exp

    try:
        trees = [tree for tree in sqlglot.parse(text.sql, read=text.dialect) if tree is not None]
        for tree in trees:
            for node in tree.walk():
                if isinstance(
                    node, exp.Predicate | exp.Not | exp.Or | exp.Window | exp.Ordered | exp.Column | exp.Func
                ):
                    node.meta["text"] = node.sql(dialect=text.dialect)
            for node in tree.find_all(exp.Identifier):
                node.set("this", node.this.lower())
            for node in tree.find_all(exp.Table):
                if node.db and node.db.lower() not in ("information_schema", "pg_catalog", "mysql"):
                    node.set("db", None)
                    node.set("catalog", None)
    except Exception as error:  # sqlglot's own failures are of any type
        raise _not_read(text, error) from error
    return trees


_NAMES: dict[Dialect, str] = {"mysql": "MySQL", "duckdb": "DuckDB", "postgres": "PostgreSQL"}
_TOKEN = re.compile(r"<Token .*?\btext: (.*?), line: \d+, col: .*?>", re.DOTALL)


def _not_read(text: Text, error: Exception) -> Unreadable:
    """Say where the reading of a text ended, what it was read as, and how to name another dialect."""
    from sqlglot.errors import ParseError, SqlglotError

    from finassay.audit._static_scopes import Unreadable

    what, near, line, column = f"sqlglot fails on it ({error!r})", "", 1, 1
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        near = str(first.get("highlight") or "")
        what = _TOKEN.sub(r"'\1'", str(first.get("description") or "")).rstrip(".")
        if what.startswith("Required keyword"):  # sqlglot speaks of its own classes
            what = "something is missing there"
        line = int(first.get("line") or 1)
        column = max(1, int(first.get("col") or 1) - max(len(near) - 1, 0))
    elif isinstance(error, SqlglotError):
        what = str(error).splitlines()[0].rstrip(".")
    place = f" near '{near}', line {line}" if near else ""
    name = _NAMES[text.dialect]
    how = f"as {name}, since no dialect is named and none reads it" if text.guessed else f"as {name}"
    told = Unreadable(f"It was read {how}, which ends{place}: {what}. Name its dialect with --dialect.")
    told.line, told.column = line, column
    return told


def _variables(tree: exp.Expr) -> dict[str, exp.Expr]:
    from sqlglot import exp

    found = {}
    for item in tree.find_all(exp.SetItem):
        if isinstance(item.this, exp.Binary):
            found[item.this.this.name.lower()] = item.this.expression
    return found


def _put_in(query: exp.Expr | None, views: dict[str, exp.Expr]) -> None:
    from sqlglot import exp

    if query is None or not views:
        return
    hidden = {cte.alias for cte in query.find_all(exp.CTE)}
    for table in list(query.find_all(exp.Table)):
        if table.name in views and table.name not in hidden:
            alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name))
            inner = exp.Subquery(this=views[table.name].copy(), alias=alias, joins=table.args.get("joins"))
            table.replace(inner)


def _unread(texts: list[Text], catalog: Catalog, contract: Contract, read: set[str]) -> Iterator[Obligation]:
    """Yield the sources that the contract requires and no statement names."""
    whole = " ".join(text.sql for text in texts).lower()
    for name in contract.sources:
        if name.lower() in read or name.lower() in whole:
            continue
        known = catalog.find(name)
        table = catalog.tables[known] if known else None
        requirement = Requirement.DISCLOSURE
        if table is not None and (table.valid is not None or table.versions is not None):
            requirement = Requirement.STATE if table.valid is not None else Requirement.VERSION
        why = "The contract requires it, and no statement reads it."
        yield Obligation(
            table=name,
            requirement=requirement,
            rule="source",
            status="open",
            line=None,
            column=None,
            text="",
            why=why,
        )


def _unreadable(text: Text, error: Exception) -> Obligation:
    from finassay.audit._static_scopes import Unreadable

    shown = " ".join(text.sql.split())[:80]
    line, column = (error.line, error.column) if isinstance(error, Unreadable) else (1, 1)
    return Obligation(
        table="",
        requirement=Requirement.DISCLOSURE,
        rule="unreadable",
        status="open",
        line=line,
        column=column,
        text=shown,
        why=str(error),
    )


def _placed(one: Obligation, line: int | None) -> Obligation:
    """Move an obligation to its line in the program."""
    if line == 1 or one.line is None:
        return one
    if line is None:
        return one.model_copy(update={"line": None, "column": None})
    return one.model_copy(update={"line": one.line + line - 1})


def _text(sql: str, named: Dialect | None, catalog: Catalog, *, handed_on: bool, line: int = 1) -> Text:
    """Return a statement with the dialect that was named, or the first that reads it."""
    import sqlglot

    if named is not None:
        return Text(sql, named, handed_on, line)
    order = list(_NAMES)
    if _quotes_names(sql, catalog):
        order = [*order[1:], order[0]]
    for dialect in order:
        try:
            sqlglot.parse(sql, read=dialect)
        except Exception:  # noqa: BLE001, S112 - the next may read it; that none does is told
            continue
        return Text(sql, dialect, handed_on, line)
    return Text(sql, next(iter(_NAMES)), handed_on, line, guessed=True)


def _quotes_names(sql: str, catalog: Catalog) -> bool:
    """Whether a text in double quotes is a name: MySQL would read a string."""
    import sqlglot
    from sqlglot import exp

    for dialect in ("duckdb", "postgres") if '"' in sql else ():
        try:
            trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
        except Exception:  # noqa: BLE001, S112 - the next may read it
            continue
        tables = [table for tree in trees for table in tree.find_all(exp.Table)]
        known = {spelled for table in tables if (spelled := catalog.find(table.name))}
        names = {column.lower() for spelled in known for column in catalog.tables[spelled].columns}
        names |= {alias.alias.lower() for tree in trees for alias in tree.find_all(exp.Alias)}
        columns = [column for tree in trees for column in tree.find_all(exp.Column)]
        return any(_quoted(table) for table in tables) or any(
            _quoted(column) and (column.table or column.name.lower() in names) for column in columns
        )
    return False


def _quoted(node: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node.this, exp.Identifier) and bool(node.this.quoted)

"""As-of views of a table: what was known (K_c), its normal form (N_c), the rows that count; pit_audit.md, 2.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.core import InputError
from finassay.database._catalog._predicates import column_of, condition
from finassay.temporal import DATE_ROLES, AsOf, all_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlglot import exp

    from finassay.database._types import ColumnInfo, Dialect, TableInfo
    from finassay.temporal import Catalog, Cutoff, Predicate, Table, VersionRule

_RANK = "finassay_rank"


@dataclass(frozen=True)
class ResolvedTable:
    """A table of a database with its catalog entry.

    Attributes
    ----------
    info : TableInfo
        The table as the database has it.
    spec : Table
        Its catalog entry.
    names : dict of str to str
        The database's spelling of the catalog's columns.
    """

    info: TableInfo
    spec: Table
    names: dict[str, str]

    @property
    def source(self) -> exp.Table:
        """The table in a FROM clause, by its bare name."""
        from sqlglot import exp

        return exp.Table(this=exp.to_identifier(self.info.name, quoted=True))


def resolve_table(catalog: Catalog, info: TableInfo) -> ResolvedTable:
    """Match a table of a database with its catalog entry, without regard to case.

    Raises
    ------
    InputError
        ``table_not_catalogued`` if the catalog has no such table, ``column_unknown`` if the table lacks a column that
        the catalog lists, ``type_does_not_fit`` if a column of dates has a type that its format does not read: the
        message names the catalog's line.
    """
    spec = catalog.table(info.name)
    stored = {column.name.lower(): column.name for column in info.columns}
    exact = {column.name: column for column in info.columns}
    names: dict[str, str] = {}
    for name in spec.columns:
        found = name if name in exact else stored.get(name.lower())
        if found is None:
            key = catalog.find(info.name) or info.name
            raise InputError(
                f"The catalog {catalog.catalog} lists the column {name}, which the table {info.name} does not have.",
                hint=f"Columns: {', '.join(column.name for column in info.columns)}.",
                place=catalog.place("tables", key, "columns", name),
                reason="column_unknown",
            )
        names[name] = found
        meaning = spec.columns[name]
        if meaning.role in DATE_ROLES and not fits(exact[found], meaning.format):
            raise InputError(
                f"The catalog {catalog.catalog} says that the column {name} of the table {info.name} has the format "
                f"{meaning.format}; the database has it as {exact[found].type}, which cannot be read so.",
                hint="Correct the column's format; `finassay catalog lint FILE --db URL` lists all that do not fit.",
                place=catalog.place("tables", catalog.find(info.name) or info.name, "columns", name),
                reason="type_does_not_fit",
            )
    return ResolvedTable(info, spec, names)


def fits(column: ColumnInfo, format_: str) -> bool:
    """Whether a column's type can hold dates of a format."""
    import pyarrow as pa

    kind = column.arrow_type
    if format_ == "native":
        return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))
    if format_.startswith("integer"):
        return bool(pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind))
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return bool(text) or format_ == "other"


def known_view(
    table: ResolvedTable, cutoff: Cutoff, dialect: Dialect, *, proxies: Collection[str] = ()
) -> str:
    """Return a SELECT of K_c: the rows known at a cutoff, as they read then.

    Current-state columns, update times, and recording times that no contract allows are NULL; so are ends that were not
    public, with their companions, and stages that were not disclosed. Columns keep names, types and order, so the
    SELECT can take the table's place (an overlay of `connect`).

    Raises
    ------
    AvailabilityUnknown
        If the catalog names no availability and no proxy is allowed.
    """
    from sqlglot import exp

    view = AsOf(table.spec, cutoff, proxies, name=table.info.name)
    stored = {spelled: name for name, spelled in table.names.items()}
    columns: list[exp.Expr] = []
    for column in table.info.columns:
        own: exp.Expr = exp.column(column.name, quoted=True)
        name = stored.get(column.name, "")
        if name in view.hidden:
            shown = view.hidden[name]
            # A CASE with the column in one branch keeps its type where NULL alone would not.
            test = exp.false() if shown is None else condition(shown, table.names)
            own = exp.alias_(exp.Case().when(test, own), column.name, quoted=True)
        columns.append(own)
    select = exp.select(*columns).from_(table.source).where(condition(view.knowable, table.names))
    return select.sql(dialect=dialect)


def selected_view(
    table: ResolvedTable,
    cutoff: Cutoff,
    dialect: Dialect,
    *,
    proxies: Collection[str] = (),
    rule: VersionRule = "latest",
) -> str:
    """Return a SELECT of the selected rows at a cutoff: known, started, last in version order, not ended.

    Values are as stored; see `finassay.temporal.AsOf.select`.
    """
    view = AsOf(table.spec, cutoff, proxies, rule, table.info.name)
    return _ranked(table, view, keep_unknown=False).sql(dialect=dialect)


def normal_view(
    table: ResolvedTable,
    cutoff: Cutoff,
    dialect: Dialect,
    *,
    proxies: Collection[str] = (),
    rule: VersionRule = "latest",
) -> str:
    """Return a SELECT of N_c, the normal form at a cutoff.

    Among known rows, superseded versions, ended rows and rows that have not started are dropped; rows that were not
    known stay as they are, so a program that reads them shows elsewhere (pit_audit.md, 2.1).
    """
    view = AsOf(table.spec, cutoff, proxies, rule, table.info.name)
    return _ranked(table, view, keep_unknown=True).sql(dialect=dialect)


def _ranked(table: ResolvedTable, view: AsOf, *, keep_unknown: bool) -> exp.Select:
    from sqlglot import exp

    def sql(predicate: Predicate) -> exp.Expr:
        return condition(predicate, table.names)

    columns: list[exp.Expr] = [exp.column(column.name, quoted=True) for column in table.info.columns]
    started = sql(all_of(view.knowable, view.started))
    source: exp.Table | exp.Subquery = table.source
    counts = [started, exp.not_(exp.paren(sql(view.ended)))]
    if table.spec.versions is not None:
        inner = exp.select(*(column.copy() for column in columns)).from_(source)
        if keep_unknown:
            # Rows that have not started rank among themselves, and are then dropped by `started`.
            apart = exp.Case().when(started.copy(), exp.Literal.number(1)).else_(exp.Literal.number(0))
            inner = inner.select(_rank(table, view, apart))
        else:
            inner = inner.select(_rank(table, view)).where(started.copy())
        source = inner.subquery("finassay_ranked")
        counts.append(exp.EQ(this=exp.column(_RANK, quoted=True), expression=exp.Literal.number(1)))
    keep: exp.Expr = exp.and_(*counts)
    if keep_unknown:
        keep = exp.or_(exp.not_(exp.paren(sql(view.knowable))), exp.paren(keep))
    return exp.select(*columns).from_(source).where(keep)


def _rank(table: ResolvedTable, view: AsOf, *apart: exp.Expr) -> exp.Expr:
    """Rank rows within their group; ties share a rank, NULL is the lowest whatever the engine's setting."""
    from sqlglot import exp

    versions = table.spec.versions
    assert versions is not None  # noqa: S101 - asked of tables with versions only
    latest = view.rule == "latest"
    order: list[exp.Expr] = []
    for name in versions.order:
        column = column_of(name, table.names)
        null = exp.Is(this=column.copy(), expression=exp.null())
        last = exp.Case().when(null, exp.Literal.number(0)).else_(exp.Literal.number(1))
        order += [exp.Ordered(this=last, desc=latest), exp.Ordered(this=column, desc=latest)]
    window = exp.Window(
        this=exp.Anonymous(this="RANK"),
        partition_by=[*apart, *(column_of(name, table.names) for name in versions.per)],
        order=exp.Order(expressions=order),
    )
    return exp.alias_(window, _RANK, quoted=True)

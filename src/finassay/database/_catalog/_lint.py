"""Check a catalog against the data it describes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from finassay.database._catalog._dates import days_between
from finassay.database._catalog._findings import SEVERITIES, Finding, Lag, LintReport, TableFacts
from finassay.database._catalog._group_checks import group_checks
from finassay.database._catalog._probe import Probe
from finassay.database._catalog._row_checks import row_checks
from finassay.database._catalog._views import ResolvedTable, fits
from finassay.temporal import DATE_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from finassay.database._engine import Database
    from finassay.database._types import ColumnInfo, TableInfo
    from finassay.temporal import Catalog, Table


def lint_catalog(catalog: Catalog, database: Database, tables: Iterable[str] | None = None) -> LintReport:
    """Check a catalog against a database.

    Unknown tables and columns; types that do not fit formats; row ids and keys that repeat; NULLs; values outside
    code lists and ranges; dates out of order and negative lags; intervals reversed, empty or overlapping; flags and
    ends that disagree; the invariants W1 and W2 of task_families.md, 0.1. Each finding counts its rows and shows one.

    Parameters
    ----------
    catalog : Catalog
        The catalog.
    database : Database
        The data.
    tables : iterable of str, optional
        Check only these tables of the catalog.

    Returns
    -------
    LintReport
        Defects listed in a table's ``known_issues`` have the severity ``known``, up to the stated number of rows.

    Raises
    ------
    CatalogError
        If `tables` names a table that the catalog does not have.
    QueryError, QueryTimeout
        If the engine cannot answer.
    """
    infos = {info.name.lower(): info for info in database.tables()}
    wanted = list(catalog.tables) if tables is None else [_spelling(catalog, name) for name in tables]
    findings: list[Finding] = []
    facts: list[TableFacts] = []
    for name in wanted:
        spec = catalog.tables[name]
        info = infos.get(name.lower())
        if info is None:
            message = f"the database has no table {name}"
            findings.append(
                Finding("error", "unknown_table", name, (), message, place=catalog.place("tables", name))
            )
            continue
        found, measured = _lint_table(catalog, name, spec, info, database)
        findings += found
        facts.append(measured)
    if tables is None:
        known = {name.lower() for name in catalog.tables}
        for key in sorted(set(infos) - known):
            message = "the catalog says nothing about this table: programs that read it cannot be certified"
            findings.append(Finding("info", "not_catalogued", infos[key].name, (), message))
    return LintReport(catalog.catalog, database.url, tuple(findings), tuple(facts))


def _spelling(catalog: Catalog, name: str) -> str:
    catalog.table(name)
    return catalog.find(name) or name


def _lint_table(
    catalog: Catalog, name: str, spec: Table, info: TableInfo, database: Database
) -> tuple[list[Finding], TableFacts]:
    stored = {column.name.lower(): column for column in info.columns}
    findings = list(_names(catalog, name, spec, stored))
    usable = {c: s for c, s in spec.columns.items() if c.lower() in stored}
    unfit = {f.columns[0] for f in findings if f.check == "type_does_not_fit"}
    missing = set(spec.columns) - set(usable)
    # What names a missing or unreadable column cannot be asked; the rest of the table still can.
    reduced = _without(spec.model_copy(update={"columns": usable}), missing | unfit)
    names = {column: stored[column.lower()].name for column in usable}
    probe = Probe(catalog, name, ResolvedTable(info, reduced, names), database)
    measured = _measure(probe)
    findings += _nulls(probe, measured)
    findings += _rows(probe, measured.rows)
    if measured.rows:
        findings += group_checks(probe, measured.rows)
        findings += _granularity(probe, measured.rows)
    else:
        findings.append(
            Finding("warning", "empty_table", name, (), "the table has no rows: nothing was checked")
        )
    findings += _undecided(catalog, name, spec)
    judged = [_known(spec, finding) for finding in findings]
    judged.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return judged, measured


def _names(catalog: Catalog, name: str, spec: Table, stored: dict[str, ColumnInfo]) -> Iterator[Finding]:
    for column, meaning in spec.columns.items():
        place = catalog.place("tables", name, "columns", column)
        found = stored.get(column.lower())
        if found is None:
            message = f"the table has no column {column}; it has {', '.join(c.name for c in stored.values())}"
            yield Finding("error", "unknown_column", name, (column,), message, place=place)
        elif meaning.role in DATE_ROLES and not fits(found, meaning.format):
            message = f"{column} is {found.type}, which the format {meaning.format} does not read"
            yield Finding("error", "type_does_not_fit", name, (column,), message, place=place)
    listed = {column.lower() for column in spec.columns}
    others = [column.name for key, column in stored.items() if key not in listed]
    if others and spec.others is None:
        message = f"the catalog does not list {', '.join(others)}"
        place = catalog.place("tables", name, "columns")
        yield Finding("warning", "column_not_catalogued", name, tuple(others), message, place=place)


def _without(spec: Table, gone: set[str]) -> Table:
    """Return the entry without the parts that name columns which cannot be asked about."""
    if not gone:
        return spec
    touched = {path[0] for path, column in spec.mentions() if column in gone}
    empty: dict[str, object] = {
        "row_id": (),
        "key": (),
        "availability": None,
        "valid": None,
        "versions": None,
    }
    update = {part: nothing for part, nothing in empty.items() if part in touched}
    if "valid" in touched or "disjoint" in touched:
        update["disjoint"] = None
    update["dependencies"] = tuple(
        d for d in spec.dependencies if not gone & set(d.columns) and not (d.flag and "valid" in touched)
    )
    update["columns"] = {
        name: column.model_copy(update={"format": "other"}) if name in gone else column
        for name, column in spec.columns.items()
        if not column.disclosed_by or column.disclosed_by not in gone
    }
    return spec.model_copy(update=update)


def _measure(probe: Probe) -> TableFacts:
    columns = list(probe.spec.columns)
    counts = probe.numbers(["count(*)", *(f"count({probe.quoted(name)})" for name in columns)])
    rows = int(counts[0])
    nulls = {name: rows - int(there) for name, there in zip(columns, counts[1:], strict=True)}
    return TableFacts(probe.name, rows, nulls, tuple(_lags(probe)))


def _lags(probe: Probe) -> Iterator[Lag]:
    spec = probe.spec
    available = spec.availability.column if spec.availability else None
    valid = spec.valid
    pairs = [(name, available) for name in spec.by_role("period_end", "market_date") if available]
    pairs += [(available or name, recorded) for recorded in spec.by_role("recorded")
              for name in (spec.by_role("market_date", "effective_from")[:1] if not available else ("",))]  # fmt: skip
    if valid and available:
        pairs.append((valid.start, available))
    if valid and valid.end and valid.end_known:
        pairs.append((valid.end_known.column, valid.end))
    pairs = [p for p in dict.fromkeys(pairs) if p[0] and p[0] != p[1] and all(map(probe.is_date, p))]
    texts: list[str] = []
    for earlier, later in pairs:
        lag = days_between(probe.day(earlier), probe.day(later), probe.database.dialect)
        texts += [
            f"count({lag})",
            f"min({lag})",
            f"avg({lag})",
            f"max({lag})",
            f"sum(CASE WHEN {lag} < 0 THEN 1 ELSE 0 END)",
        ]
    numbers = probe.numbers(texts)
    for i, (earlier, later) in enumerate(pairs):
        count, least, mean, greatest, negative = numbers[5 * i : 5 * i + 5]
        if count:
            yield Lag(earlier, later, int(count), int(least), float(mean), int(greatest), int(negative))


def _nulls(probe: Probe, measured: TableFacts) -> Iterator[Finding]:
    spec = probe.spec
    available = (spec.availability.column or spec.availability.proxy) if spec.availability else None
    expected = dict.fromkeys(spec.row_id, ("error", "a row id is never NULL"))
    expected |= {name: ("warning", "a key is not NULL") for name in spec.key if name not in expected}
    if available:
        expected.setdefault(available, ("warning", "such rows are never known"))
    if spec.valid:
        expected.setdefault(spec.valid.start, ("warning", "such rows never start"))
    for name, column in spec.columns.items():
        count, severity, reason = measured.nulls[name], "error", ""
        if not count:
            continue
        if column.max_null is not None:
            if count <= column.max_null * measured.rows:
                continue
            reason = f"max_null is {column.max_null:g}"
        elif name in expected:
            severity, reason = expected[name]
        else:
            continue
        yield Finding(
            "error" if severity == "error" else "warning",
            "too_many_nulls",
            probe.name,
            (name,),
            f"{name} is NULL; {reason}",
            count,
            measured.rows,
            probe.example(f"{probe.quoted(name)} IS NULL", (name,)),
            probe.place("columns", name),
        )


def _rows(probe: Probe, total: int) -> Iterator[Finding]:
    checks = list(row_checks(probe))
    counts = probe.numbers([f"sum(CASE WHEN {check.at_fault} THEN 1 ELSE 0 END)" for check in checks])
    for check, count in zip(checks, counts, strict=True):
        if count:
            yield Finding(
                check.severity, check.check, probe.name, check.columns, check.message, int(count), total,
                probe.example(f"({check.at_fault})", check.columns), probe.place(*check.path),
            )  # fmt: skip


def _granularity(probe: Probe, total: int) -> Iterator[Finding]:
    spec = probe.spec
    column = (spec.availability.proxy or spec.availability.column) if spec.availability else None
    if column is None or spec.columns[column].format not in ("native", "iso_text"):
        return
    from finassay.database._catalog._dates import moment

    when = moment(probe.quoted(column), spec.columns[column].format, probe.database.dialect)
    timed = f"{when} <> CAST({probe.day(column)} AS {'DATETIME' if probe.database.dialect == 'mysql' else 'TIMESTAMP'})"
    (count,) = probe.numbers([f"sum(CASE WHEN {timed} THEN 1 ELSE 0 END)"])
    place = probe.place("granularity") or probe.place()
    if count and spec.granularity == "date":
        message = f"the granularity is 'date', but {column} holds times of day"
        example = probe.example(timed, (column,))
        yield Finding(
            "warning", "times_in_dates", probe.name, (column,), message, int(count), total, example, place
        )
    if not count and spec.granularity == "intraday":
        message = f"the granularity is 'intraday', but {column} holds midnights only"
        yield Finding("warning", "no_times", probe.name, (column,), message, total, total, place=place)


def _undecided(catalog: Catalog, name: str, spec: Table) -> Iterator[Finding]:
    for column, meaning in spec.columns.items():
        if meaning.decide:
            place = catalog.place("tables", name, "columns", column)
            yield Finding("warning", "undecided", name, (column,), f"{column}: {meaning.reason}", place=place)
    for index, question in enumerate(spec.open_questions):
        place = catalog.place("tables", name, "open_questions", index)
        yield Finding("warning", "undecided", name, (), f"{question.field}: {question.reason}", place=place)
    bare = [column for column, meaning in spec.columns.items() if not (meaning.en and meaning.zh)]
    if bare:
        place = catalog.place("tables", name, "columns", bare[0])
        shown = ", ".join(bare[:5]) + (", …" if len(bare) > 5 else "")
        message = f"{len(bare)} columns lack a description in English or Chinese: {shown}"
        yield Finding(
            "info", "not_described", name, tuple(bare), message, len(bare), len(spec.columns), place=place
        )


def _known(spec: Table, finding: Finding) -> Finding:
    for issue in spec.known_issues:
        if issue.check == finding.check and 0 < finding.count <= issue.rows:
            return replace(finding, severity="known", message=f"{finding.message} ({issue.en or issue.zh})")
    return finding

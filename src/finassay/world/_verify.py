"""Verify a world's database: content, catalog, invariants, agreement with the oracle, facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from finassay.core import InputError
from finassay.database import Database, QueryPolicy, lint_catalog
from finassay.temporal import Catalog, load_catalog
from finassay.world._build import WorldInfo, refuse_gaps, world_info
from finassay.world._config import VERSION
from finassay.world._ddl import named
from finassay.world._events import Event, EventType
from finassay.world._facts import measure
from finassay.world._identities import kept
from finassay.world._materialise import CHUNK_ROWS, ContentHash, chunks
from finassay.world._questions import FAMILIES, Agreement, compare, oracles
from finassay.world._tables import tables_of
from finassay.world._tables._funds_view import event_number
from finassay.world._tables._view import View, arrow_type
from finassay.world._world import World, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa

    from finassay.executor import Executor
    from finassay.world._fact import Fact

_WHOLE = QueryPolicy(timeout_s=600.0)


@dataclass(frozen=True)
class Check:
    """One check: its name, whether it holds, and the figures behind that."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Verification:
    """Everything that was checked; facts are reported, and decide nothing."""

    info: WorldInfo
    checks: tuple[Check, ...]
    agreements: tuple[Agreement, ...]
    facts: tuple[Fact, ...]

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(check.passed for check in self.checks)


def verify_world(
    database: Database,
    executor: Executor,
    *,
    questions: int = 1000,
    boundary_questions: int = 20_000,
    facts: bool = True,
) -> Verification:
    """Verify a world's database against the world that its seed gives again.

    Parameters
    ----------
    database : Database
        The world.
    executor : Executor
        Simulates it again.
    questions : int
        Random as-of questions per family.
    boundary_questions : int
        At most so many questions per family on both sides of the boundaries; all of them where there are fewer.
    facts : bool
        Whether the facts are measured; without, there are none.

    Raises
    ------
    InputError
        If the database is no world, of another version of the economy, lacks a table or a column, or has a column of
        another type.
    """
    info = world_info(database)
    if info.version != VERSION:
        raise InputError(
            f"{database.url} was built by version {info.version} of the economy; this is version {VERSION}.",
            hint="Build it again, or verify it with the finassay that built it.",
        )
    catalog = load_catalog(info.catalog)
    refuse_gaps(database, catalog, info)
    world = simulate(info.config, executor)
    there = set(tables_of(info.config))
    asked = [family for family in FAMILIES if _tables_in(family.sql, catalog) <= there]
    both = oracles(world)
    agreements = tuple(
        compare(world, both, database, family, questions, boundary_questions) for family in asked
    )
    checks = (
        _content(world, database, catalog, info),
        _lint(database, catalog, info),
        *_identities(database, there),
        *_invariants(world, database, catalog),
        *(_agreement(agreement) for agreement in agreements),
    )
    return Verification(info, checks, agreements, tuple(measure(world)) if facts else ())


def _content(world: World, database: Database, catalog: Catalog, info: WorldInfo) -> Check:
    content = ContentHash()
    for name in tables_of(info.config):
        for _ in content.passing(name, canonical(database, catalog, name)):
            pass
    found = content.hexdigest()
    detail = f"{found[:16]}, and {info.content_hash[:16]} was written into it"
    if found != info.content_hash:
        detail += f"; {_others(world, catalog, content)}"
    return Check("content hash", found == info.content_hash, detail)


def _others(world: World, catalog: Catalog, content: ContentHash) -> str:
    """Say which tables are not those of the world, made anew for it."""
    view, made = View(world, catalog), ContentHash()
    for name in content.digests:
        for _ in made.passing(name, chunks(view, name)):
            pass
    found = [
        f"{name} ({content.rows[name]:,} rows, {made.rows[name]:,} belong there)"
        if content.rows[name] != made.rows[name]
        else f"{name} (a value in its {made.rows[name]:,} rows)"
        for name, digest in content.digests.items()
        if digest != made.digests[name]
    ]
    return (
        f"other than built: {', '.join(found)}"
        if found
        else "every table is as built: what was written is not"
    )


def _tables_in(sql: str, catalog: Catalog) -> set[str]:
    return set(re.findall(r"\w+", sql)) & set(catalog.tables)


def canonical(database: Database, catalog: Catalog, name: str) -> Iterator[pa.Table]:
    """Yield a table in parts, in the types and the order in which it was hashed."""
    import pyarrow as pa

    spec, dialect = catalog.table(name), database.dialect
    number, table = named(spec.row_id[0], dialect), named(name, dialect)
    schema = pa.schema([(column, arrow_type(meaning.type)) for column, meaning in spec.columns.items()])
    counted = ", ".join(f"COUNT({named(column, dialect)})" for column in schema.names)
    values = database.query(f"SELECT {counted} FROM {table}", policy=_WHOLE).table  # noqa: S608 - a catalog's names
    # Half of the columns hold nothing: to read that from a server, row by row, takes as long as what they would hold
    held = [column for column, count in zip(schema.names, values.columns, strict=True) if count[0].as_py()]
    # The engine divides exactly where Arrow's cast of a decimal may be one bit off
    double = "DOUBLE PRECISION" if dialect == "postgres" else "DOUBLE"
    listed = ", ".join(
        f"CAST({named(column, dialect)} AS {double})"
        if pa.types.is_floating(schema.field(column).type)
        else named(column, dialect)
        for column in held or [spec.row_id[0]]
    )
    # Rows lie in the order of their numbers: a part between two of them is read without the rest
    cuts = database.query(
        f"SELECT n FROM (SELECT {number} AS n, ROW_NUMBER() OVER (ORDER BY {number}) AS place FROM {table}) r"  # noqa: S608 - a catalog's names
        f" WHERE place % {CHUNK_ROWS} = 0 ORDER BY n",
        policy=_WHOLE,
    ).table
    bounds = [-(2**63), *(int(n) for n in cuts.column(0).to_pylist()), 2**63 - 1]
    for low, high in pairwise(bounds):
        rows = database.query(
            f"SELECT {listed} FROM {table} WHERE {number} > ? AND {number} <= ? ORDER BY {number}",  # noqa: S608 - a catalog's names
            policy=_WHOLE,
            params=(low, high),
        ).table
        found = dict(zip(held, rows.columns, strict=False))
        yield pa.table(
            [
                found[column].cast(kind) if column in found else pa.nulls(rows.num_rows, kind)
                for column, kind in zip(schema.names, schema.types, strict=True)
            ],
            schema=schema,
        )


def _lint(database: Database, catalog: Catalog, info: WorldInfo) -> Check:
    report = lint_catalog(catalog, database, list(tables_of(info.config)))
    errors = [finding for finding in report.findings if finding.severity == "error"]
    warnings = sum(finding.severity == "warning" for finding in report.findings)
    first = f"; the first: {errors[0].table} {errors[0].check}: {errors[0].message}" if errors else ""
    return Check(
        "catalog lint",
        not errors,
        f"{len(report.tables)} tables, {len(errors)} errors, {warnings} warnings{first}",
    )


def _identities(database: Database, tables: set[str]) -> Iterator[Check]:
    for held in kept(database, tables):
        name = f"identity {held.identity.table}: {held.identity.says}"
        yield Check(name, held.broken == 0, f"{held.broken:,} of {held.rows:,} rows break it")


def _invariants(world: World, database: Database, catalog: Catalog) -> Iterator[Check]:
    """Check W1 and W2 (task_families.md, 0.1) for dates whose disclosure no column gives.

    The day a date became public is known to the ledger alone: by the event that began the row, or by those that
    superseded it by that day. Rows of other origin are counted, and not judged.
    """
    after: dict[int, list[Event]] = {}
    for event in world.ledger.events:
        if event.supersedes is not None and event.type is not EventType.VENDOR_TOUCH:
            after.setdefault(event.supersedes, []).append(event)
    for rule, name, column in _undisclosed(world, catalog):
        bad = judged = 0
        rows = _dated(database, catalog, name, column)
        for row, day in rows:
            number = event_number(row)
            began = world.ledger.by_id.get(number)
            told = ([began] if began else []) if rule == "W1" else after.get(number, [])
            public = max(
                (event.disclosed_at.date() for event in told if event.valid_from <= day), default=None
            )
            judged += public is not None
            bad += public is not None and public >= day
        yield Check(
            f"{rule} {name}.{column}",
            bad == 0,
            f"{bad} of {judged:,} dates became public too late; {len(rows) - judged:,} not judged",
        )


def _undisclosed(world: World, catalog: Catalog) -> Iterator[tuple[str, str, str]]:
    """Yield (rule, table, column): starts that are known ahead, and ends without a disclosure."""
    for name in tables_of(world.config):
        spec = catalog.table(name)
        if spec.availability and spec.availability.ahead and spec.availability.column:
            yield "W1", name, spec.availability.column
        if spec.valid and spec.valid.end and spec.valid.end_known is None:
            yield "W2", name, spec.valid.end


def _dated(database: Database, catalog: Catalog, name: str, column: str) -> list[tuple[int, date]]:
    dialect = database.dialect
    number, when = named(catalog.table(name).row_id[0], dialect), named(column, dialect)
    rows = database.query(
        f"SELECT {number}, {when} FROM {named(name, dialect)} WHERE {when} IS NOT NULL",  # noqa: S608 - a catalog's
        policy=_WHOLE,
    ).table
    numbers, days = (part.to_pylist() for part in rows.columns)
    return [(int(n), day.date()) for n, day in zip(numbers, days, strict=True)]


def _agreement(agreement: Agreement) -> Check:
    wrong = len(agreement.disagreements)
    detail = (
        f"{wrong} of {agreement.questions:,} answers differ; {agreement.at_boundaries:,} questions at boundaries, "
        f"the modes differ on {agreement.modes_differ:,}"
    )
    if wrong:
        first = agreement.disagreements[0]
        detail += f"; the first: {first.question}: SQL {first.sql}, oracle {first.oracle}"
    return Check(f"oracle = SQL, {agreement.family}", wrong == 0, detail)

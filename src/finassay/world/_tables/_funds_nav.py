"""mf_fundnetvalueretrans, mf_benchmarkgrowthrate, mf_scaleanalysis, qt_osindexquote: rows that arrays hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_bench import benchmark_growth, leg_growth
from finassay.world._blocks._funds_life import BOND_LEG
from finassay.world._blocks._funds_market import quarter_positions
from finassay.world._blocks._funds_reports import QUARTERLY
from finassay.world._blocks._market import window
from finassay.world._calendar import quarter_ends, sessions
from finassay.world._events import EventType
from finassay.world._events_funds import OverseasIndex
from finassay.world._tables._funds_view import Array, days_of, moment_of, stamped
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from finassay.temporal import Table

_PART = 200_000
_NAV, _SIZE, _BENCH, _ABROAD = 40, 41, 42, 43  # numbers of types that no event has
_EVENING = 21 * 3600


def class_numbers(view: View) -> dict[int, int]:
    """Return the vendor's numbers of share classes by entity."""
    return {part.entity: part.payload.inner for life in view.world.funds.lives for part in life.classes}


def _mapped(entities: Array, numbers: dict[int, int]) -> Array:
    """Return the numbers of entities of share classes, which lie close together."""
    if not entities.size:
        return entities.astype(np.int64)
    base = min(numbers)
    table = np.zeros(max(numbers) - base + 1, dtype=np.int64)
    for entity, number in numbers.items():
        table[entity - base] = number
    found: Array = table[entities - base]
    return found


def mf_fundnetvalueretrans(view: View) -> Iterator[pa.Table]:
    """Yield net values; a corrected one keeps its first version."""
    spec, numbers, book = (
        view.catalog.table("mf_fundnetvalueretrans"),
        class_numbers(view),
        view.world.funds.navs,
    )
    days = sessions().array.astype("datetime64[D]").astype(np.int64)
    seen = np.flatnonzero(book.recorded <= moment_of(view))
    for start in range(0, max(1, seen.size), _PART):
        rows = seen[start : start + _PART]
        part = book.take(rows)
        before = np.maximum(rows - 1, 0)
        before = np.maximum(np.where(book.wrong[before], before - 1, before), 0)
        follows = (book.entity[before] == part.entity) & (rows > 0) & (book.session[before] < part.session)
        again = (rows > 0) & book.wrong[np.maximum(rows - 1, 0)]
        number = (
            (np.int64(_NAV) << 56)
            | (part.entity.astype(np.int64) << 32)
            | (part.session.astype(np.int64) << 1)
            | again
        )
        columns = {
            "INNERCODE": _mapped(part.entity, numbers),
            "TRADINGDAY": days_of(days[part.session]),
            "UNITNV": part.unit / 1e4,
            "UNITNVRESTORED": part.restored / 1e6,
            "GROWTHRATEFACTOR": np.rint(part.restored / part.unit * 1e6) / 1e8,
            "NVDAILYGROWTHRATE": _growth(part.unit, book.unit[before], follows),
            "NVRDAILYGROWTHRATE": _growth(part.restored, book.restored[before], follows),
            **stamped(spec, number, part.recorded),
        }
        yield arrow_table(spec, columns, rows.size)


def _growth(now: Array, before: Array, follows: Array) -> Array:
    return np.where(follows, (now / before - 1.0) * 100, np.nan)


def mf_scaleanalysis(view: View) -> pa.Table:
    """Return sizes; they are recorded with the quarterly report, and one in a hundred is revised later."""
    spec, funds = view.catalog.table("mf_scaleanalysis"), view.world.funds
    book = funds.sizes
    recorded = np.full(funds.stocks.shape, -1, dtype=np.int64)
    first = (funds.reports.form == QUARTERLY) & (funds.reports.version == 0)
    recorded[funds.reports.fund[first], funds.reports.quarter[first]] = funds.reports.recorded[first]
    base = recorded[book.fund, book.quarter]
    revised = book.revised > 0
    index = np.concatenate([np.arange(base.size), np.flatnonzero(revised)])
    again = np.arange(index.size) >= base.size
    known = base[index] + np.where(again, book.revised[index] * 86_400, 0)
    wrong = revised[index] & ~again
    shown = (base[index] >= 0) & (known <= moment_of(view))
    index, again, known, wrong = index[shown], again[shown], known[shown], wrong[shown]
    entity, quarter = book.entity[index], book.quarter[index]
    mains = {part.entity: life.classes[0].payload.inner for life in funds.lives for part in life.classes}
    kinds = np.array([life.opened.kind // 10_000 for life in funds.lives], dtype=np.int64)[book.fund[index]]
    names = {int(code): meaning.zh for code, meaning in view.catalog.code_lists["fund_class_1"].items()}
    ends = np.array(quarter_ends(), dtype="datetime64[D]").astype(np.int64)
    net = np.where(wrong, book.first_net[index], book.net[index]) / 100
    combined = np.where(wrong, book.first_combined[index], book.combined[index]) / 100
    unit = unit_values(view, entity, quarter) / 1e4
    number = (np.int64(_SIZE) << 56) | (entity << 32) | (quarter << 1) | again
    columns = {
        "INNERCODE": _mapped(entity, class_numbers(view)),
        "ENDDATE": days_of(ends[quarter]),
        "TYPECODE": kinds,
        "TYPENAME": [names[int(kind)] for kind in kinds],
        "RELATEDINNERCODE": _mapped(entity, mains),
        "IFSCALECOMB": np.full(index.size, 1),
        "NVI": net,
        "COMBNVI": combined,
        "TOTALSHARES": net / unit,
        "TOTALASSET": combined * 1.012,
        **stamped(spec, number, known),
    }
    return arrow_table(spec, columns, index.size)


def unit_values(view: View, entity: Array, quarter: Array) -> Array:
    """Return the unit values (ten-thousandths of a yuan) of classes at quarter ends."""
    book = view.world.funds.navs
    keys = (book.entity.astype(np.int64) << 14) | book.session
    session = np.array(quarter_positions())[quarter] + window()[0]
    place = np.searchsorted(keys, (entity << 14) | session, side="right") - 1
    found: Array = book.unit[place]
    return found


def mf_benchmarkgrowthrate(view: View) -> Iterator[pa.Table]:
    """Return the daily growth of the benchmarks of funds that hold stocks, for their main classes."""
    spec, world, last = view.catalog.table("mf_benchmarkgrowthrate"), view.world, moment_of(view)
    days = sessions().array.astype("datetime64[D]").astype(np.int64)
    legs = leg_growth(world.indices, world.funds.abroad, world.fixed_income.money.levels[BOND_LEG][:, 2])

    def funds() -> Iterator[dict[str, Array]]:
        for life, growth in benchmark_growth(world.funds.lives, legs):
            session = np.arange(life.first + 1, life.stop) + window()[0]
            # One in fifty is a session late
            late = (session * 7 + life.entity) % 50 == 0
            recorded = days[session + late] * 86_400 + _EVENING + (session * 37 + life.entity) % 3_000
            shown = recorded <= last
            session, recorded = session[shown], recorded[shown]
            number = (np.int64(_BENCH) << 56) | (np.int64(life.classes[0].entity) << 32) | session
            times = stamped(spec, number, recorded)
            yield {
                "INNERCODE": np.full(session.size, life.classes[0].payload.inner),
                "ENDDATE": days_of(days[session]),
                "DAILYBENCHGR": np.rint(growth[shown] * 1e8) / 1e6,
                **times,
                "UPDATATIME": times["INSERTTIME"],
            }

    return in_parts(spec, funds())


def in_parts(spec: Table, columns: Iterable[dict[str, Array]]) -> Iterator[pa.Table]:
    """Yield the columns of one fund after another as tables of about 200,000 rows; at least one."""
    waiting: list[dict[str, Array]] = []
    size = 0
    for part in columns:
        waiting.append(part)
        size += part["ID"].size
        if size > _PART:
            yield _joined(spec, waiting)
            waiting, size = [], 0
    yield _joined(spec, waiting)


def _joined(spec: Table, parts: list[dict[str, Array]]) -> pa.Table:
    """Return columns of several funds as one table, with every column empty where there is none."""
    if not parts:
        return arrow_table(spec, {}, 0)
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return arrow_table(spec, columns, columns["ID"].size)


def qt_osindexquote(view: View) -> pa.Table:
    """Return the daily levels of indices abroad, on the sessions of their own exchanges."""
    spec, parts = view.catalog.table("qt_osindexquote"), []
    known = {}
    for event in view.ledger.of(EventType.OVERSEAS_INDEX):
        assert isinstance(event.payload, OverseasIndex)  # noqa: S101 - by its type
        known[event.payload.inner] = event.payload
    for quotes in view.world.funds.abroad:
        who = known[quotes.inner]
        day = quotes.days.astype("datetime64[D]").astype(np.int64)
        # Those across the Pacific are written on the morning after
        recorded = day * 86_400 + (18 if who.market == 72 else 30) * 3600
        shown = recorded <= moment_of(view)
        day, recorded = day[shown], recorded[shown]
        levels = quotes.levels[shown] / 100.0
        number = (np.int64(_ABROAD) << 56) | (np.int64(who.inner) << 32) | day
        parts.append(
            {
                "INDEXCODE": np.full(day.size, who.inner),
                "TRADINGDAY": days_of(day),
                "REVEALINDICES": np.full(day.size, who.name),
                "TRANSCURRENCY": np.full(day.size, who.currency),
                "PREVCLOSEPRICE": levels[:, 0],
                "OPENPRICE": levels[:, 1],
                "HIGHPRICE": levels[:, 2],
                "LOWPRICE": levels[:, 3],
                "CLOSEPRICE": levels[:, 4],
                "CHANGEOF": levels[:, 4] - levels[:, 0],
                "CHANGEPCT": (levels[:, 4] / levels[:, 0] - 1.0) * 100,
                **stamped(spec, number, recorded),
            }
        )
    return _joined(spec, parts)

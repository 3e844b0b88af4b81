"""Curves, fixings, repo rates, central parities and bond indices, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._curves import CURVES, TENORS
from finassay.world._blocks._curves_money import INDICES, ON_EXCHANGE, duration_of
from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._events_bonds import BondIndex
from finassay.world._streams import Purpose, stream
from finassay.world._tables._view import Row, View, arrow_table

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.temporal import Table

Array = "npt.NDArray[Any]"
NUMBERS = {
    "bond_cbyieldcurve": 80,
    "bond_sapyieldcurve": 81,
    "bond_baseratereference": 82,
    "bond_repuexibquote": 83,
    "ed_rmbbaseexchangerate": 84,
    "bond_chinabondindexquote": 85,
    "bond_bondindexquote": 86,
    "bond_cbvaluationall": 87,
    "bond_basicquote": 88,
    "bond_conbdexchangequote": 89,
}
FULL_GRID = 0.2  # the scale from which on every point of every curve is kept (world.md, 6)
_THIN = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 30.0)
_TYPES = ((1, "到期"), (2, "即期"))
_EVENING = np.timedelta64(18 * 3600 + 300, "s")
# Curves of another publisher: number, name, curve that it follows
_OTHERS = (
    (5001, "中证国债到期收益率曲线", 0),
    (5002, "中证国开债到期收益率曲线", 1),
    (5003, "中证企业债(AAA)到期收益率曲线", 3),
)
_OTHER_TENORS = (0.25, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0)
# Number, market, nature (1 pledged), term, fixing that it follows
_REPOS = (
    (4301, 89, "1天", "B0"),
    (4302, 89, "7天", "B1W"),
    (4303, 89, "14天", "B2W"),
    (4304, 89, "1个月", "B1M"),
    (4311, 83, "1天", "GC001"),
    (4312, 83, "7天", "GC007"),
)


def sessions_seen(view: View) -> Any:
    """Return the positions of the economy's sessions up to the snapshot."""
    first, stop = window()
    last = sessions().at_or_after(view.snapshot) + (1 if view.snapshot in sessions() else 0)
    return np.arange(first, min(stop, last))


def stamped(spec: Table, name: str, day: Any, within: Any, written: Any = None) -> dict[str, Any]:
    """Return the row numbers and the vendor's own columns: a row is written on the evening of its day, and stays.

    Parameters
    ----------
    day : numpy.ndarray of datetime64[us]
        The rows' days.
    within : numpy.ndarray of int
        A number below 2**40 that rises with the rows, and no other row of the table has.
    written : numpy.ndarray of datetime64[us], optional
        When the rows were written, where that is not the evening.
    """
    number = (np.int64(NUMBERS[name]) << 56) | np.asarray(within, dtype=np.int64)
    when = day + _EVENING if written is None else written
    found: dict[str, Any] = {spec.row_id[0]: number}
    for column, meaning in spec.columns.items():
        if meaning.role in ("recorded", "updated"):
            seconds = when.astype("datetime64[s]").astype(np.int64)
            found[column] = seconds * 100_000 + number % 99_991 if meaning.format == "other" else when
    return found


def days_of(session: Any) -> Any:
    """Return the days of sessions by their positions."""
    return sessions().array[session].astype("datetime64[us]")


def bond_cbyieldcurve(view: View) -> pa.Table:
    """Par yields and spot rates at the tenors; below scale 0.2 fewer tenors, and spot rates of the treasury alone."""
    spec = view.catalog.table("bond_cbyieldcurve")
    seen = sessions_seen(view)
    t = seen - window()[0]
    curve = view.world.fixed_income.curves
    thin = view.world.config.scale < FULL_GRID
    tenors = _THIN if thin else TENORS
    places = [TENORS.index(tenor) for tenor in tenors]
    parts: list[dict[str, Any]] = []
    for k, (number, name, _, _) in enumerate(CURVES):
        for code, label in _TYPES:
            if thin and code != 1 and k:
                continue
            values = (curve.par if code == 1 else curve.spot)[k][t][:, places] / 1e4
            there = np.repeat(curve.there[k][t], len(tenors))
            session = np.repeat(seen, len(tenors))[there]
            years = np.tile(np.array(tenors), seen.size)[there]
            rank = np.tile(np.arange(len(tenors)), seen.size)[there]
            flat = values.ravel()[there]
            parts.append(
                {
                    "ENDDATE": days_of(session),
                    "CURVETYPE": np.full(session.size, name, dtype=object),
                    "CURVECODE": np.full(session.size, number),
                    "YIELDTYPE": np.full(session.size, label, dtype=object),
                    "YIELDTYPECODE": np.full(session.size, code),
                    "YEARSTOMATURITY": years,
                    "YIELD": flat,
                    "YIELDVALUE": flat,
                    "within": ((k * 4 + code) << 32) | (session << 6) | rank,
                }
            )
    return _joined(spec, "bond_cbyieldcurve", parts)


def bond_sapyieldcurve(view: View) -> pa.Table:
    """Curves of another publisher: a basis point off, and missing on days of their own."""
    spec = view.catalog.table("bond_sapyieldcurve")
    seen = sessions_seen(view)
    t = seen - window()[0]
    length = window()[1] - window()[0]
    places = [TENORS.index(tenor) for tenor in _OTHER_TENORS]
    parts: list[dict[str, Any]] = []
    for k, (number, name, follows) in enumerate(_OTHERS):
        rng = stream(view.world.config.seed, Purpose.CURVE, 100 + k)
        noise = np.rint(80.0 * rng.standard_normal((length, len(places)))).astype(np.int64)[t]
        there = (rng.random(length) >= 0.012)[t]
        values = (view.world.fixed_income.curves.par[follows][t][:, places] + noise)[there] / 1e4
        session = np.repeat(seen[there], len(places))
        parts.append(
            {
                "ENDDATE": days_of(session),
                "INFOSOURCE": np.full(session.size, "中证指数有限公司", dtype=object),
                "CURVECODE": np.full(session.size, number),
                "CURVENAME": np.full(session.size, name, dtype=object),
                "YIELDTYPECODE": np.full(session.size, 1),
                "YIELDTYPENAME": np.full(session.size, "到期", dtype=object),
                "REMAINMATURITY": np.tile(np.array(_OTHER_TENORS), int(there.sum())),
                "YIELDRATE": np.maximum(values.ravel(), 0.01),
                "within": (k << 32) | (session << 6) | np.tile(np.arange(len(places)), int(there.sum())),
            }
        )
    return _joined(spec, "bond_sapyieldcurve", parts)


def _joined(spec: Table, name: str, parts: list[dict[str, Any]]) -> pa.Table:
    columns = {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}
    within = columns.pop("within")
    day = columns["ENDDATE" if "ENDDATE" in columns else "TRADINGDAY"]
    return arrow_table(spec, columns | stamped(spec, name, day, within), within.size)


def bond_baseratereference(view: View) -> pa.Table:
    """One wide row of fixings per session."""
    spec = view.catalog.table("bond_baseratereference")
    seen = sessions_seen(view)
    t = seen - window()[0]
    columns: dict[str, Any] = {"ENDDATE": days_of(seen)}
    columns |= {name: values[t] for name, values in view.world.fixed_income.money.fixings.items()}
    return arrow_table(
        spec, columns | stamped(spec, "bond_baseratereference", columns["ENDDATE"], seen), seen.size
    )


def bond_repuexibquote(view: View) -> pa.Table:
    """Repo rates by term; around the fixing of the day."""
    spec = view.catalog.table("bond_repuexibquote")
    seen = sessions_seen(view)
    t = seen - window()[0]
    length = window()[1] - window()[0]
    parts: list[dict[str, Any]] = []
    for k, (inner, market, term, follows) in enumerate(_REPOS):
        rng = stream(view.world.config.seed, Purpose.FIXING, 1 + k)
        z, u = rng.standard_normal((length, 3)), rng.random(length)
        mean = view.world.fixed_income.money.fixings[follows]
        there = ~np.isnan(mean)
        place = np.flatnonzero(there)
        close = np.round(np.maximum(mean[place] + 0.03 * z[place, 0], 0.2), 4)
        opened = np.round(np.maximum(mean[place] + 0.04 * z[place, 1], 0.2), 4)
        high = np.maximum(opened, close) + np.round(0.05 * np.abs(z[place, 2]), 4)
        low = np.maximum(np.minimum(opened, close) - np.round(0.04 * np.abs(z[place, 2]), 4), 0.1)
        keep = place < t.size
        place = place[keep]
        value = np.rint((2000 if inner == 4301 else 300) * (0.6 + 0.8 * u[place])) * 1e8
        parts.append(
            {
                "INNERCODE": np.full(place.size, inner),
                "TRADINGDAY": days_of(seen[place]),
                "EXCHANGE": np.full(place.size, market),
                "REPURCHASENATURE": np.full(place.size, 1),
                "MATURITYTYPE": np.full(place.size, term, dtype=object),
                "PRECLOSEPRICE": np.r_[np.nan, close[:-1]][keep],
                "OPENPRICE": opened[keep],
                "HIGHPRICE": high[keep],
                "LOWPRICE": low[keep],
                "CLOSEPRICE": close[keep],
                "WEIGHTAVERAGEPRICE": mean[place],
                "TURNOVERVALUE": value,
                "within": (k << 32) | seen[place],
            }
        )
    return _joined(spec, "bond_repuexibquote", parts)


def ed_rmbbaseexchangerate(view: View) -> pa.Table:
    """Central parities: a row per day, and per month and year that has ended."""
    spec = view.catalog.table("ed_rmbbaseexchangerate")
    seen = sessions_seen(view)
    days = sessions().array[seen]
    parts: list[dict[str, Any]] = []
    for currency, values in view.world.fixed_income.money.parities.items():
        rate = values[seen - window()[0]]
        for code, unit in ((1, "D"), (3, "M"), (6, "Y")):
            group = days.astype(f"datetime64[{unit}]")
            starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
            stops = np.r_[starts[1:], seen.size]
            ends = days[stops - 1]
            if code != 1:  # a month or year is over only with its last session
                following = sessions().array[seen[stops - 1] + 1].astype(f"datetime64[{unit}]")
                over = following != group[starts]
                starts, stops, ends = starts[over], stops[over], ends[over]
            parts.append(_period(currency, code, rate, starts, stops, ends, seen))
    parts.sort(key=lambda part: int(part["within"][0]) if part["within"].size else 0)
    return _joined(spec, "ed_rmbbaseexchangerate", parts)


def _period(
    currency: int, code: int, rate: Any, starts: Any, stops: Any, ends: Any, seen: Any
) -> dict[str, Any]:
    sums = np.r_[0.0, np.cumsum(np.rint(rate * 1e4))]
    at = range(starts.size)
    return {
        "ENDDATE": ends.astype("datetime64[us]"),
        "SOURCES": np.full(starts.size, "中国外汇交易中心", dtype=object),
        "DATAREPORTPERIOD": np.full(starts.size, code),
        "CURRENCY": np.full(starts.size, currency),
        "PERIODBEGPRICE": rate[starts],
        "PERIODENDPRICE": rate[stops - 1],
        "HIGHESTPRICE": np.array([np.max(rate[starts[n] : stops[n]]) for n in at]),
        "LOWESTPRICE": np.array([np.min(rate[starts[n] : stops[n]]) for n in at]),
        "AVERAGEPRICE": np.rint((sums[stops] - sums[starts]) / (stops - starts)) / 1e4,
        "within": (np.int64(currency * 8 + code) << 32) | seen[stops - 1],
    }


def bond_indexbasicinfo(view: View) -> pa.Table:
    """Bond indices."""
    rows = []
    for event in view.ledger.of(EventType.BOND_INDEX):
        index = event.payload
        assert isinstance(index, BondIndex)  # noqa: S101 - by its type
        values = {
            "SECUCODE": index.code,
            "SECUABBR": index.name,
            "CHINAME": index.name,
            "INDEXCODE": index.inner,
            "INDEXTYPE": 1,
            "SECUMARKET": index.market,
            "BASEDATE": event.valid_from,
            "BASEPOINT": 100,
            "PUBDATE": event.valid_from,
        }
        rows.append(Row(event, values))
    return view.table("bond_indexbasicinfo", rows)


def bond_chinabondindexquote(view: View) -> pa.Table:
    """Levels of the depository's indices: full price, clean price and total return, a row each."""
    spec = view.catalog.table("bond_chinabondindexquote")
    seen = sessions_seen(view)
    t = seen - window()[0]
    source = view.world.fixed_income.money
    parts: list[dict[str, Any]] = []
    for inner, _, _, _, years in INDICES:
        if inner > ON_EXCHANGE:
            continue
        for basis in (1, 2, 3):
            level = source.levels[inner][:, basis - 1]
            before = np.r_[level[0], level[:-1]]
            rate = source.yields[inner][t]
            parts.append(
                {
                    "INNERCODE": np.full(t.size, inner),
                    "INDEXTYPE": np.full(t.size, basis),
                    "TRADINGDAY": days_of(seen),
                    "PREVCLOSEPRICE": before[t],
                    "CLOSEPRICE": level[t],
                    "DURATION1": duration_of(rate, years),
                    "YTM": rate,
                    "TTM": np.full(t.size, years),
                    "INTERESTPAYMENTRATE": rate,
                    "within": ((inner * 4 + basis) << 24) | seen,
                }
            )
    return _joined(spec, "bond_chinabondindexquote", parts)


def bond_bondindexquote(view: View) -> pa.Table:
    """Levels of the exchange's indices, which are of total return."""
    spec = view.catalog.table("bond_bondindexquote")
    seen = sessions_seen(view)
    t = seen - window()[0]
    length = window()[1] - window()[0]
    parts: list[dict[str, Any]] = []
    for inner, _, _, _, _ in INDICES:
        if inner < ON_EXCHANGE:
            continue
        rng = stream(view.world.config.seed, Purpose.BOND_INDEX, inner)
        z, u = np.abs(rng.standard_normal((length, 3))), rng.random(length)
        level = view.world.fixed_income.money.levels[inner][:, 2]
        before = np.r_[level[0], level[:-1]]
        opened = np.round(before + (level - before) * u, 4)
        parts.append(
            {
                "INNERCODE": np.full(t.size, inner),
                "TRADINGDAY": days_of(seen),
                "PREVCLOSEPRICE": before[t],
                "OPENPRICE": opened[t],
                "HIGHPRICE": np.round(np.maximum(opened, level) * (1 + 2e-4 * z[:, 0]), 4)[t],
                "LOWPRICE": np.round(np.minimum(opened, level) * (1 - 2e-4 * z[:, 1]), 4)[t],
                "CLOSEPRICE": level[t],
                "TURNOVERVALUE": np.rint(1e9 * (0.5 + z[:, 2]))[t],
                "CHANGEPCT": (np.rint((level / before - 1.0) * 1e10) / 1e8)[t],
                "within": (inner << 24) | seen,
            }
        )
    return _joined(spec, "bond_bondindexquote", parts)

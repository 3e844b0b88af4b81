"""Daily yields and deals of bonds: the curve, the spread of the grade as it becomes known, noise of debtor and bond.

Everything follows from the events: a shock is priced in part before the rating that shows it, the rest on its
publication; distress and default widen the spread further.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._bonds_universe import BASES, GRADES, LOCAL, NUMBER_OF, POLICY, TREASURY
from finassay.world._blocks._curves import SPREADS, interpolated, spread_at
from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType
from finassay.world._events_bonds import BondListing, BondTerms, CreditShock, Debtor, Rating
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from finassay.world._blocks._curves import Curves
    from finassay.world._numerics import Floats

Array = Any
_PLACE = {number: place for place, number in enumerate(NUMBER_OF[grade] for grade in GRADES)}
_FIXED = {TREASURY: 0.0, POLICY: SPREADS["CDB"], LOCAL: SPREADS["LOCAL"]}
_TYPES = {
    "entity": np.int32, "session": np.int32, "to_maturity": np.int32, "to_exercise": np.int32,
    "recommended": np.int8, "late": np.bool_, "volume": np.int32, "code": np.int8, "noise": np.int16,
}  # fmt: skip
_LATE = 0.02  # of valuations, recorded on the morning after
_WITHOUT = 0.006  # of days, on which no valuation is recommended
# Share of days with a deal, by level-2 type; each bond has a multiple of it between a half and one and a half
_LIQUID = {101: 0.50, 102: 0.12, 103: 0.62, 201: 0.22, 202: 0.20, 203: 0.45, 301: 0.12, 302: 0.20, 303: 0.24,
           304: 0.28, 305: 0.30, 306: 0.08, 501: 0.05}  # fmt: skip


@dataclass(frozen=True)
class BondValues:
    """Daily values, one element per bond and session, ordered by bond and session.

    Attributes
    ----------
    entity, session : numpy.ndarray of int32
        The bond, and the position of the day among the exchange's sessions.
    to_maturity, to_exercise : numpy.ndarray of int32
        Yields in 1e-4 percent; to exercise 0 where there is no option, or no longer.
    recommended : numpy.ndarray of int8
        Which one is recommended: 1 to exercise, 2 to maturity, 0 neither.
    late : numpy.ndarray of bool
        Whether the valuation was recorded on the next morning.
    volume : numpy.ndarray of int32
        Lots traded, 0 if none; a lot is ten bonds of 100 yuan.
    code, noise : numpy.ndarray of int8, int16
        On which of its codes it traded, and by how much the yield of the deals was off, in 1e-4 percent.
    """

    entity: Array
    session: Array
    to_maturity: Array
    to_exercise: Array
    recommended: Array
    late: Array
    volume: Array
    code: Array
    noise: Array


def joined(parts: Sequence[BondValues | None]) -> BondValues:
    """Return the values of several debtors as one; those without any are left out."""
    some = [part for part in parts if part is not None]
    columns = {}
    for field in fields(BondValues):
        empty: Array = np.empty(0, dtype=_TYPES[field.name])
        columns[field.name] = np.concatenate([empty, *(getattr(part, field.name) for part in some)])
    return BondValues(**columns)


def replaced(values: BondValues, other: BondValues) -> BondValues:
    """Return values in which those of some bonds are replaced, row by row."""
    bonds, starts = np.unique(other.entity, return_index=True)
    low = np.searchsorted(values.entity, bonds)
    high = np.searchsorted(values.entity, bonds, side="right")
    stops = np.append(starts[1:], other.entity.size)
    columns = {}
    for field in fields(BondValues):
        column = getattr(values, field.name).copy()
        new = getattr(other, field.name)
        for k in range(bonds.size):
            column[low[k] : high[k]] = new[starts[k] : stops[k]]
        columns[field.name] = column
    return BondValues(**columns)


def values_of(seed: int, curve: Curves, events: list[Event]) -> BondValues | None:
    """Return the daily values of the bonds of one debtor, from the events of debtor and bonds; None without bonds."""
    by_entity: dict[int, list[Event]] = {}
    for event in events:
        by_entity.setdefault(event.entity, []).append(event)
    owner = next((e for e in events if e.type is EventType.DEBTOR), None)
    if owner is None:
        return None
    spread = _spread(seed, by_entity[owner.entity], events, curve)
    parts: list[BondValues | None] = []
    for entity, own in sorted(by_entity.items()):
        if any(e.type is EventType.BOND_ISSUE for e in own):
            parts.append(_bond(seed, entity, own, curve, spread))
    return joined(parts)


def _spread(seed: int, own: list[Event], everything: list[Event], curve: Curves) -> Floats:
    """Return a debtor's spread in basis points per session, before term and common factor."""
    length = curve.par.shape[1]
    payload = next(e.payload for e in own if e.type is EventType.DEBTOR)
    assert isinstance(payload, Debtor)  # noqa: S101 - by its type
    noise = _noise(seed, own[0].entity, length)
    if payload.kind in _FIXED:
        return _FIXED[payload.kind] + 0.5 * noise
    level = _level(own, length)
    left = np.floor(level).astype(np.int64)
    right = np.minimum(left + 1, BASES.size - 1)
    base = BASES[left] + (BASES[right] - BASES[left]) * (level - left)
    found: Floats = base * (1.0 + 0.05 * noise) + _distress(own, everything, length)
    return found


def _noise(seed: int, entity: int, length: int) -> Floats:
    draws = stream(seed, Purpose.BOND_QUOTE, entity).standard_normal(length) * 0.17
    found, now = [], 0.0
    for draw in draws.tolist():
        now = 0.985 * now + draw
        found.append(now)
    return np.array(found)


def _at(event: Event) -> int:
    """Return the first session on whose close an event could be known, from the start of the window."""
    return int(sessions().at_or_after(event.disclosed_at.date()) - window()[0])


def _level(own: list[Event], length: int) -> Floats:
    """Return the grade that the market sees, by place in the list: as rated, and what shocks let expect."""
    ratings = [e for e in own if e.type is EventType.DEBTOR_RATING]
    found = np.zeros(length)
    main = [e for e in ratings if isinstance(e.payload, Rating) and e.payload.agency != 104]
    for n, event in enumerate(main):
        assert isinstance(event.payload, Rating)  # noqa: S101 - by its type
        found[0 if n == 0 else max(0, min(_at(event), length)) :] = _PLACE[event.payload.grade]
    for shock in (e for e in own if e.type is EventType.CREDIT_SHOCK):
        assert isinstance(shock.payload, CreditShock)  # noqa: S101 - by its type
        shown = next((e for e in main if shock.event_id in e.cause_ids), None)
        start, end = _at(shock), _at(shown) if shown else _at(shock) + 120
        low, high = max(0, start), max(0, min(end, length))
        if high > low:
            part = 0.2 + 0.5 * (np.arange(low, high) - start) / max(1, end - start)
            found[low:high] -= shock.payload.notches * part
    return np.clip(found, 0.0, BASES.size - 1.001)


def _distress(own: list[Event], everything: list[Event], length: int) -> Floats:
    """Return what distress adds: rising until a default, 25 points after it, gone three months after it is cured."""
    found = np.zeros(length)
    cures = {e.supersedes: _at(e) for e in everything if e.type is EventType.BOND_REVOKE}
    defaults = [e for e in everything if e.type is EventType.BOND_DEFAULT]
    for event in own:
        if (
            event.type is EventType.CREDIT_SHOCK
            and isinstance(event.payload, CreditShock)
            and event.payload.distress
        ):
            low = max(0, _at(event))
            found[low:] = np.maximum(found[low:], np.minimum(60.0 + 6.0 * np.arange(length - low), 700.0))
    for event in defaults:
        low = max(0, _at(event))
        high = max(0, min(length, cures.get(event.event_id, length)))
        found[low:high] = np.maximum(found[low:high], 2500.0)
        if event.event_id in cures and high < length:
            fading = 600.0 * (1.0 - np.minimum(np.arange(length - high) / 60.0, 1.0))
            found[high:] = fading
    return found


def _bond(seed: int, entity: int, own: list[Event], curve: Curves, spread: Floats) -> BondValues | None:
    terms = next(e.payload for e in own if e.type is EventType.BOND_ISSUE)
    assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
    listed = [e.valid_from for e in own if isinstance(e.payload, BondListing)]
    if not listed:
        return None
    length, start, calendar = spread.size, window()[0], sessions()
    ends = [terms.maturity, *(e.valid_from for e in own if e.type is EventType.BOND_CALL)]
    low = max(0, calendar.at_or_after(min(listed)) - start)
    high = min(length, calendar.at_or_after(min(ends)) - start)
    if high <= low:
        return None
    rng = stream(seed, Purpose.BOND_QUOTE, entity)
    own_spread, liquid = float(rng.standard_normal()), float(rng.random())
    u, z = rng.random((length, 4)), rng.standard_normal(length)
    t = np.arange(low, high)
    day = calendar.array[start + t].astype(np.int64)
    mature = _yield(curve, spread, own_spread, t, (_number(terms.maturity) - day) / 365.0)
    exercise = np.zeros(t.size, dtype=np.int64)
    if terms.exercise is not None:
        ahead = _number(terms.exercise) - day
        some = ahead > 0
        exercise[some] = _yield(curve, spread, own_spread, t[some], ahead[some] / 365.0)
    recommended = _recommended(terms, exercise, own, t, u[low:high, 0])
    chance = _LIQUID[terms.kind] * (0.5 + liquid)
    deals = u[low:high, 1] < chance
    volume = (
        np.where(
            deals, np.rint(1000.0 * (0.1 + 9.0 * u[low:high, 2] * u[low:high, 2] * u[low:high, 2])), 0.0
        ).astype(np.int32)
        * 10
    )
    return BondValues(
        np.full(t.size, entity, dtype=np.int32),
        (start + t).astype(np.int32),
        mature.astype(np.int32),
        exercise.astype(np.int32),
        recommended,
        u[low:high, 3] < _LATE,
        volume,
        ((u[low:high, 2] * 1000.0 % 1.0) < 0.3).astype(np.int8) * (len(terms.codes) - 1),
        np.rint(np.clip(150.0 * z[low:high], -600.0, 600.0)).astype(np.int16),
    )


def _number(day: Any) -> int:
    return int(np.datetime64(day).astype(np.int64))


def _yield(curve: Curves, spread: Floats, own: float, t: Array, years: Floats) -> npt.NDArray[np.int64]:
    base = interpolated(curve.par[0], t, years)
    wide = spread_at(spread[t], curve.credit[t], years) + 2.0 * own
    return np.rint(np.maximum(base + wide / 100.0, 0.01) * 1e4).astype(np.int64)


def _recommended(terms: BondTerms, exercise: Array, own: list[Event], t: Array, u: Floats) -> Array:
    """Recommend what is expected: a call of a dear coupon, a put of a cheap one; nothing for a bond in default."""
    dear = exercise < terms.coupon
    wanted = (exercise > 0) & (dear if terms.option == "call" else ~dear)
    found = np.where(wanted, 1, 2)
    cures = {e.supersedes: _at(e) for e in own if e.type is EventType.BOND_REVOKE}
    for event in own:
        if event.type is EventType.BOND_DEFAULT:
            found[(t >= _at(event)) & (t < cures.get(event.event_id, 1 << 30))] = 0
    return np.where(u < _WITHOUT, 0, found).astype(np.int8)

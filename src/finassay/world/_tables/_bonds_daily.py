"""bond_cbvaluationall and bond_basicquote, in parts: prices follow from the yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._bonds_pricing import Priced, bullet, instalments
from finassay.world._events import EventType
from finassay.world._events_bonds import BondListing
from finassay.world._tables._bonds_static import Known, known_bonds
from finassay.world._tables._curves import days_of, sessions_seen, stamped
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa

    from finassay.world._blocks._bonds_values import BondValues

_ROWS = 70_000  # bond-days in a part, before a second row of a day
_MORNING = np.timedelta64(33 * 3600 + 900, "s")  # a quarter past nine on the next day
_EVENING = np.timedelta64(18 * 3600 + 1800, "s")
_LOT = 1000.0  # yuan of principal
_QUIET = 41  # in one of so many sessions a code that does not trade has a row all the same
_FIRST_INNER = 40_000_000


@dataclass(frozen=True)
class _Part:
    """Bond-days of some codes, each an array: place among the values, the code, its terms, the day."""

    at: Any
    inner: Any
    market: Any
    code: Any
    coupon: Any
    life: Any
    maturity: Any
    exercise: Any
    amortises: Any
    day: Any
    session: Any

    def take(self, rows: Any) -> _Part:
        return _Part(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    def priced(self, yields: Any, ends: Any) -> Priced:
        """Price bond-days by yields in 1e-4 percent, to their ends."""
        days = np.maximum((ends - self.day).astype(np.float64), 1.0)
        coupon, life = self.coupon / 1e4, self.life.astype(np.float64)
        one = bullet(yields / 1e4, coupon, days, life)
        if not np.any(self.amortises):
            return one
        other = instalments(yields / 1e4, coupon, days, life)
        pick = {
            name: np.where(self.amortises, getattr(other, name), getattr(one, name)) for name in one.__dict__
        }
        return Priced(**pick)

    def within(self, basis: Any) -> Any:
        return ((self.inner - _FIRST_INNER) << 16) | (self.session << 1) | basis


def _parts(view: View) -> Iterator[_Part]:
    """Yield the bond-days up to the snapshot, code by code, some bonds at a time."""
    values: BondValues = view.world.fixed_income.bonds
    bonds, listed = known_bonds(view), _listed(view)
    last = int(sessions_seen(view)[-1])
    edges = np.flatnonzero(np.r_[True, values.entity[1:] != values.entity[:-1], True])
    ready: list[dict[str, Any]] = []
    for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        entity = int(values.entity[a])
        if entity in bonds:
            end = a + int(np.searchsorted(values.session[a:b], last, side="right"))
            ready += _codes(values, bonds[entity], listed.get(entity, {}), a, end)
        if sum(part["at"].size for part in ready) > _ROWS:
            yield _joined(ready)
            ready = []
    if ready:
        yield _joined(ready)


def _listed(view: View) -> dict[int, dict[int, date]]:
    """Return the listing days of the codes that the vendor has recorded, by bond."""
    found: dict[int, dict[int, date]] = {}
    for event in view.ledger.of(EventType.BOND_LIST):
        assert isinstance(event.payload, BondListing)  # noqa: S101 - by its type
        found.setdefault(event.entity, {})[event.payload.inner] = event.valid_from
    return found


def _codes(values: BondValues, bond: Known, listed: dict[int, date], a: int, b: int) -> list[dict[str, Any]]:
    terms, found = bond.terms, []
    for k, (inner, market, _) in enumerate(terms.codes):
        if inner not in listed:
            continue
        session = values.session[a:b].astype(np.int64)
        day = days_of(session).astype("datetime64[D]").astype(np.int64)
        keep = day >= _number(listed[inner])
        fixed = {
            "inner": inner,
            "market": market,
            "code": k,
            "coupon": terms.coupon,
            "life": _number(terms.maturity) - _number(terms.value_date),
            "maturity": _number(terms.maturity),
            "exercise": _number(terms.exercise) if terms.exercise else 0,
            "amortises": terms.amortises,
        }
        part: dict[str, Any] = {name: np.full(int(keep.sum()), value) for name, value in fixed.items()}
        found.append(part | {"at": np.arange(a, b)[keep], "day": day[keep], "session": session[keep]})
    return found


def _number(day: date) -> int:
    return int(np.datetime64(day).astype(np.int64))


def _joined(parts: list[dict[str, Any]]) -> _Part:
    return _Part(**{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def bond_cbvaluationall(view: View) -> Iterator[pa.Table]:
    """Yield valuations of every code: a row a day, two while an option is open, one of them recommended."""
    values = view.world.fixed_income.bonds
    empty = True
    for part in _parts(view):
        empty = False
        open_ = part.take(np.flatnonzero(values.to_exercise[part.at] > 0))
        rows = [
            _valuation(values, part, values.to_maturity[part.at], part.maturity, 2),
            _valuation(values, open_, values.to_exercise[open_.at], open_.exercise, 1),
        ]
        yield _table(view, "bond_cbvaluationall", rows)
    if empty:
        yield arrow_table(view.catalog.table("bond_cbvaluationall"), {}, 0)


def _valuation(values: BondValues, part: _Part, yields: Any, ends: Any, basis: int) -> dict[str, Any]:
    price = part.priced(yields, ends)
    clean, accrued = np.rint((price.dirty - price.accrued) * 1e4), np.rint(price.accrued * 1e4)
    trusted = values.recommended[part.at] == basis
    day = days_of(part.session)
    return {
        "INNERCODE": part.inner,
        "ENDDATE": day,
        "VALUEFULLPRICE": (clean + accrued) / 1e4,
        "ACCRUINTEREST": accrued / 1e4,
        "VALUECLEANPRICE": clean / 1e4,
        "VPYIELD": yields / 1e4,
        "VPADURATION": np.rint(price.duration * 1e4) / 1e4,
        "VPPOINTVALUE": np.rint(price.duration * price.dirty) / 1e4,
        "RESIDUALCAPITAL": price.principal,
        "CREDIBILITYCODE": np.where(trusted, 1, 2),
        "CREDIBILITYDESC": np.where(trusted, "推荐", "不推荐").astype(object),
        "YIELDCODE": np.full(part.at.size, basis),
        "within": part.within(basis - 1),
        "written": day + np.where(values.late[part.at], _MORNING, _EVENING),
    }


def _table(view: View, name: str, rows: list[dict[str, Any]]) -> pa.Table:
    spec = view.catalog.table(name)
    columns = {column: np.concatenate([part[column] for part in rows]) for column in rows[0]}
    within, written = columns.pop("within"), columns.pop("written")
    return arrow_table(spec, columns | stamped(spec, name, written, within, written), within.size)


def bond_basicquote(view: View) -> Iterator[pa.Table]:
    """Yield the days on which a code traded, at clean prices around the valuation; and a few on which it did not."""
    values = view.world.fixed_income.bonds
    empty = True
    for part in _parts(view):
        empty = False
        traded = (values.volume[part.at] > 0) & (values.code[part.at] == part.code)
        quiet = ~traded & ((part.session + part.inner) % _QUIET == 0)
        rows = part.take(np.flatnonzero(traded | quiet))
        yield _table(view, "bond_basicquote", [_deals(values, rows, traded[traded | quiet])])
    if empty:
        yield arrow_table(view.catalog.table("bond_basicquote"), {}, 0)


def _deals(values: BondValues, part: _Part, traded: Any) -> dict[str, Any]:
    early = values.recommended[part.at] == 1
    yields = np.where(early, values.to_exercise[part.at], values.to_maturity[part.at]).astype(np.float64)
    noise = values.noise[part.at].astype(np.float64)
    ends = np.where(early, part.exercise, part.maturity)
    price = part.priced(np.maximum(yields + noise, 100.0), ends)
    accrued = np.rint(price.accrued * 1e4)
    close = np.rint((price.dirty - price.accrued) * 1e4)
    step = np.rint(
        price.duration * np.abs(noise) * 0.5
    )  # half the price of the deals' distance from the valuation
    open_ = close + np.where(noise > 0, step, -step)
    high, low = np.maximum(open_, close) + np.rint(step * 0.3), np.minimum(open_, close) - np.rint(step * 0.3)
    same = np.r_[False, part.inner[1:] == part.inner[:-1]]
    last = _last_traded(close, part.inner, traded)
    before = np.where(same, last, np.nan)
    volume = np.where(traded, values.volume[part.at], 0)
    blank = np.where(traded, 0.0, np.nan)
    day = days_of(part.session)
    found = {
        "INNERCODE": part.inner,
        "SECUMARKET": part.market,
        "TRADINGDAY": day,
        "TRADETYPE": np.full(part.at.size, 1),
        "IFTRADING": np.where(traded, 1, 2),
        "ACCRUINTEREST": accrued / 1e4,
        "PREVCLOSENETPRICE": before / 1e4,
        "WEIGHTEDNETPRICE": (np.rint((open_ + close) / 2.0) + blank) / 1e4,
        "CHANGEPCTCLN": np.rint((close / before - 1.0) * 1e6 + blank) / 1e4,
        "TURNOVERVOLUME": volume,
        "TURNOVERDEALS": volume // 4000 + (volume > 0),
        "TURNOVERVALUE": np.rint(volume * _LOT * (close + accrued) / 1e4) / 100.0,
        "within": part.within(0),
        "written": day + _EVENING,
    }
    for name, value in (("OPEN", open_), ("HIGH", high), ("LOW", low), ("CLOSE", close)):
        found[f"{name}NETPRICE"] = (value + blank) / 1e4
        found[f"{name}DIRTYPRICE"] = (value + accrued + blank) / 1e4
    return found


def _last_traded(close: Any, inner: Any, traded: Any) -> Any:
    """Return the last clean close of the code before each row, NaN where it had not traded."""
    place = np.where(traded, np.arange(close.size), -1)
    held = np.r_[-1, np.maximum.accumulate(place)[:-1]] if close.size else place
    known = held >= 0
    found = np.where(known, close[np.maximum(held, 0)], np.nan)
    return np.where(known & (inner[np.maximum(held, 0)] == inner), found, np.nan)

"""Net values a unit: per share class and session, with payouts, corrections, and when the vendor recorded them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._columns import Columns, joined
from finassay.world._blocks._funds_market import discount
from finassay.world._blocks._funds_universe import MONEY
from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._funds_read import ClassLife, FundLife
    from finassay.world._numerics import Floats

LATE = 0.067  # recorded on the next working day or later (P, 1,367 of 20,462)
VENDOR_LATE = 0.5  # of these were public on the evening of their day (assumed)
CORRECTED = 0.002  # (task_families.md, 5)
_DAY = 86_400
_EVENING = 19 * 3600  # published from seven in the evening on


@dataclass(frozen=True)
class NavBook(Columns):
    """Net values, one element per row, ordered by share class, session and version.

    Attributes
    ----------
    entity, session : numpy.ndarray of int32
        The share class, and the position among the exchange's sessions.
    unit : numpy.ndarray of int32
        Ten-thousandths of a yuan.
    restored : numpy.ndarray of int64
        With payouts reinvested, millionths of a yuan.
    recorded, published : numpy.ndarray of int64
        Seconds since 1970, market-local.
    wrong : numpy.ndarray of bool
        A first version that the next row corrects.
    """

    entity: npt.NDArray[np.int32]
    session: npt.NDArray[np.int32]
    unit: npt.NDArray[np.int32]
    restored: Ints
    recorded: Ints
    published: Ints
    wrong: npt.NDArray[np.bool_]


def joined_navs(parts: list[NavBook]) -> NavBook:
    """Return the rows of several classes as one book."""
    if not parts:
        small, large = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
        return NavBook(small, small, small, large, large, large, np.zeros(0, dtype=bool))
    return joined(parts)


def class_rows(seed: int, life: FundLife, part: ClassLife, value: Floats) -> NavBook:
    """Return the net values of a share class; a class that opens later starts at its fund's value."""
    first, stop = max(part.first, life.first), life.stop
    own = value[first - life.first :] * discount(part.service / 10_000, np.arange(stop - first))
    if part.first > life.first and life.opened.kind == MONEY:
        own = own / own[0]
    unit, restored = _units(life, first, own)
    length = window()[1] - window()[0]
    draws = stream(seed, Purpose.FUND_NAV, part.entity).random((4, length))[:, first:stop]
    session = np.arange(first, stop) + window()[0]
    published, recorded = _times(session, draws)
    right = _rows(part.entity, session, unit, restored, recorded, published)
    wrong = draws[3] < CORRECTED
    if not np.any(wrong):
        return right
    return _with_corrections(right, np.flatnonzero(wrong), draws[2])


def _units(life: FundLife, first: int, value: Floats) -> tuple[Ints, Ints]:
    """Take payouts and splits out of the value; the restored one puts them back exactly as units allow."""
    if life.opened.kind == MONEY:
        return np.full(value.size, 10_000), np.rint(value * 1e6).astype(np.int64)
    factor = np.ones(value.size)
    for at, payout in sorted(life.payouts, key=lambda row: row[0]):
        place = at - first
        if 0 < place < value.size:
            before = value[place] / factor[place]
            paid = np.rint(before * payout.share) / 1e4
            factor[place:] *= payout.split * before / (before - paid)
    unit = np.maximum(1, np.rint(value / factor * 1e4)).astype(np.int64)
    return unit, np.rint(unit * factor * 100).astype(np.int64)


def _times(session: npt.NDArray[np.int64], draws: Floats) -> tuple[Ints, Ints]:
    """Draw when values became public and were recorded: 6.7% of them one to five sessions late."""
    days = sessions().array.astype("datetime64[D]").astype(np.int64)
    midnight = days[session] * _DAY
    evening = midnight + _EVENING + (draws[0] * 4.5 * 3600).astype(np.int64)
    weekend = (days[session + 1] - days[session] > 1) & (draws[1] > 0.92)
    prompt = evening + np.where(weekend, 13 * 3600, 600)
    late = draws[1] < LATE
    behind = 1 + (draws[2] * draws[2] * 5).astype(np.int64)
    at = days[session + behind] * _DAY + 9 * 3600 + (draws[0] * 13 * 3600).astype(np.int64)
    recorded = np.where(late, at, prompt)
    published = np.where(late & (draws[1] > LATE * VENDOR_LATE), at, evening)
    return published, recorded


def _rows(entity: int, session: Ints, unit: Ints, restored: Ints, recorded: Ints, published: Ints) -> NavBook:
    return NavBook(
        np.full(session.size, entity, dtype=np.int32),
        session.astype(np.int32),
        unit.astype(np.int32),
        restored,
        recorded,
        published,
        np.zeros(session.size, dtype=bool),
    )


def _with_corrections(right: NavBook, at: npt.NDArray[np.intp], draws: Floats) -> NavBook:
    """Put a wrong first version before some rows, which are then recorded one to five days later."""
    rows = np.insert(np.arange(right.unit.size), at, at)
    book = right.take(rows)
    first = at + np.arange(at.size)
    shift = np.where(draws[at] < 0.5, -1.0, 1.0) * (0.002 + 0.01 * draws[at])
    unit, restored = book.unit.copy(), book.restored.copy()
    recorded, published, wrong = book.recorded.copy(), book.published.copy(), book.wrong.copy()
    unit[first] = np.rint(unit[first] * (1 + shift)).astype(np.int32)
    restored[first] = np.rint(restored[first] * (1 + shift)).astype(np.int64)
    later = (1 + (draws[at] * 5).astype(np.int64)) * _DAY
    recorded[first + 1] += later
    published[first + 1] += later
    wrong[first] = True
    return NavBook(book.entity, book.session, unit, restored, recorded, published, wrong)

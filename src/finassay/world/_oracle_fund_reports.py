"""What the oracle knows of what funds' reports tell: holders, all stocks, the assets."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._calendar import quarter_ends, sessions
from finassay.world._numerics import exp
from finassay.world._oracle_funds import FundOracle
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from datetime import date

    from finassay.temporal import Cutoff

_QUARTERLY, _HALF_YEAR, _ANNUAL = 1, 2, 3
_MOSTLY_INSTITUTIONS = 0.35  # of the classes


class FundReportsOracle(FundOracle):
    """Answers about reports of funds; a part of the oracle. Reports say when they were published: modes agree."""

    def fund_holders(self, inner: int, cutoff: Cutoff) -> tuple[date, int, int] | None:
        """Return the last half-year reported, the accounts of a class, the institutions' part in 1e-6 percent."""
        opened = self._share_classes.get(inner)
        place = self._places.get(opened.entity & ~3 if opened else -1)
        if opened is None or place is None:
            return None
        first = next(n for n, end in enumerate(quarter_ends()) if end >= opened.valid_from)
        last = self._last_report(place, (_HALF_YEAR, _ANNUAL), cutoff, first)
        if last is None:
            return None
        quarter = int(self._values().reports.quarter[last])
        institutions, mean = self._structure(opened.entity)
        units = self._units(opened.entity, quarter)
        held = round(units * float(institutions[quarter]) * 100) / 100
        accounts = max(1, round(units / float(mean[quarter])))
        return quarter_ends()[quarter], accounts, round(held / units * 100 * 1_000_000)

    def _units(self, entity: int, quarter: int) -> float:
        """Return the units of a class at a quarter end: its net assets by the last net value of a unit."""
        sizes, book = self._values().sizes, self._values().navs
        low, high = np.searchsorted(sizes.entity, [entity, entity + 1]).tolist()
        row = low + int(np.searchsorted(sizes.quarter[low:high], quarter))
        first, stop = np.searchsorted(book.entity, [entity, entity + 1]).tolist()
        after = sessions().at_or_after(quarter_ends()[quarter] + timedelta(days=1))
        place = first + int(np.searchsorted(book.session[first:stop], after)) - 1
        net = int(sizes.net[row]) / 100
        return max(1.0, round(net / (int(book.unit[place]) / 1e4) * 100) / 100)

    @cached_property
    def _structures(self) -> dict[int, tuple[Any, Any]]:
        return {}

    def _structure(self, entity: int) -> tuple[Any, Any]:
        """Draw who holds a class, which no event tells: per quarter the institutions' part, the units of an account."""
        if entity not in self._structures:
            rng = stream(self.beside.config.seed, Purpose.FUND_HOLDER, entity)
            kind, level, size = rng.random(3).tolist()
            noise = rng.standard_normal((2, len(quarter_ends())))
            base = 0.62 + 0.37 * level if kind < _MOSTLY_INSTITUTIONS else 0.35 * level * level
            drift = np.cumsum(0.03 * noise[0]) * min(base, 1.0 - base + 0.02) * 4
            part = np.clip(base + drift, 0.0, 0.9999)
            mean = exp(9.2 + 1.0 * (size - 0.5) * 3 + 5.5 * part + np.cumsum(0.03 * noise[1]))
            self._structures[entity] = part, mean
        return self._structures[entity]

    def fund_stocks(self, inner: int, cutoff: Cutoff) -> tuple[date, int, int] | None:
        """Return the last half-year with a list of all stocks: ranks times numbers of the shares, and shares held."""
        place = self._main_place(inner)
        last = None if place is None else self._last_listing(place, cutoff)
        if place is None or last is None:
            return None
        lists, rows = self._values().lists, self._listed_stocks(place, last)
        numbers = [self.inner_of(int(share)) for share in lists.share[rows]]
        ranked = sum(rank * number for rank, number in enumerate(numbers, start=1))
        end = quarter_ends()[int(self._values().reports.quarter[last])]
        return end, ranked, int(lists.units[rows].sum())

    def _last_listing(self, place: int, cutoff: Cutoff) -> int | None:
        """Return the last half-yearly report that lists a stock."""
        last = self._last_report(place, (_HALF_YEAR, _ANNUAL), cutoff)
        return last if last is not None and self._listed_stocks(place, last) else None

    def fund_assets(self, inner: int, cutoff: Cutoff) -> tuple[date, int, int] | None:
        """Return the last quarter reported, the value of all stocks and the net assets, in fen."""
        place = self._main_place(inner)
        last = None if place is None else self._last_report(place, (_QUARTERLY,), cutoff)
        if last is None:
            return None
        values = self._values()
        quarter = int(values.reports.quarter[last])
        net = int(values.sizes.total[place, quarter])
        return quarter_ends()[quarter], int(values.stocks[place, quarter]), net

    def fund_sections(self, inner: int, cutoff: Cutoff) -> tuple[date, int, int] | None:
        """Return the last period reported, in how many of the regulator's sections stocks are held, their value."""
        place = self._main_place(inner)
        last = None if place is None else self._last_report(place, (_QUARTERLY, _HALF_YEAR, _ANNUAL), cutoff)
        if last is None:
            return None
        quarter = int(self._values().reports.quarter[last])
        held = self._values().sections[place, quarter]
        return (quarter_ends()[quarter], int(np.count_nonzero(held)), int(held.sum())) if held.any() else None

    def _main_place(self, inner: int) -> int | None:
        opened = self._share_classes.get(inner)
        return self._places.get(opened.entity & ~3 if opened else -1)

"""Plans of holders: who will buy or sell, as their stakes go on to show, and promises not to sell after a listing.

A person in the last list of holders announces a plan after the report, fifteen sessions ahead. What is traded in the
next quarter is the difference between two lists, to the share; a plan that comes to nothing belongs to a holder whose
stake moves the other way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._holders import GROUP, LISTED, PERSON, POOL, stakes
from finassay.world._blocks._periods import QUARTERS, period_end, quarter_of
from finassay.world._blocks._reports import PERIODIC
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._draws import uniform
from finassay.world._events import Event, EventType
from finassay.world._events_company import Report
from finassay.world._events_deals import HolderPlan
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.world._blocks._prices import Ints, Quotes
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._statements import Statements
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

BUY, SELL, KEEP = 1, 2, 3
TOLD, UNDER_WAY, DONE, OVER, CANCELLED = 1, 2, 3, 4, 5
AHEAD = 15  # sessions between a plan and its first day: the exchanges' rule for sales
SELLING, BUYING, IDLE = (
    0.10,
    0.04,
    0.012,
)  # of holders whose stake falls, rises, or moves against a plan (assumed)
_LEAST = 0.001  # of the capital that a plan is about
_MONTHS, _TERM = 3, timedelta(days=92)
_LOCKED = timedelta(days=366)  # after a listing nobody sells
_PROMISE_MONTHS = 36
_EVENING = time(18, 30)


@dataclass(frozen=True, slots=True)
class Intention:
    """A plan before it is dated: company (a position), quarter of the trade, holder, kind, shares traded and held."""

    company: int
    quarter: int
    holder: int
    kind: int
    traded: int
    held: int
    capital: int


def intentions(seed: int, statements: Statements) -> list[Intention]:
    """Return who will trade, by company and quarter; found in the lists of holders themselves."""
    first = quarter_of(START) + 1
    quarters = np.arange(
        first + first % 2, QUARTERS, 2
    )  # in which stakes have moved since the quarter before
    count = statements.entity.size
    company, quarter = (a.ravel() for a in np.meshgrid(np.arange(count), quarters, indexing="ij"))
    then, now = (statements.shares[company, quarter - back] for back in (2, 0))
    still = np.flatnonzero((then == now) & (statements.shares[company, quarter - 1] == now) & (now > 0))
    company, quarter = company[still], quarter[still]  # a change of the capital would change stakes too
    shares = statements.shares[company, quarter][:, None]
    before, after = stakes(company, quarter - 1, 1), stakes(company, quarter, 1)
    held = np.rint(before * shares).astype(np.int64)
    traded = np.rint(after * shares).astype(np.int64) - held
    named = before > -np.partition(-before, LISTED, axis=1)[:, LISTED][:, None]
    person = np.arange(POOL)[None, :] >= PERSON
    size = np.abs(traded) > _LEAST * shares
    key = (company[:, None] * 64 + quarter[:, None]) * POOL + np.arange(POOL)
    draw, idle = uniform(seed, key, 71), uniform(seed, key, 72) < IDLE
    kind = np.where(
        idle, np.where(traded > 0, SELL, BUY), np.where(traded < 0, SELL, BUY) * (draw < _rate(traded))
    )
    rows, places = np.nonzero(named & person & size & (kind > 0))
    found = zip(
        company[rows].tolist(),
        quarter[rows].tolist(),
        places.tolist(),
        kind[rows, places].tolist(),
        np.where(idle, 0, np.abs(traded))[rows, places].tolist(),
        held[rows, places].tolist(),
        shares[rows, 0].tolist(),
        strict=True,
    )
    return [Intention(*row) for row in found]


def _rate(traded: Ints) -> Floats:
    rate: Floats = np.where(traded < 0, SELLING, BUYING)
    return rate


class Plans:
    """Tells the plans of the companies; the recorders are those of their deals."""

    def __init__(self, seed: int, issuers: Sequence[Issuer], quotes: Quotes, events: Sequence[Event]) -> None:
        self.seed, self.issuers, self.quotes = seed, issuers, quotes
        self.reports: dict[tuple[int, date], Event] = {}
        self.listings: dict[int, Event] = {}
        self.gone: dict[int, date] = {}
        for event in events:
            if isinstance(event.payload, Report) and event.payload.form == PERIODIC:
                self.reports[event.entity, event.payload.period_end] = event
            elif event.type is EventType.LIST:
                self.listings[event.entity] = event
            elif event.type in (EventType.DELIST, EventType.DELIST_PERIOD):
                day = event.disclosed_at.date()
                self.gone[event.entity] = min(self.gone.get(event.entity, day), day)

    def tell(self, wanted: Sequence[Intention], recorders: dict[int, Recorder]) -> None:
        """Tell promises at listings, and the plans, one of a holder at a time."""
        for issuer in self.issuers:
            self._promise(issuer, recorders[issuer.entity])
        until: dict[tuple[int, int], date] = {}
        for plan in sorted(wanted, key=lambda p: (p.company, p.quarter, p.holder)):
            told = self._dated(plan)
            if told is None:
                continue
            cause, first, rng = told
            holder = plan.company, plan.holder
            if until.get(holder, date.min) < first.first:
                until[holder] = first.end
                self._versions(recorders[first.company], cause, first, plan, rng)

    def _promise(self, issuer: Issuer, recorder: Recorder) -> None:
        """Tell that the group will not sell for three years."""
        listing = self.listings.get(issuer.entity)
        if listing is None or issuer.listed < START - timedelta(days=3 * 365):
            return
        end = issuer.listed.replace(year=issuer.listed.year + 3, day=min(issuer.listed.day, 28))
        told = listing.disclosed_at.date()
        promise = HolderPlan(issuer.entity, GROUP, KEEP, TOLD, told, issuer.listed, end)
        recorder.tell(
            EventType.HOLDER_PLAN,
            promise,
            valid=issuer.listed,
            disclosed=told,
            causes=(listing,),
            at=_EVENING,
        )

    def _dated(self, plan: Intention) -> tuple[Event, HolderPlan, np.random.Generator] | None:
        """Return the report that a plan follows, its first version, and the stream of the rest."""
        issuer = self.issuers[plan.company]
        report = self.reports.get((issuer.entity, period_end(plan.quarter - 2)))
        if report is None:
            return None
        rng = stream(self.seed, Purpose.HOLDERS, issuer.entity, plan.quarter * POOL + plan.holder)
        u = rng.random(4)
        day = sessions().shift(report.disclosed_at.date(), 1 + int(u[0] * 6))
        opens = period_end(plan.quarter - 1) + timedelta(days=1)
        begin = max(sessions().shift(day, AHEAD), sessions().shift(opens, 0))
        last = min(period_end(plan.quarter), END, self.gone.get(issuer.entity, END) - timedelta(days=30))
        if begin > last - timedelta(days=18) or day < issuer.listed + _LOCKED:
            return None
        return report, self._first(plan, issuer, day, begin, u), rng

    def _first(self, plan: Intention, issuer: Issuer, day: date, begin: date, u: Floats) -> HolderPlan:
        most = plan.traded or int(plan.capital * (0.002 + 0.008 * float(u[1])))
        if plan.kind == SELL:
            short = plan.traded > 0 and u[2] < 0.3
            ceiling = min(plan.held, int(most * (1.2 + 0.8 * float(u[3]))) if short else most)
            floor, price = 0, 0
        else:
            ceiling, floor = int(most * (1.0 + 0.5 * float(u[2]))), most // 2
            price = self._close(issuer, day) * (110 + int(20 * float(u[3]))) // 100
        return HolderPlan(
            issuer.entity, plan.holder, plan.kind, TOLD, day, begin, begin + _TERM, ceiling, floor, price, 0,
            plan.capital,
        )  # fmt: skip

    def _close(self, issuer: Issuer, day: date) -> int:
        """Return the last close before a day, in fen."""
        key = np.searchsorted(self.quotes.entity, [issuer.entity, issuer.entity + 1])
        at = int(np.searchsorted(self.quotes.session[key[0] : key[1]], sessions().at_or_after(day)))
        return int(self.quotes.close[key[0] + max(0, at - 1)])

    def _versions(
        self,
        recorder: Recorder,
        report: Event,
        first: HolderPlan,
        plan: Intention,
        rng: np.random.Generator,
    ) -> None:
        """Tell a plan, perhaps that it is half done, and how it ended, as far as the economy lasts."""
        u = rng.random(4)
        last = period_end(plan.quarter)
        told = _tell(recorder, first, first.first, causes=(report,))
        span = (last - first.begin).days
        done = sessions().shift(first.begin, int(span * (0.3 + 0.35 * float(u[0])) * 5 / 7))
        if not plan.traded:
            if u[1] < 0.5:
                stop = sessions().shift(first.begin, int(30 * float(u[2])))
                _tell(recorder, replace(first, stage=CANCELLED, end=stop), stop, before=told)
            else:
                _close_of_term(recorder, first, told)
            return
        enough = plan.traded >= (first.ceiling if plan.kind == SELL else first.floor)
        if u[3] < 0.4:
            half = sessions().shift(first.begin, int((done - first.begin).days * 0.4))
            if half < sessions().shift(done, -2):
                part = replace(first, stage=UNDER_WAY, done=int(plan.traded * (0.3 + 0.3 * float(u[1]))))
                told = _tell(recorder, part, half, before=told)
        if enough:
            final = replace(first, stage=DONE, end=done, done=plan.traded)
            _tell(recorder, final, sessions().shift(done, 1), before=told)
        else:
            _close_of_term(recorder, replace(first, done=plan.traded), told)


def _close_of_term(recorder: Recorder, plan: HolderPlan, before: Event) -> None:
    if plan.end < END - timedelta(days=10):
        _tell(recorder, replace(plan, stage=OVER), sessions().shift(plan.end, 1), before=before)


def _tell(
    recorder: Recorder,
    plan: HolderPlan,
    day: date,
    *,
    before: Event | None = None,
    causes: tuple[Event, ...] = (),
) -> Event:
    return recorder.tell(
        EventType.HOLDER_PLAN,
        plan,
        valid=plan.begin,
        disclosed=day,
        supersedes=before,
        causes=causes,
        at=_EVENING,
    )


def plan_events(
    seed: int,
    issuers: Sequence[Issuer],
    statements: Statements,
    quotes: Quotes,
    events: Sequence[Event],
    recorders: dict[int, Recorder],
) -> None:
    """Tell the plans of the holders of all companies."""
    Plans(seed, issuers, quotes, events).tell(intentions(seed, statements), recorders)

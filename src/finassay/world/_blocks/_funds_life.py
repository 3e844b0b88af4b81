"""The life of funds: offer, opening, share classes, kinds, benchmarks, fees, dealing, payouts, the end."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._funds_managers import Appointer, manager_events
from finassay.world._blocks._funds_universe import (
    ABROAD,
    FOF,
    INDEX_KINDS,
    KINDS,
    MONEY,
    TRACKED,
    TRADED,
    Fund,
    FundTrade,
    ShareClass,
)
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._vendor import TOUCHED
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType, Nothing
from finassay.world._events_funds import (
    FundAdviser,
    FundBenchmark,
    FundClass,
    FundDealing,
    FundFee,
    FundKind,
    FundOffer,
    FundOpen,
    FundPayout,
    FundPerson,
    FundTarget,
)
from finassay.world._numerics import exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    import numpy as np

BOND_LEG = 4101  # the vendor's number of the composite of all bonds
OVERSEAS_LEG = 3402
KINDS_PER_YEAR = 0.05  # reclassified (task_families.md, 5)
BENCHMARKS_PER_YEAR, FEES_PER_YEAR, TARGETS_PER_YEAR = 0.03, 0.04, 0.01
DEALINGS_PER_YEAR = 2.0
PAYOUTS_PER_YEAR, SPLITS_PER_YEAR = 0.20, 0.03
_SHIFTS = {
    110101: (120101, 120301),
    120101: (120301, 110101),
    120201: (120301, 120101),
    120301: (120101, 120401, 120201),
    120401: (120301, 130202),
    130101: (130401, 130201),
    130201: (130202, 130101),
    130202: (130201, 120401),
    130401: (130101,),
}
_CAPS = (1_000, 10_000, 100_000, 1_000_000, 5_000_000, 10_000_000)
_EVENING = time(20, 0)
FEES = {kind: (management, custody) for kind, _, _, management, custody in KINDS}
STOCKS = {kind: share for kind, _, share, _, _ in KINDS}


def other_kinds(kind: int) -> tuple[int, ...]:
    """Return the kinds that a fund of a kind may be reclassified to."""
    return _SHIFTS.get(kind, ())


def fund_events(seed: int, trade: FundTrade) -> list[Event]:
    """Tell the whole fund trade; what a fund earns is no event, but follows from these (`fund_values`)."""
    events: list[Event] = []
    for adviser in trade.advisers:
        recorder = Recorder(seed, adviser.entity)
        payload = FundAdviser(adviser.code, f"{adviser.abbreviation}管理有限公司", adviser.abbreviation)
        before = adviser.established - timedelta(days=1)
        recorder.tell(
            EventType.FUND_ADVISER, payload, valid=adviser.established, disclosed=before, prompt=True
        )
        events += recorder.events
    people: list[Event] = []
    for person in trade.people:
        recorder = Recorder(seed, person.entity)
        who = FundPerson(person.code, person.name, person.gender)
        before = person.practised - timedelta(days=1)
        people.append(
            recorder.tell(EventType.FUND_PERSON, who, valid=person.practised, disclosed=before, prompt=True)
        )
    appointer = Appointer(trade, people)
    for fund in trade.funds:
        events += _FundLife(seed, trade, fund).tell(appointer)
    return events + people


class _FundLife:
    """Draws one fund's life."""

    def __init__(self, seed: int, trade: FundTrade, fund: Fund) -> None:
        self.seed, self.trade, self.fund = seed, trade, fund
        self.recorder = Recorder(seed, fund.entity)
        self.first = max(fund.established, START)
        self.last = (fund.closed or END) - timedelta(days=30)

    def tell(self, appointer: Appointer) -> list[Event]:
        opened = self._open()
        classes = self._classes(opened)
        self._kinds()
        self._fees(classes)
        self._benchmarks()
        self._dealing()
        self._payouts()
        closing = self._close()
        manager_events(self.seed, self.fund, self.recorder, appointer, closing)
        _touch(self.seed, self.recorder)
        return self.recorder.events + [event for recorder in classes.values() for event in recorder.events]

    def _rng(self, block: int) -> np.random.Generator:
        return stream(self.seed, Purpose.FUND, self.fund.entity, block)

    def _days(self, rng: np.random.Generator, per_year: float, gap: int = 60) -> list[date]:
        """Draw sessions on which something changes, at a rate, `gap` days apart at least."""
        found: list[date] = []
        when = self.first + timedelta(days=gap)
        while True:
            when += timedelta(days=gap // 2 + int(rng.exponential(365.25 / per_year)))
            if when >= self.last:
                return found
            found.append(sessions().shift(when, 0))

    def _open(self) -> Event:
        fund, rng = self.fund, self._rng(1)
        u = [float(x) for x in rng.random(6)]
        end = sessions().before(fund.established - timedelta(days=1 + int(u[0] * 4)))
        start = end - timedelta(days=5 + int(u[1] * 60))
        offer = self.recorder.tell(
            EventType.FUND_OFFER,
            FundOffer(start, end),
            valid=start,
            disclosed=start - timedelta(days=3 + int(u[2] * 10)),
            prompt=True,
        )
        who = self.trade.advisers[fund.adviser]
        payload = FundOpen(
            300_000 + fund.number,
            who.code,
            60_000 + int(u[3] * 20),
            fund.kind,
            fund.operation,
            8 if fund.kind == INDEX_KINDS[1] else 7 if fund.kind in (INDEX_KINDS[0], 130501) else 16,
            f"{who.abbreviation[:2]}{fund.name}",
            200_000_000 + int(float(exp([17.5 + 2.5 * u[4]])[0])),
        )
        opened = self.recorder.tell(
            EventType.FUND_OPEN, payload, valid=fund.established, disclosed=end, causes=(offer,), prompt=True
        )
        self.recorder.root = opened  # what follows comes of the opening
        return opened

    def _classes(self, opened: Event) -> dict[ShareClass, Recorder]:
        fund, found = self.fund, dict[ShareClass, Recorder]()
        assert isinstance(opened.payload, FundOpen)  # noqa: S101 - by its type
        for place, part in enumerate(fund.classes):
            recorder = found[part] = Recorder(self.seed, part.entity)
            ahead = 0 if part.established == fund.established else 4 + place
            disclosed = opened.disclosed_at.date() if not ahead else part.established - timedelta(days=ahead)
            name = f"{opened.payload.name}{part.letter}"
            payload = FundClass(part.inner, part.code, fund.classes[0].code, part.market, part.letter, name)
            recorder.tell(
                EventType.FUND_CLASS,
                payload,
                valid=part.established,
                disclosed=disclosed,
                causes=(opened,),
                prompt=True,
            )
        return found

    def _kinds(self) -> None:
        """Tell the vendor's classes: recorded up to 40 days after they take effect, with no other publication."""
        rng, fund = self._rng(2), self.fund
        kind, last = fund.kind, None
        for day in (fund.established, *self._days(rng, KINDS_PER_YEAR, 150)):
            u = [float(x) for x in rng.random(3)]
            if last is not None and kind not in _SHIFTS:
                break
            if last is not None:
                kind = _SHIFTS[kind][int(u[0] * len(_SHIFTS[kind]))]
            lag = int(40 * u[1] * u[2])
            last = self.recorder.tell(
                EventType.FUND_KIND,
                FundKind(kind),
                valid=day,
                disclosed=day + timedelta(days=lag),
                supersedes=last,
                prompt=True,
            )

    def _fees(self, classes: dict[ShareClass, Recorder]) -> None:
        rng, fund = self._rng(3), self.fund
        management, custody = FEES[fund.kind]
        start = fund.established
        for place, (part, recorder) in enumerate(classes.items()):
            fees = [(3, part.service)] if part.service else []
            fees += [(5, 0 if place or fund.kind == MONEY else 80 if fund.kind >= 130000 else 150), (6, 50)]
            for kind, rate in fees:
                day = recorder.events[0].disclosed_at.date()
                recorder.tell(EventType.FUND_FEE, FundFee(kind, rate), valid=part.established, disclosed=day)
        told = self.recorder.events[1].disclosed_at.date()
        last = {
            kind: self.recorder.tell(EventType.FUND_FEE, FundFee(kind, rate), valid=start, disclosed=told)
            for kind, rate in ((1, management), (2, custody))
        }
        for day in self._days(rng, FEES_PER_YEAR, 200):
            u = [float(x) for x in rng.random(3)]
            management, custody = (
                max(5, int(management * (0.6 + 0.3 * u[0]) / 5) * 5),
                max(3, custody * 4 // 5),
            )
            announced = sessions().shift(day, -2 - int(u[1] * 6))
            for kind, rate in ((1, management), (2, custody)):
                if kind == 1 or u[2] < 0.6:
                    last[kind] = self.recorder.tell(
                        EventType.FUND_FEE,
                        FundFee(kind, rate),
                        valid=day,
                        disclosed=announced,
                        supersedes=last[kind],
                    )

    def _benchmarks(self) -> None:
        """Benchmarks; one in three changes is published after it takes effect. Targets change with the benchmark."""
        rng, fund = self._rng(4), self.fund
        told = self.recorder.events[1].disclosed_at.date()
        index = fund.tracked or (3001, 3001, 3001, 3002)[int(rng.integers(4))]
        legs = _legs(fund, index, 0)
        last = self.recorder.tell(
            EventType.FUND_BENCHMARK, FundBenchmark(legs), valid=fund.established, disclosed=told
        )
        target = None
        if fund.tracked:
            target = self.recorder.tell(
                EventType.FUND_TARGET, FundTarget(index), valid=fund.established, disclosed=told
            )
        for day in self._days(rng, TARGETS_PER_YEAR if target else BENCHMARKS_PER_YEAR, 200):
            u = [float(x) for x in rng.random(3)]
            index = TRACKED[(TRACKED.index(index) + 1 + int(u[0] * 2)) % 3]
            late = u[1] < 0.3 and target is None
            announced = sessions().shift(day, 1 + int(u[2] * 4) if late else -2 - int(u[2] * 8))
            causes: tuple[Event, ...] = ()
            if target is not None:
                target = self.recorder.tell(
                    EventType.FUND_TARGET,
                    FundTarget(index),
                    valid=day,
                    disclosed=announced,
                    supersedes=target,
                )
                causes = (target,)
            last = self.recorder.tell(
                EventType.FUND_BENCHMARK,
                FundBenchmark(_legs(fund, index, 1 + int(u[0] * 3))),
                valid=day,
                disclosed=announced,
                supersedes=last,
                causes=causes,
            )

    def _dealing(self) -> None:
        """Tell the state of dealing: closed at first, then open, capped or suspended; up to three days ahead."""
        rng, fund = self._rng(5), self.fund
        self._deal(fund.established, FundDealing(3, False, 0), 1)
        opening = sessions().shift(fund.established + timedelta(days=7 + int(rng.integers(80))), 0)
        if opening >= self.last:
            return
        self._deal(opening, FundDealing(1, True, 0), 2)
        state = 1
        for day in self._days(rng, DEALINGS_PER_YEAR, 20):
            if day <= opening:
                continue
            u = [float(x) for x in rng.random(4)]
            state = (2 if u[0] < 0.8 else 3) if state == 1 else (1 if u[0] < 0.6 else 2)
            cap = _CAPS[int(u[1] * len(_CAPS))] if state == 2 else 0
            self._deal(day, FundDealing(state, u[2] > 0.02, cap), int(u[3] * 4))

    def _deal(self, day: date, state: FundDealing, ahead: int) -> None:
        self.recorder.tell(
            EventType.FUND_DEALING, state, valid=day, disclosed=day - timedelta(days=ahead), at=_EVENING
        )

    def _payouts(self) -> None:
        rng, fund = self._rng(6), self.fund
        if fund.kind == MONEY:
            return
        for day in self._days(rng, PAYOUTS_PER_YEAR, 90):
            u = float(rng.random())
            payload = FundPayout(200 + int(600 * u) if STOCKS[fund.kind] else 60 + int(200 * u))
            self._pay(day, payload)
        if fund.operation == TRADED:
            # One at most: a second would leave a few fen a unit
            for day in list(self._days(rng, SPLITS_PER_YEAR, 300))[:1]:
                self._pay(sessions().shift(day, 1), FundPayout(0, 2))

    def _pay(self, day: date, payload: FundPayout) -> None:
        self.recorder.tell(EventType.FUND_PAYOUT, payload, valid=day, disclosed=sessions().shift(day, -3))

    def _close(self) -> Event | None:
        closed = self.fund.closed
        if closed is None:
            return None
        ahead = 5 + int(self._rng(7).integers(20))
        return self.recorder.tell(
            EventType.FUND_CLOSE,
            Nothing(),
            valid=closed,
            disclosed=closed - timedelta(days=ahead),
            prompt=True,
        )


def _legs(fund: Fund, index: int, variant: int) -> tuple[tuple[int, int], ...]:
    """Return the legs of a benchmark: two or three, largest first (F2)."""
    if fund.kind == ABROAD:
        return ((OVERSEAS_LEG, 95 - 5 * variant), (BOND_LEG, 5 + 5 * variant))
    if fund.tracked:
        return ((index, 95), (BOND_LEG, 5))
    stocks = 50 if fund.kind == FOF else int(100 * STOCKS[fund.kind] / 5 + 0.5) * 5
    stocks = max(0, stocks - 5 - 5 * variant) if stocks >= 60 else stocks + 5 * variant if stocks else 0
    if not stocks:
        return ((BOND_LEG, 100),)
    if fund.number % 3 == 0 and stocks >= 50:
        abroad = (OVERSEAS_LEG - 1, 10)
        legs = [(index, stocks - 10), abroad, (BOND_LEG, 100 - stocks)]
    else:
        legs = [(index, stocks), (BOND_LEG, 100 - stocks)]
    return tuple(sorted((leg for leg in legs if leg[1]), key=lambda leg: -leg[1]))


def _touch(seed: int, recorder: Recorder) -> None:
    """Tell touches of rows at random; no reloads: times of insertion stand for disclosure in many of these tables."""
    rng = stream(seed, Purpose.VENDOR, recorder.entity, 1)
    for event in list(recorder.events):
        chance, delay = rng.random(2)
        if chance < TOUCHED:
            when = event.recorded_at + timedelta(seconds=int(delay * 63_000_000))
            recorder.touch(event, when)

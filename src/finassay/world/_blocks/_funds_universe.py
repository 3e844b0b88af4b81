"""Who there is in the fund trade: advisers, people with their careers, funds with their share classes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import date, timedelta

from finassay.world._calendar import sessions
from finassay.world._config import END, START, WorldConfig
from finassay.world._streams import Purpose, stream

FUND_BASE, PERSON_BASE, ADVISER_BASE, OVERSEAS_BASE = 0x200000, 0x300000, 0x3F0000, 0xE10000
FIRST_INNER = 200_000  # the vendor's number of the first share class
CODES = 10_000  # at scale 1, of which .55 are alive on average (world.md, 6)
CLASSES = (
    0.29,
    0.83,
)  # cumulative, of one and of two classes: 78% of rows belong to a code with a sister (F1)
PER_FUND = 1.76  # codes, the mean that follows
BEFORE = 0.30  # of funds are older than the window
CLOSED_PER_YEAR = 0.025  # after the first year (assumed)
MOVERS = 0.40  # of people change their adviser once (assumed)

# Level 3 of the vendor's classes; share of funds (assumed); stocks of net assets; management, custody fee in 0.01%
KINDS: tuple[tuple[int, float, float, int, int], ...] = (
    (110101, 0.060, 0.90, 150, 25),
    (110201, 0.070, 0.94, 50, 10),
    (110202, 0.030, 0.93, 100, 20),
    (120101, 0.190, 0.86, 150, 25),
    (120201, 0.010, 0.50, 150, 25),
    (120301, 0.110, 0.62, 150, 25),
    (120401, 0.040, 0.22, 80, 20),
    (130101, 0.230, 0.0, 30, 10),
    (130201, 0.030, 0.0, 60, 18),
    (130202, 0.055, 0.14, 60, 18),
    (130301, 0.010, 0.12, 70, 20),
    (130401, 0.030, 0.0, 30, 8),
    (130501, 0.020, 0.0, 15, 5),
    (140101, 0.060, 0.0, 25, 8),
    (150101, 0.030, 0.0, 80, 15),
    (160101, 0.020, 0.0, 100, 25),
    (190101, 0.005, 0.0, 80, 20),
)
INDEX_KINDS, FOF, MONEY, ABROAD, FLEXIBLE = (110201, 110202), 150101, 140101, 160101, 120301
CLOSED_TYPE, OPEN_TYPE, TRADED, LISTED = 1, 2, 3, 4
TRACKED = (3001, 3002, 3003)
_SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏"
_GIVEN = "伟芳娜敏静强磊军洋勇艳杰娟涛明超霞平刚桂文辉力健波宁琳晨宇航"
_HOUSES = "嘉宏博汇富安信诚泰和中银华商国投景顺长盛海鹏东方万家易达金鹰兴证南天弘"
_WORDS = ("成长", "价值", "优选", "稳健", "先锋", "精选", "回报", "创新", "领航", "远见", "均衡", "景气")
_SUFFIX = {11: "股票", 12: "混合", 13: "债券", 14: "货币", 15: "混合(FOF)", 16: "股票(QDII)", 19: "另类"}


@dataclass(frozen=True, slots=True)
class Adviser:
    """A fund company."""

    entity: int
    code: int
    abbreviation: str
    established: date


@dataclass(frozen=True, slots=True)
class Person:
    """A fund manager: `stints` are the advisers' positions with first day and first day after."""

    entity: int
    code: int
    name: str
    gender: int
    practised: date
    stints: tuple[tuple[int, date, date], ...]


@dataclass(frozen=True, slots=True)
class ShareClass:
    """A share class: its entity, the vendor's number, letter, trading code, market, first day, service fee."""

    entity: int
    inner: int
    letter: str
    code: str
    market: int
    established: date
    service: int


@dataclass(frozen=True, slots=True)
class Fund:
    """A fund: its life, kind and classes; `tracked` is the index of an index fund, else 0."""

    entity: int
    number: int
    adviser: int
    kind: int
    operation: int
    name: str
    established: date
    closed: date | None
    classes: tuple[ShareClass, ...]
    tracked: int


@dataclass(frozen=True, slots=True)
class FundTrade:
    """All of them."""

    advisers: tuple[Adviser, ...]
    people: tuple[Person, ...]
    funds: tuple[Fund, ...]


def fund_trade(config: WorldConfig) -> FundTrade:
    """Return the advisers, people and funds of a world; each draws from its own stream, no two funds share a name."""
    advisers = max(12, round(160 * config.scale))
    people = max(advisers + 40, round(4000 * config.scale))
    funds = max(60, round(CODES * config.scale / PER_FUND))
    houses: set[str] = set()
    owners = tuple(_adviser(config.seed, n, houses) for n in range(advisers))
    taken: set[str] = set()
    return FundTrade(
        owners,
        tuple(_person(config.seed, n, advisers) for n in range(people)),
        tuple(_fund(config.seed, n, owners, taken) for n in range(funds)),
    )


def _adviser(seed: int, number: int, taken: set[str]) -> Adviser:
    rng = stream(seed, Purpose.FUND, ADVISER_BASE + number)
    order = rng.permutation(len(_HOUSES))
    pairs = ((first, second) for first, second in itertools.permutations(order.tolist(), 2))
    first, second = next(pair for pair in pairs if f"{_HOUSES[pair[0]]}{_HOUSES[pair[1]]}" not in taken)
    taken.add(f"{_HOUSES[first]}{_HOUSES[second]}")
    established = date(1998, 3, 1) + timedelta(days=int(rng.random() * 365 * 5))
    return Adviser(
        ADVISER_BASE + number,
        50_000 + number,
        f"{_HOUSES[first]}{_HOUSES[second]}基金",
        established,
    )


def _skewed(u: float, count: int) -> int:
    """Return a position of which the low ones are more likely: a few advisers are large."""
    return min(count - 1, int(count * u * (0.35 + 0.65 * u)))


def _person(seed: int, number: int, advisers: int) -> Person:
    rng = stream(seed, Purpose.FUND_PERSON, PERSON_BASE + number)
    u = [float(x) for x in rng.random(8)]
    years = float(rng.exponential(6.0))
    if number < advisers:  # every adviser has somebody at all times
        home, first, last = number, date(2002, 1, 1), END + timedelta(days=4000)
    else:
        first = date(2009, 1, 1) + timedelta(days=int(u[0] * (END - date(2009, 1, 1)).days))
        home, last = _skewed(u[1], advisers), first + timedelta(days=400 + int(365 * years))
    moves = number >= advisers and u[2] < MOVERS
    stints: tuple[tuple[int, date, date], ...] = ((home, first, last),)
    if moves:
        left = first + (last - first) * (0.3 + 0.4 * u[3])
        other = (home + 1 + int(u[4] * (advisers - 1))) % advisers
        stints = ((home, first, left), (other, left + timedelta(days=40 + int(300 * u[5])), last))
    practised = first - timedelta(days=700 + int(u[6] * 365 * 6))
    # One in forty has the name of the one before
    name = _person_name(seed, number - 1 if number % 40 == 39 else number)
    return Person(
        PERSON_BASE + number, 10_000_000 + 17 * number, name, 1 + int(u[7] < 0.3), practised, stints
    )


def _person_name(seed: int, number: int) -> str:
    picks = stream(seed, Purpose.FUND_PERSON, PERSON_BASE + number, 1).integers(0, 1 << 30, 4)
    second = _GIVEN[picks[2] % len(_GIVEN)] if picks[3] % 5 else ""
    return f"{_SURNAMES[picks[0] % len(_SURNAMES)]}{_GIVEN[picks[1] % len(_GIVEN)]}{second}"


def _fund(seed: int, number: int, advisers: tuple[Adviser, ...], taken: set[str]) -> Fund:
    rng = stream(seed, Purpose.FUND, FUND_BASE + 4 * number)
    u = [float(x) for x in rng.random(16)]
    years = float(rng.exponential(1.0 / CLOSED_PER_YEAR))
    kind = _kind(u[0])
    established = _established(u[1], u[2])
    end = max(established, START) + timedelta(days=365 + int(365 * years))
    closed = sessions().shift(end, 0) if end < END - timedelta(days=10) else None
    operation = _operation(kind, u[3])
    tracked = TRACKED[int(u[4] * 3)] if kind in INDEX_KINDS else 0
    adviser = _skewed(u[5], len(advisers))
    tail = f"{_index_word(tracked)}{_suffix(kind, operation)}"
    name = _fund_name(advisers[adviser].abbreviation[:2], tail, u[6], u[7] if u[8] < 0.5 else None, taken)
    entity = FUND_BASE + 4 * number
    classes = _classes(entity, number, kind, operation, established, closed, u[9:])
    return Fund(entity, number, adviser, kind, operation, name, established, closed, classes, tracked)


def _fund_name(house: str, tail: str, first: float, second: float | None, taken: set[str]) -> str:
    """Return one or two words before a tail that the house has no fund of yet: the next words where it has."""
    count = len(_WORDS)
    place = int(first * count) if second is None else count * (1 + int(first * count)) + int(second * count)
    for n in range(count * (count + 1)):
        at = (place + n) % (count * (count + 1))
        words = _WORDS[at] if at < count else f"{_WORDS[at // count - 1]}{_WORDS[at % count]}"
        name = f"{words}{tail}"
        if (at < count or at // count - 1 != at % count) and f"{house}{name}" not in taken:
            break
    taken.add(f"{house}{name}")
    return name


def _kind(u: float) -> int:
    total = sum(row[1] for row in KINDS)
    place = u * total
    for kind, weight, *_ in KINDS:
        place -= weight
        if place < 0:
            return kind
    return KINDS[-1][0]


def _established(before: float, place: float) -> date:
    if before < BEFORE:
        return sessions().shift(START - timedelta(days=60 + int(365 * 11 * place * place)), 0)
    return sessions().shift(START + timedelta(days=1 + int(place * (END - START).days)), 0)


def _operation(kind: int, u: float) -> int:
    if kind == INDEX_KINDS[0] and u < 0.5:
        return TRADED
    if kind in (120101, 120301, 130202, *INDEX_KINDS) and u > 0.94:
        return LISTED
    return CLOSED_TYPE if kind == 130101 and u < 0.02 else OPEN_TYPE


def _index_word(tracked: int) -> str:
    return {0: "", 3001: "沪深300", 3002: "中证500", 3003: "中证1000"}[tracked]


def _suffix(kind: int, operation: int) -> str:
    if operation == TRADED:
        return "ETF"
    if kind in INDEX_KINDS:
        return "指数增强" if kind == INDEX_KINDS[1] else "指数"
    return _SUFFIX[kind // 10_000] + ("(LOF)" if operation == LISTED else "")


def _classes(
    entity: int, number: int, kind: int, operation: int, start: date, closed: date | None, u: list[float]
) -> tuple[ShareClass, ...]:
    """Draw the classes: the second often starts with the fund, the others later; none within 90 days of the end."""
    count = 1 + sum(u[0] >= bound for bound in CLASSES)
    if operation in (TRADED, CLOSED_TYPE):
        count = 1
    letters = "AB" if kind == MONEY else "ACE"
    market = {TRADED: 83 if number % 2 else 90, LISTED: 90}.get(operation, 99)
    found = []
    last = (closed or END) - timedelta(days=90)
    for n in range(min(count, len(letters))):
        day = start
        if n and (n == 2 or u[1] > 0.75):
            low = max(start, START) + timedelta(days=30)
            day = sessions().shift(low + max(last - low, timedelta(0)) * u[2 + n], 0)
            if day >= last:
                continue
        letter = "" if count == 1 else letters[n]
        service = (25, 1)[n] if kind == MONEY else (0, 40, 20)[n]
        code = _code(number, n, operation)
        place = market if n == 0 else 99
        found.append(
            ShareClass(entity + 1 + n, FIRST_INNER + 4 * number + n, letter, code, place, day, service)
        )
    return tuple(found)


def _code(number: int, place: int, operation: int) -> str:
    """Trading codes of six digits that no share has: those off exchange begin with 01 to 05."""
    if place == 0 and operation == TRADED:
        return f"{510_000 + number if number % 2 else 590_000 + number // 2}"
    if place == 0 and operation == LISTED:
        return f"{160_000 + number}"
    return f"{10_000 + 3 * number + place:06d}"

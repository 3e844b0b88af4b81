"""Who owes bonds, and which: debtors by kind, their grade at the start, the terms of each of their bonds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._curves import SPREADS, Curves, interpolated, spread_at
from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._config import END, START, WorldConfig
from finassay.world._events_bonds import BondTerms
from finassay.world._numerics import exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._universe import Issuer

FIRST_BOND, FIRST_DEBTOR = 0xB00000, 0xB80000
MOST = 256  # bonds of a debtor
DEBTORS = 800  # at scale 1: with the convertibles about 5,000 codes, .45 of them live
FIRST_INNER, FIRST_COMPANY = 40_000_000, 400_000
GRADES = (
    "AAA", "AA+", "AA", "AA-", "A+", "A", "A-", "BBB+", "BBB", "BBB-", "BB+", "BB", "BB-", "B+", "B", "B-", "CCC",
    "CC", "C", "D",
)  # fmt: skip
NUMBER_OF = dict(
    zip(GRADES, (999, 980, 970, 960, 950, 940, 930, 920, 910, 900, 890, 880, 870, 860, 850, 840, 830, 820, 810, 800),
        strict=True)
)  # fmt: skip
SHORT_GRADE = 790
# Basis points over the treasury curve by grade (AAA to AA- as in world.md, 2.4; below assumed)
BASES = np.array(
    [
        40.0,
        65,
        110,
        300,
        400,
        480,
        560,
        680,
        800,
        950,
        1100,
        1250,
        1400,
        1600,
        1800,
        2000,
        2400,
        2700,
        3000,
        3000,
    ]
)
INTERBANK, SHANGHAI, SHENZHEN = 89, 83, 90
TREASURY, POLICY, LOCAL, BANK, BROKER, LISTED, CITY, INDUSTRY, ABS = (
    "treasury", "policy", "local", "bank", "broker", "listed", "city", "industry", "abs",
)  # fmt: skip
_KINDS = (
    (LOCAL, 0.07), (BANK, 0.10), (BROKER, 0.05), (LISTED, 0.30), (CITY, 0.27), (INDUSTRY, 0.16), (ABS, 0.05),
)  # fmt: skip
RATED = (LOCAL, BANK, BROKER, LISTED, CITY, INDUSTRY, ABS)
RISKY = (LISTED, CITY, INDUSTRY)
_GRADE_SHARES = {
    LOCAL: (1.0,),
    BANK: (0.5, 0.3, 0.2),
    BROKER: (0.6, 0.3, 0.1),
    LISTED: (0.20, 0.30, 0.34, 0.11, 0.05),
    CITY: (0.10, 0.30, 0.48, 0.12),
    INDUSTRY: (0.34, 0.30, 0.28, 0.08),
    ABS: (0.8, 0.2),
}
# Level-2 type, share, terms in years, option, years to its exercise
_MENU: dict[str, tuple[tuple[int, float, tuple[float, ...], str, float], ...]] = {
    TREASURY: ((101, 1.0, (1, 2, 3, 5, 7, 10, 10, 30), "", 0),),
    POLICY: ((103, 1.0, (1, 3, 3, 5, 5, 7, 10, 10), "", 0),),
    LOCAL: ((102, 1.0, (3, 5, 7, 10, 10, 15, 20, 30), "", 0),),
    BANK: ((201, 0.25, (3, 5), "", 0), (201, 0.50, (10,), "call", 5), (203, 0.25, (1,), "", 0)),
    BROKER: ((202, 0.6, (2, 3), "", 0), (202, 0.4, (5,), "call", 3)),
    LISTED: (
        (302, 0.14, (3, 5), "", 0), (302, 0.40, (5,), "put", 3), (303, 0.31, (3, 5), "", 0),
        (304, 0.08, (1,), "", 0), (305, 0.07, (0.74,), "", 0),
    ),
    CITY: (
        (301, 0.26, (7,), "", 0), (302, 0.34, (5, 7), "put", 3), (303, 0.18, (5,), "", 0),
        (304, 0.05, (1,), "", 0), (305, 0.05, (0.74,), "", 0), (306, 0.12, (3,), "", 0),
    ),
    INDUSTRY: (
        (301, 0.12, (7, 10), "", 0), (302, 0.30, (5,), "put", 3), (303, 0.24, (3, 5), "", 0),
        (303, 0.14, (5,), "call", 3), (304, 0.10, (1,), "", 0), (305, 0.10, (0.74,), "", 0),
    ),
    ABS: ((501, 1.0, (2, 3, 5), "", 0),),
}  # fmt: skip
_CROSS_MARKET = {101: 0.85, 102: 0.75, 301: 0.85, 103: 0.1}
_ON_EXCHANGE = (302, 202)
TYPE_NAMES = {
    101: "国债", 102: "地方政府债", 103: "政策性银行债", 201: "商业银行债", 202: "证券公司债", 203: "同业存单",
    301: "企业债", 302: "公司债", 303: "中期票据", 304: "短期融资券", 305: "超短期融资券", 306: "定向工具",
    401: "可转债", 501: "资产支持证券",
}  # fmt: skip
_SUFFIX = {
    101: "国债", 102: "债", 103: "金融债", 201: "银行债", 202: "证券债", 203: "CD", 301: "债", 302: "公司债",
    303: "MTN", 304: "CP", 305: "SCP", 306: "PPN", 501: "优先",
}  # fmt: skip
# Median size in 100 million yuan, and log deviation
_SIZES = {TREASURY: (600.0, 0.5), POLICY: (150.0, 0.6), LOCAL: (80.0, 0.8), BANK: (60.0, 0.8)}
_REGIONS = "江海川湘皖赣浙苏粤闽桂滇黔陕甘宁青新蒙吉辽黑冀晋豫鄂津渝琼沪鲁"
_GOVERNMENTS = (
    "河北省", "山西省", "辽宁省", "吉林省", "黑龙江省", "江苏省", "浙江省", "安徽省", "福建省", "江西省", "山东省",
    "河南省", "湖北省", "湖南省", "广东省", "海南省", "四川省", "贵州省", "云南省", "陕西省", "甘肃省", "青海省",
    "北京市", "天津市", "上海市", "重庆市", "内蒙古自治区", "广西壮族自治区", "宁夏回族自治区", "新疆维吾尔自治区",
)  # fmt: skip
_PLACES = "安平永宁长兴东阳南泰西华北源新城高陵中原清河云溪"


@dataclass(frozen=True, slots=True)
class Owner:
    """A debtor: number in the ledger, the vendor's of the company, kind, grade at the start, share, bonds."""

    entity: int
    company: int
    name: str
    kind: str
    grade: int
    sector: int
    stock: int  # entity of its share, 0 if it has none
    stock_inner: int
    bonds: int


@dataclass(frozen=True, slots=True)
class Bond:
    """A bond: number in the ledger, terms, announcement, size issued, listing days in the order of its codes."""

    entity: int
    terms: BondTerms
    announced: date
    size: int
    listed: tuple[date, ...]


def owners(config: WorldConfig, issuers: tuple[Issuer, ...], taken: frozenset[int]) -> tuple[Owner, ...]:
    """Return the debtors of a world; listed ones are companies, outside finance, that are not in `taken`."""
    count = max(30, round(DEBTORS * config.scale))
    able = [
        i
        for i in issuers
        if i.entity not in taken and i.sector not in (23, 24) and i.listed < date(2021, 1, 1)
    ]
    order = stream(config.seed, Purpose.DEBTOR, 0).permutation(len(able))
    waiting = [able[int(n)] for n in order]
    found = []
    for k in range(count):
        kind = _kind(k)
        rng = stream(config.seed, Purpose.DEBTOR, FIRST_DEBTOR + k)
        u, picks = rng.random(4), rng.integers(0, 1 << 30, 4)
        share = waiting.pop() if kind == LISTED and waiting else None
        kind = INDUSTRY if kind == LISTED and share is None else kind
        grade = int(np.searchsorted(np.cumsum(_GRADE_SHARES.get(kind, (1.0,))), float(u[0]) * 0.999999))
        found.append(
            Owner(
                entity=FIRST_DEBTOR + k,
                company=share.company if share else FIRST_COMPANY + k,
                name=share.name if share else _name(kind, k, [int(p) for p in picks]),
                kind=kind,
                grade=grade,
                sector=share.sector if share else (17 if kind == CITY else int(picks[3]) % 23),
                stock=share.entity if share else 0,
                stock_inner=share.inner if share else 0,
                bonds=_count(config.scale, kind, float(u[1])),
            )
        )
    return tuple(found)


def _kind(k: int) -> str:
    """Return the kind of the k-th debtor, spread evenly so that a small world has all of them."""
    if k < 4:
        return POLICY if k else TREASURY
    place, total = (k * 0.6180339887498949) % 1.0, 0.0
    for kind, share in _KINDS:
        total += share
        if place < total:
            return kind
    return ABS


def _count(scale: float, kind: str, u: float) -> int:
    if kind == TREASURY:
        return 12 + round(160 * scale)
    if kind == POLICY:
        return 6 + round(60 * scale)
    return 2 + int(u * (9 if kind != LOCAL else 12))


def _name(kind: str, k: int, picks: list[int]) -> str:
    if kind == TREASURY:
        return "财政部"
    if kind == POLICY:
        return ("国家开发银行", "进出口银行", "农业发展银行")[k - 1]
    region = _REGIONS[picks[0] % len(_REGIONS)]
    place = _PLACES[2 * (picks[1] % (len(_PLACES) // 2)) :][:2]
    tail = {
        LOCAL: "人民政府", BANK: "银行股份有限公司", BROKER: "证券股份有限公司", CITY: "城市建设投资有限公司",
        INDUSTRY: "控股集团有限公司", ABS: "资产支持专项计划",
    }[kind]  # fmt: skip
    if kind == LOCAL:
        return f"{_GOVERNMENTS[k % len(_GOVERNMENTS)]}{tail}"
    return f"{region}{place}{tail}"


def bonds_of(seed: int, owner: Owner, curve: Curves, since: date) -> list[Bond]:
    """Draw the bonds of a debtor, in the order of their announcements; none before a day."""
    drawn = [_bond(seed, owner, n, curve, since) for n in range(owner.bonds)]
    return sorted(
        (bond for bond in drawn if bond is not None), key=lambda bond: (bond.announced, bond.entity)
    )


def _bond(seed: int, owner: Owner, n: int, curve: Curves, since: date) -> Bond | None:
    number = (owner.entity - FIRST_DEBTOR) * MOST + n
    rng = stream(seed, Purpose.BOND, FIRST_BOND + number)
    u, z = rng.random(16), rng.standard_normal(4)
    kind, years, option, until = _drawn_type(owner.kind, float(u[0]), float(u[1]))
    announced = _announced(years, float(u[2]), since)
    if announced is None:
        return None
    calendar = sessions()
    start = calendar.shift(announced + timedelta(days=1 + int(4 * u[3])), 0)
    long = 5 + int(9 * u[5]) if u[4] < 0.06 else int(3 * u[5])
    end = calendar.shift(start, long)
    value = calendar.shift(end, 1)
    maturity = value + timedelta(days=round(365.25 * years)) if years < 1 else years_on(value, int(years))
    median, spread = _SIZES.get(owner.kind, (9.0, 0.6))
    planned = int(np.rint(float(exp([spread * z[0]])[0]) * median)) or 1
    grade = max(0, owner.grade - (1 if u[6] < 0.06 and owner.kind in RISKY else 0))
    terms = BondTerms(
        main=FIRST_INNER + 2 * number,
        codes=_codes(number, kind, value.year, float(u[7]), float(u[8])),
        name=f"{value.year % 100:02d}{owner.name[:4]}{_SUFFIX[kind]}{n + 1:03d}",
        kind=kind,
        debtor=owner.entity,
        planned=planned * 10_000,
        coupon=_coupon(owner, grade, curve, value, years, float(z[1])),
        issue_start=start,
        issue_end=end,
        value_date=value,
        maturity=maturity,
        option=option,
        exercise=years_on(value, int(until)) if option else None,
        amortises=kind == 301 and years >= 7 and u[9] < 0.75,
        grade=_grade_number(owner.kind, kind, grade),
    )
    size = planned * 10_000 if u[10] < 0.8 else int(np.rint(planned * (0.6 + 0.4 * u[11]) * 100)) * 100
    listed = tuple(
        calendar.shift(value, 1 + int(3 * u[12]) if market == INTERBANK else 4 + int(9 * u[13]))
        for _, market, _ in terms.codes
    )
    return Bond(FIRST_BOND + number, terms, announced, size, listed)


def _grade_number(owner_kind: str, kind: int, grade: int) -> int:
    if owner_kind not in RATED or kind in (203, 306):
        return 0
    return SHORT_GRADE if kind in (304, 305) else NUMBER_OF[GRADES[grade]]


def _drawn_type(kind: str, u: float, v: float) -> tuple[int, float, str, float]:
    shares = np.cumsum([row[1] for row in _MENU[kind]])
    number, _, terms, option, until = _MENU[kind][int(np.searchsorted(shares, u * 0.999999))]
    return number, float(terms[int(v * len(terms))]), option, until


def _announced(years: float, u: float, since: date) -> date | None:
    """Draw the day so that the bond lives in the window at some time; None if that is too early."""
    low = max(START - timedelta(days=round(330 * years)), date(2006, 1, 4))
    day = sessions().shift(low + timedelta(days=int(u * (END - timedelta(days=40) - low).days)), 0)
    return day if day > since else None


def near(day: date, count: int) -> date:
    """Return the session so many after the first one not before a day; the last one known where there is none."""
    calendar = sessions()
    return calendar.days[min(calendar.at_or_after(day) + count, len(calendar.days) - 1)]


def years_on(day: date, years: int) -> date:
    """Return the same day so many years on; of a leap day the day before."""
    last = 28 if (day.month, day.day) == (2, 29) else day.day
    return date(day.year + years, day.month, last)


def _codes(number: int, kind: int, year: int, u: float, v: float) -> tuple[tuple[int, int, str], ...]:
    """Return a bond's codes by market, the interbank one first."""
    exchange = SHANGHAI if v < 0.6 else SHENZHEN
    inner = FIRST_INNER + 2 * number
    interbank = (inner, INTERBANK, f"{year % 100:02d}{number:06d}")
    listed = (inner + 1, exchange, f"{100_000 + number}")
    if kind in _ON_EXCHANGE or (kind == 501 and u < 0.5):
        return ((inner, exchange, listed[2]),)
    return (interbank, listed) if u < _CROSS_MARKET.get(kind, 0.0) else (interbank,)


def _coupon(owner: Owner, grade: int, curve: Curves, value: date, years: float, z: float) -> int:
    """Return a coupon at the market on the value date: the curve, the spread of the grade, a little noise."""
    first, stop = window()
    t = min(max(0, sessions().at_or_after(value) - first), stop - first - 1)
    term = np.array([years])
    base = float(interpolated(curve.par[0], np.array([t]), term)[0])
    extra = float(spread_at(_base(owner.kind, grade), curve.credit[t : t + 1], term)[0])
    return int(np.rint(max(0.5, base + extra / 100.0 + 0.06 * z) * 100)) * 100


def _base(kind: str, grade: int) -> float:
    fixed = {TREASURY: 0.0, POLICY: SPREADS["CDB"], LOCAL: SPREADS["LOCAL"]}
    return fixed[kind] if kind in fixed else float(BASES[grade])

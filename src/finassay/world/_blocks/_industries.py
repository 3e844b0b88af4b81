"""Industries of the companies under the Shenwan standard: first set at listing, changed, and re-based once."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import Event, EventType, Industry
from finassay.world._numerics import log
from finassay.world._strata import strata
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from finassay.world._blocks._plant import Planted
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

STANDARD = 38
SECTORS = (
    "农林牧渔", "基础化工", "钢铁", "有色金属", "电子", "家用电器", "食品饮料", "纺织服饰",
    "轻工制造", "医药生物", "公用事业", "交通运输", "房地产", "商贸零售", "社会服务", "综合",
    "建筑材料", "建筑装饰", "电力设备", "国防军工", "计算机", "传媒", "通信", "银行", "非银金融",
    "汽车", "机械设备", "煤炭", "石油石化", "环保", "美容护理",
)  # fmt: skip
REBASED = date(2021, 7, 30)
_FIRST = date(2014, 2, 21)  # the standard's first publication in the window's memory
_QUIET = timedelta(days=45)  # between two changes of one company
# At level 1 (L9: .024 in all, where some fall into the quiet around the re-basing), and at level 2 only (assumed)
CHANGES_PER_YEAR = (0.0225, 0.010)
_REBASING = 0  # the level of a change on that day
_MOVED_THEN = 0.12  # of companies change level 1 on it (assumed)
STAR_BOARD = 7


def industry(sector: int, second: int, third: int, rebased: bool = False) -> Industry:
    """Return an industry by its place among the sectors, and among their three groups of two."""
    code = f"{11 + sector:02d}"
    name = SECTORS[sector]
    codes = (f"{code}0000", f"{code}{second + 1:02d}00", f"{code}{second + 1:02d}{third + 1:02d}")
    group = f"{name}{'甲乙丙'[second]}"
    return Industry(STANDARD, codes, (name, group, f"{group}{'一二'[third]}"), rebased)


def industry_events(seed: int, issuer: Issuer, recorder: Recorder, planted: Sequence[Planted] = ()) -> None:
    """Tell the industries of a company, with changes of level 1 that were planted between them.

    Outside STAR the day of publication is the start. On STAR 10% are published days before they take effect, as is
    the re-basing, and 20% days after. A new industry names the one it supersedes.
    """
    rng = stream(seed, Purpose.INDUSTRY, issuer.entity)
    sector, second, third = issuer.sector, int(rng.integers(3)), int(rng.integers(2))
    day = max(issuer.listed, _FIRST)
    last = _set(recorder, issuer, day, industry(sector, second, third), None, rng.random(2))
    extra = {sessions().days[change.told]: change for change in planted}
    first = strata(seed, Purpose.INDUSTRY, issuer.entity, len(CHANGES_PER_YEAR))
    natural = _days(rng, first, day, issuer.listed < REBASED)
    for when in sorted({**extra, **natural}):
        if when in extra:
            own = stream(seed, Purpose.TRAP, issuer.entity, extra[when].told)
            move = own.integers(1, [len(SECTORS), 3, 2])
            sector = (sector + int(move[0])) % len(SECTORS)
            with recorder.planting(own):
                last = recorder.tell(
                    EventType.INDUSTRY_SET,
                    industry(sector, second, third),
                    valid=sessions().days[extra[when].start],
                    disclosed=when,
                    supersedes=last,
                )
            continue
        level, rebased = natural[when], natural[when] == _REBASING
        u, move = float(rng.random()), rng.integers(1, [len(SECTORS), 3, 2])
        if level == 1 or (rebased and u < _MOVED_THEN):
            sector = (sector + int(move[0])) % len(SECTORS)
        elif not rebased:
            second = (second + int(move[1])) % 3
        last = _set(recorder, issuer, when, industry(sector, second, third, rebased), last, rng.random(2))


def _days(rng: np.random.Generator, first: list[float], start: date, rebase: bool) -> dict[date, int]:
    """Return the days of changes, each with its level; none soon after another, nor near the re-basing."""
    found = {}
    for level, (u, rate) in enumerate(zip(first, CHANGES_PER_YEAR, strict=True), start=1):
        when = start + timedelta(days=60 + _wait(u, rate))
        while when < END:
            if abs(when - REBASED) > _QUIET:
                found[sessions().shift(when, 0)] = level
            when += timedelta(days=60 + _wait(float(rng.random()), rate))
    kept = {day: level for day, level in found.items() if not any(day - _QUIET < x < day for x in found)}
    return {**kept, REBASED: _REBASING} if rebase and start < REBASED - _QUIET else kept


def _wait(u: float, per_year: float) -> int:
    return int(-log(1.0 - u) * 365.25 / per_year)


def _set(
    recorder: Recorder, issuer: Issuer, day: date, payload: Industry, last: Event | None, u: Floats
) -> Event:
    chance, spread = (float(value) for value in u)
    effective = day
    if issuer.board == STAR_BOARD and last is not None:
        if payload.rebased:
            effective = sessions().shift(day, 3)
        elif chance < 0.10:
            effective = sessions().shift(day, 3 + int(spread * 12))
        elif chance < 0.30:
            effective = sessions().shift(day, -1 - int(spread * 7))
    return recorder.tell(EventType.INDUSTRY_SET, payload, valid=effective, disclosed=day, supersedes=last)

"""Guess the role of each column of a profiled table, from its data first and its name second."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finassay.database._catalog._profile import ColumnProfile, TableProfile, grouped, lags

if TYPE_CHECKING:
    from finassay.temporal import Role

# Less than this between the two best roles is not a decision.
_MARGIN = 1.0
_NAMES: tuple[tuple[Role, str], ...] = (
    ("updated", r"updat|modif|xgrq|jsid|last_?touch|lastchanged"),
    ("recorded", r"insert|created|ingest|loaded|entry_?time|recorded"),
    (
        "disclosure",
        r"publ|announ|ann_?date|disclos|releas|filed|filing_?date|accept|collect|crawl|vintage|notice|披露|公告|发布",
    ),
    (
        "effective_to",
        r"out_?date|last_?(?:seen|date|day)|cancel|remov|expir|delist|dimission|^to$|revok|resum|valid_?to|剔除|截止日|结束",
    ),
    (
        "effective_from",
        (
            r"in_?date$|first_?(?:seen|date|day)|effect|implement|listed?_?date|accession|establish|start|begin|^from$"
            r"|valid_?from|change_?date|纳入|生效|起始"
        ),
    ),
    ("market_date", r"trad(?:e|ing)_?(?:day|date)|quote_?date|^date$|^day$|交易日"),
    ("period_end", r"^end_?date$|period|ddate|report_?date|observation_?date|fiscal_?end|quarter|报告期"),
    (
        "current_state",
        r"flag$|state$|status$|^if(?:perf|exec|eff)|incumbent|^is_?(?:current|active)|^latest|current_|prevrpt|当前",
    ),
    ("presentation", r"name|abbr|spell|label$|title|desc|remark|notes?$|简称|名称"),
    (
        "key",
        (
            r"(?:^|_)id$|^id|code$|symbol|ticker|(?:^|_)cik$|isin|cusip|^tag$|series|market$|standard$|mark$|version$|uom"
            r"|unit$|代码"
        ),
    ),
)
_DATED = frozenset(
    {"updated", "recorded", "disclosure", "effective_to", "effective_from", "market_date", "period_end"}
)
# Periods written as text are no ends of a state.
_COARSE = ("text_quarter", "text_month", "integer_month")


@dataclass
class _Votes:
    weights: dict[Role, float] = field(default_factory=lambda: defaultdict(float))
    reasons: dict[Role, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, role: Role, weight: float, reason: str) -> None:
        self.weights[role] += weight
        self.reasons[role].append(reason)


@dataclass(frozen=True)
class RoleGuess:
    """A guess: the role, why, and the other role that is nearly as likely."""

    role: Role
    because: str
    rival: Role | None = None


@dataclass(frozen=True)
class IntervalGuess:
    """Two dates that look like the start and the end of a state, with the columns that identify its owner.

    `inclusive` is None where the data do not tell whether the end is the last day or the first day after it.
    """

    start: str
    end: str
    owner: tuple[str, ...]
    inclusive: bool | None
    open_at_last: bool


def guess_roles(table: TableProfile) -> tuple[dict[str, RoleGuess], IntervalGuess | None]:
    """Guess the role of each column.

    Returns
    -------
    dict
        A guess per column, in order.
    IntervalGuess or None
        The interval found, if any.
    """
    votes = {name: _Votes() for name in table.columns}
    _vote_names(table, votes)
    interval = _find_interval(table)
    _vote_dates(table, votes, interval)
    _vote_values(table, votes, interval)
    return {name: _decide(table.columns[name], votes[name]) for name in table.columns}, interval


def _decide(column: ColumnProfile, votes: _Votes) -> RoleGuess:
    ranked = sorted(votes.weights.items(), key=lambda item: -item[1]) or [("payload", 0.0)]
    role, weight = ranked[0]
    rival = ranked[1] if len(ranked) > 1 else None
    because = "; ".join(votes.reasons[role])
    if weight < _MARGIN:
        return RoleGuess(
            role, because or f"nothing in the name or the data of {column.name} speaks for a role", "payload"
        )
    if rival and weight - rival[1] < _MARGIN:
        against = "; ".join(votes.reasons[rival[0]])
        return RoleGuess(role, f"{role}: {because}. {rival[0]}: {against}", rival[0])
    return RoleGuess(role, because)


def _vote_names(table: TableProfile, votes: dict[str, _Votes]) -> None:
    for name, column in table.columns.items():
        for role, pattern in _NAMES:
            if not re.search(pattern, name, re.IGNORECASE):
                continue
            if (role in _DATED) == (column.kind == "date") or (role == "updated" and column.distinct > 50):
                votes[name].add(role, 2.0, f"its name ({name})")
                break
            if role in _DATED and column.digits >= (3 if column.kind == "text" else 6):
                # "1947:Q1", 199403: a date in a writing that we do not read.
                votes[name].add(role, 3.0, f"its name ({name}), though its values are no dates we read")
                break


def _find_interval(table: TableProfile) -> IntervalGuess | None:
    """Find two dates, never in reverse, such that per owner the next start does not lie before the last end."""
    best: tuple[float, IntervalGuess] | None = None
    owners = [
        c for c in table.columns.values() if c.kind in ("text", "integer") and 1 < c.distinct < table.rows
    ]
    untimed = [c for c in table.dates if c.timed < 0.5]
    for start in untimed:
        for end in untimed:
            if start is end or start.null_share > 0.2 or end.format in _COARSE:
                continue
            gaps = lags(start, end)
            if len(gaps) == 0 or (gaps < 0).mean() > 0.001 or (gaps == 0).mean() > 0.5:
                continue
            opened = end.null_share or end.at_last / 5  # a busy last day is no mark
            if opened < 0.02:
                continue
            found = _sequence(start, end, owners)
            if found and (best is None or found[0] > best[0]):
                best = found
    return best[1] if best else None


def _sequence(
    start: ColumnProfile, end: ColumnProfile, owners: list[ColumnProfile]
) -> tuple[float, IntervalGuess] | None:
    """Return how well intervals of one owner follow each other, with the owner that fits best."""
    import numpy as np

    best: tuple[float, IntervalGuess] | None = None
    for owner in owners:
        group = grouped([owner])
        order = np.lexsort((start.days, group))
        same = group[order][1:] == group[order][:-1]
        next_start, this_end = start.days[order][1:][same], end.days[order][:-1][same]
        known = ~np.isnat(this_end) & ~np.isnat(next_start)
        if same.sum() < 5 or known.sum() == 0:
            continue
        steps = (next_start[known] - this_end[known]).astype("int64")
        # A point on a line follows its predecessor too; a state's end is another day than its start.
        score = float((steps >= 0).mean()) * float(known.mean())
        if score < 0.5:
            continue
        # An exclusive end often is the next start; an inclusive one often is the day before it, and never the start.
        touching, adjacent = float((steps == 0).mean()), float(((steps >= 1) & (steps <= 3)).mean())
        inclusive = False if touching > 0.05 else True if adjacent > 0.2 and touching == 0 else None
        if end.null_share == 0:
            inclusive = True  # the last day of the file stands for "not ended": ends are days of observation
        guess = IntervalGuess(start.name, end.name, (owner.name,), inclusive, end.null_share == 0)
        if best is None or score > best[0]:
            best = score, guess
    return best


def _vote_dates(table: TableProfile, votes: dict[str, _Votes], interval: IntervalGuess | None) -> None:
    dates = table.dates
    if interval:
        reason = f"per {interval.owner[0]} it starts where the one before has ended ({interval.end})"
        votes[interval.start].add("effective_from", 3.0, reason)
        votes[interval.end].add("effective_to", 3.0, f"never before {interval.start}; open for some rows")
    others = [c for c in dates if not interval or c.name not in (interval.start, interval.end)]
    for column in others:
        _vote_one_date(table, votes[column.name], column, others, interval)


def _vote_one_date(
    table: TableProfile,
    votes: _Votes,
    column: ColumnProfile,
    others: list[ColumnProfile],
    interval: IntervalGuess | None,
) -> None:
    rest = [other for other in others if other is not column and len(lags(column, other))]
    after = [
        o for o in rest if (lags(column, o) >= 0).mean() >= 0.999 and (lags(column, o) > 0).mean() > 0.05
    ]
    before = [
        o for o in rest if (lags(o, column) >= 0).mean() >= 0.99 and (lags(o, column) > 0).mean() > 0.05
    ]
    if column.timed > 0.5:
        _vote_timed(votes, before)
    if column.period_share > 0.8 and after:
        votes.add(
            "period_end",
            3.5,
            f"{column.period_share:.0%} of its days begin or end a month, and {after[0].name} follows",
        )
    elif column.period_share > 0.8 and not before and column.distinct < table.rows / 3:
        votes.add("period_end", 1.5, f"{column.period_share:.0%} of its days begin or end a month")
    elif column.weekend_share < 0.01 and _point_per_owner(table, column):
        votes.add("market_date", 2.5, "working days only, about one row per owner and day")
    periods = [o for o in before if o.period_share > 0.8]
    if periods and not column.timed > 0.5:
        weight = 2.5 if column.period_share < 0.8 or column.format in _COARSE else 1.0
        votes.add("disclosure", weight, f"it follows the period {periods[0].name}")
        if len(periods) < len(before) and column.format in _COARSE:
            votes.add("recorded", weight, "a period of collection, after days that are no period")
    elif before and not after and not interval and column.timed <= 0.5:
        votes.add("disclosure", 1.5, f"it never lies before {before[0].name}")


def _vote_timed(votes: _Votes, before: list[ColumnProfile]) -> None:
    names = ", ".join(other.name for other in before)
    if any(other.timed > 0.5 for other in before):
        votes.add("updated", 3.0, f"it holds times and never lies before {names}")
    elif any(other.period_share < 0.8 for other in before):
        votes.add("recorded", 2.5, f"it holds times and follows days that are no periods ({names})")
    elif before:
        votes.add("disclosure", 2.5, f"it holds times and follows the period {names}")
    else:
        votes.add("recorded", 1.5, "it holds times of day")


def _point_per_owner(table: TableProfile, column: ColumnProfile) -> bool:
    """Whether some column repeats over many days with about one row a day."""
    owners = [
        c
        for c in table.columns.values()
        if c.kind in ("text", "integer") and 1 < c.distinct < table.rows / 10
    ]
    has_values = any(c.kind == "float" for c in table.columns.values())
    for owner in owners:
        if (
            has_values
            and column.distinct > 100
            and len(set(grouped([owner, column]).tolist())) > 0.8 * table.rows
        ):
            return True
    return False


def _vote_values(table: TableProfile, votes: dict[str, _Votes], interval: IntervalGuess | None) -> None:
    for name, column in table.columns.items():
        if column.kind == "date":
            continue
        if column.kind == "float":
            votes[name].add("payload", 3.5, "fractional numbers")
            continue
        if interval and _repeats_end(table, column, interval):
            votes[name].add("current_state", 4.0, f"it says exactly whether {interval.end} is there")
        if name in table.key:
            votes[name].add("key", 3.5, f"part of what tells rows apart ({', '.join(table.key)})")
        elif column.kind == "text" and column.spaces > 0.5:
            votes[name].add("presentation", 2.0, "words")
        elif column.kind in ("text", "integer") and column.distinct > max(50, table.rows / 20):
            role: Role = "key" if column.kind == "text" else "payload"
            votes[name].add(role, 1.5, f"{column.distinct} different values")
        else:
            # A class that is asked for ("10-K") or a property of the row: the data do not tell.
            votes[name].add("payload", 1.0, f"{column.distinct} values that tell no rows apart")
            if 1 < column.distinct <= 12 and column.kind != "boolean":
                votes[name].add("key", 0.5, "it may classify the rows")


def _repeats_end(table: TableProfile, column: ColumnProfile, interval: IntervalGuess) -> bool:
    import numpy as np

    if not 2 <= column.distinct <= 5:
        return False
    open_ = np.isnat(table.columns[interval.end].days)
    if not 0 < open_.sum() < table.rows:
        return False
    return not set(column.codes[open_].tolist()) & set(column.codes[~open_].tolist())

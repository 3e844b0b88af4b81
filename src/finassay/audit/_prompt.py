"""Instructions that make a careful program violate: what a prompt tells its reader to do with times and states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.temporal import Catalog

Severity = Literal["violation", "risk"]

_NEGATED = re.compile(
    r"不要|不得|不可|不能|不应|禁止|切勿|请勿|避免|而非|而不是|\b(?:never|do\s+not|don't|must\s+not|should\s+not|cannot|avoid"
    r"|instead\s+of|rather\s+than|forbidden)\b",
    re.IGNORECASE,
)
# A condition on a column: an operator behind its name, or words that make one
_OPERATOR = (
    r"\s*(?:[`\"'\])]?\s*)(?:[=<>≤≥≠]|!=|(?:not\s+)?(?:like|in|is|between)\b"
    r"|等于|为|是|取|不含|包含|属于|equals?\b|of\s+['\"\d])"
)
_BY = r"(?:filter(?:ed|ing)?\s+(?:on|by)|screen\s+(?:on|by)|where|use|按|根据|利用|使用|通过|以|筛选)\s*[`\"'\[]?"
_STATE_ZH = (
    r"成分股|成份股|样本股|成员|行业(?:分类)?|评级|上市状态|状态|基金经理|经理|简称|名称|在市|上市公司"
)
_STATE_EN = (
    r"constituents?|members?|membership|components?|industry|industries|classification|ratings?|status|managers?"
    r"|listings?|names?|universe"
)
_CLOCK = re.compile(
    r"\b(?:now|curdate|current_date|current_timestamp|getdate|sysdate)\b\s*(?:\(\s*\))?(?=\W|$)(?<!\bnow)"
    r"|\bnow\s*\(\s*\)|\b(?:date|datetime)\.(?:today|now|utcnow)\s*\(",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:like\s*['\"]%?\*?ST%?['\"]|(?:简称|名称|name|abbreviation)[^。.;；\n]{0,12}(?:含|包含|带|以|contain\w*|start\w*|begin\w*)"
    r"[^。.;；\n]{0,8}['\"“]?\*?ST(?![A-Za-z]))",
    re.IGNORECASE,
)
_TODAY = re.compile(
    rf"(?:当前|目前|现在|今天|今日|最新|现任|现行)的?[^，。,.;；\n]{{0,6}}(?:{_STATE_ZH})"
    rf"|\b(?:current|today's|present|latest|up-to-date)\s+(?:[\w-]+\s+){{0,3}}(?:{_STATE_EN})\b",
    re.IGNORECASE,
)
_LAG = re.compile(
    r"(?:报告期|期末|季末|年末|季度结束|年度结束)[^。.;；\n]{0,10}(?:滞后|之后|后|加|\+)\s*[\d一二三四五六七八九十]+\s*(?:个?月|天|日|个?交易日|周)"
    r"|\blag(?:ged|ging)?\b[^.;\n]{0,30}\b\d+\s*(?:days?|months?|weeks?|quarters?)\b"
    r"|\b(?:assume|treat)\b[^.;\n]{0,60}\b(?:available|known|public)\b[^.;\n]{0,30}\b\d+\s*(?:days?|months?|weeks?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Instruction:
    """A place in a prompt that induces a violation.

    Attributes
    ----------
    rule : str
        A stable word: ``current_state``, ``updated_time``, ``recorded_time``, ``period_end``, ``name_for_state``,
        ``todays_state``, ``clock``, ``fixed_lag``.
    severity : {"violation", "risk"}
        A program that follows it violates; or it does unless something else guards it.
    line, column : int
        From 1.
    text : str
        The words.
    why : str
        What is wrong with them.
    instead : str
        What to write.
    """

    rule: str
    severity: Severity
    line: int
    column: int
    text: str
    why: str
    instead: str


def lint_prompt(text: str, catalog: Catalog) -> list[Instruction]:
    """Find instructions that induce violations of point-in-time validity.

    Parameters
    ----------
    text : str
        A prompt, in Chinese or English, with or without SQL and Python in it.
    catalog : Catalog
        What the columns that it names mean.

    Returns
    -------
    list of Instruction
        In the order of the text. A sentence that forbids something induces nothing: words such as 不要, never,
        instead of end its examination.
    """
    columns = _columns(catalog)
    found = [
        Instruction(rule, severity, number, start + match.start() + 1, match.group().strip(), why, instead)
        for number, line in enumerate(text.splitlines(), 1)
        for start, sentence in _sentences(line)
        if not _NEGATED.search(sentence)
        for match, rule, severity, why, instead in _in_sentence(sentence, columns)
    ]
    return sorted(found, key=lambda one: (one.line, one.column))


_Found = tuple[re.Match[str], str, Severity, str, str]


def _in_sentence(sentence: str, columns: dict[str, str]) -> Iterator[_Found]:
    taken: set[str] = set()
    for match in re.finditer(r"[A-Za-z_][A-Za-z0-9_]*", sentence):
        name = match.group()
        role = columns.get(name.upper()) if name.upper() == name or "_" in name else None
        if role is None or name in taken or not _conditioned(sentence, match, role):
            continue
        taken.add(name)
        rule, severity, why, instead = _ROLES[role]
        yield match, rule, severity, why.format(name), instead
    for pattern, rule, severity, why, instead in _WORDS:
        worded = pattern.search(sentence)
        if worded is not None:
            yield worded, rule, severity, why, instead


def _conditioned(sentence: str, name: re.Match[str], role: str) -> bool:
    """Whether a column stands in a condition, in SQL or in words; of a period's end, in an upper bound."""
    after, before = sentence[name.end() :], sentence[: name.start()]
    if role == "period_end":  # a period may be picked, but its end bounds no knowledge
        return re.match(r"\s*(?:<|≤|between\b|不晚于|不超过|早于)", after, re.IGNORECASE) is not None
    return bool(
        re.match(_OPERATOR, after, re.IGNORECASE) or re.search(_BY + r"(?:\w+\.)?$", before, re.IGNORECASE)
    )


def _sentences(line: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a line with their offsets; a decimal point ends none, nor does a dot within a name."""
    start = 0
    for match in re.finditer(r"[。；;！!？?]|\.(?=\s|$)", line):
        yield start, line[start : match.end()]
        start = match.end()
    yield start, line[start:]


def _columns(catalog: Catalog) -> dict[str, str]:
    """Return the columns that mean the same, of what is judged here, in every table that has them."""
    roles: dict[str, set[str]] = {}
    for table in catalog.tables.values():
        for name, column in table.columns.items():
            roles.setdefault(name.upper(), set()).add(column.role)
    judged = {name: next(iter(found)) for name, found in roles.items() if len(found) == 1}
    return {name: role for name, role in judged.items() if role in _ROLES}


_ROLES: dict[str, tuple[str, Severity, str, str]] = {
    "current_state": (
        "current_state",
        "violation",
        "{} says how things stand today, not at the as-of date.",
        "Test the interval: begun by the as-of date, and not known to have ended by then.",
    ),
    "updated": (
        "updated_time",
        "violation",
        "{} changes whenever the vendor touches a row: it does not say when the row became known.",
        "Use the column of disclosure.",
    ),
    "recorded": (
        "recorded_time",
        "risk",
        "{} says when the vendor wrote the row, which may be years after it became public.",
        "Use the column of disclosure, or let the contract allow the recording time.",
    ),
    "period_end": (
        "period_end",
        "risk",
        "{} is the end of a period; what happened in it becomes known later.",
        "Add a bound on the column of disclosure.",
    ),
}
_WORDS: tuple[tuple[re.Pattern[str], str, Severity, str, str], ...] = (
    (
        _NAME,
        "name_for_state",
        "violation",
        "The name kept is today's; special treatment has a history of its own.",
        "Read the events of special treatment, by announcement and effect.",
    ),
    (
        _TODAY,
        "todays_state",
        "violation",
        "Today's members, classes and states were not those of the as-of date.",
        "Say: as of the as-of date.",
    ),
    (_CLOCK, "clock", "violation", "The clock of the machine is no as-of date.", "State the date."),
    (
        _LAG,
        "fixed_lag",
        "risk",
        "A fixed lag is wrong for every report that came earlier or later.",
        "Use the column of disclosure.",
    ),
)

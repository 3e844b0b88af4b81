"""Instructions that make a careful program violate: what a prompt tells its reader to do with times and states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.temporal import Catalog

Severity = Literal["violation", "risk"]

_ZH = r"[\d一二两三四五六七八九十百]+"
_EN = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six)teen|twenty"
    r"|thirty|forty|forty-five|sixty|ninety|(?:one\s+)?hundred(?:\s+and\s+twenty)?)"
)
_REPORTED = re.compile(
    r"财报|报告|报表|年报|季报|中报|财务|期末|一期|\b(?:reports?|statements?|fiscal|quarter\w*|financials?|periods?)\b",
    re.IGNORECASE,
)
_NAMED = r"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*"
# A bound on what was disclosed, in words: beside it the end of a period only picks the period
_DISCLOSED = re.compile(r"披露|公告|公布|\b(?:disclos|publi[sc]|announc|filed)\w*", re.IGNORECASE)

# What forbids, but not "do not forget"
_NEGATED = re.compile(
    r"(?:不要|不得|不可|不能|不应|禁止|切勿|请勿|避免|\b(?:never|do\s+not|don['’]t|must\s+not|should\s+not|cannot|avoid"
    r"|forbidden)\b)(?!\s*(?:忘|漏|遗漏|forget|omit|miss)\b|忘|漏|遗漏)",
    re.IGNORECASE,
)
# What forbids only that which follows it
_INSTEAD = re.compile(r"而非|而不是|\b(?:instead\s+of|rather\s+than)\b", re.IGNORECASE)
# Where a clause ends within a sentence: what forbids in one says nothing of the next
_TURN = re.compile(
    r"[，,、]\s*(?=但|而是|而应|而要|不过|可是|然而|改用|改为|请(?!勿)|应|要|须|必须|(?:but|however|please|instead(?!\s+of))\b)"
    r"|\s+(?=but\b)|(?<=[^，,、\s])(?=但(?:是|要|应|须|可|请|按))",
    re.IGNORECASE,
)
# A condition on a column: an operator behind its name, or words that make one
_CLOSED = r"\s*[`\"'\])]*\s*"
_OPERATOR = (
    _CLOSED + r"(?:[=<>≤≥≠]|!=|(?:not\s+)?(?:like|in|is|between)\b"
    r"|\.\s*(?:eq|ne|isin|isna|isnull|notna|notnull|str|between)\b"
    r"|等于|为|是|取|不含|包含|属于|equals?\b|of\s+['\"\d])"
)
_COMPARED = _CLOSED + (
    r"(?:==?(?!=)|!=|<>|\b(?:not\s+)?(?:in\s*\(|like\s*['\"])|等于|为|取|equals?\b"
    r"|(?:is|are)\s+(?:set\s+to\s+|equal\s+to\s+)?(?:\d|(?:one|zero|true|false)\b(?!\s+of\b))|是\s*(?:\d|一(?!个)|真))"
)
_BY = r"(?:filter(?:ed|ing)?\s+(?:on|by)|screen\s+(?:on|by)|where|use|按|根据|利用|使用|通过|以|筛选)\s*[`\"'\[]?"
# What makes the order of rows: of times that the vendor writes, as wrong as a condition
_ORDER_BEFORE = (
    r"(?:\b(?:order(?:ed|ing)?|sort(?:ed|ing)?|rank(?:ed|ing)?|latest|greatest|largest|newest|highest|max(?:imum)?)\b"
    r"(?:\s+(?:it|them|rows|by|on|value|of|the)\b)*\s*[(`\"'\[]*|最[大新晚近]的?\s*)(?:\w+\.)?$"
)
_ORDER_AFTER = _CLOSED + r"(?:desc\b|asc\b|[倒降升]序|排序|最[大新晚近])"
_STATE_ZH = (
    r"成分股|成份股|样本股|成员|行业(?:分类)?|评级|上市状态|状态|基金经理|经理|简称|名称|在市|上市公司"
    r"|\*?ST(?![A-Za-z])"
)
_STATE_EN = (
    r"constituents?|members?|membership|components?|industry|industries|classification|ratings?|status|managers?"
    r"|listings?|names?|universe"
)
_CLOCK = re.compile(
    r"\b(?:now|curdate|current_date|current_timestamp|getdate|sysdate)\b\s*(?:\(\s*\))?(?=\W|$)(?<!\bnow)"
    r"|\bnow\s*\(\s*\)|\b(?:date|datetime|timestamp)\.(?:today|now|utcnow)\s*\(|\btime\.time\s*\("
    r"|\b(?:to_datetime|timestamp)\s*\(\s*['\"](?:today|now)['\"]",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:like\s*['\"]%?\*?ST%?['\"]|(?:简称|名称|[A-Za-z_]*(?:name|abbr)[A-Za-z_]*)(?:[^。.;；\n]|\.(?=\w)){0,16}?(?:含|包含|带|以|contain\w*|start\w*|begin\w*)"
    r"[^。.;；\n]{0,8}['\"“]?\*?ST(?![A-Za-z]))",
    re.IGNORECASE,
)
_TODAY = re.compile(
    rf"(?:当前|目前|现在|今天|今日|最新|现任|现行)的?[^，。,.;；\n]{{0,6}}(?:{_STATE_ZH})"
    rf"|\b(?:current|today's|present|latest|up-to-date)\s+(?:[\w&.’'-]+\s+){{0,3}}(?:{_STATE_EN})\b",
    re.IGNORECASE,
)
_END = r"(?:报告期|期末|季末|年末|季度结束|年度结束)"
_SPAN = _ZH + r"\s*(?:个?月|天|日|个?交易日|周)"
_LASTS = r"[^.;\n]{0,30}\b" + _EN + r"[\s-]*(?:days?|months?|weeks?|quarters?)\b"
_LAG = re.compile(
    rf"{_END}[^。.;；\n]{{0,10}}(?:滞后|之后|后|加|\+)\s*{_SPAN}|{_END}[^。.;；\n]{{0,6}}{_SPAN}(?:之|以)?后"
    rf"|\blag(?:ged|ging)?\b{_LASTS}|\b(?:assume|treat)\b[^.;\n]{{0,60}}\b(?:available|known|public)\b{_LASTS}",
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
        In the order of the text. A clause that forbids something induces nothing: words such as 不要 and never reach
        to its end, or to a comma with 但 or but; 而不是 and instead of reach only what follows them.
    """
    columns, told = _columns(catalog), _disclosures(catalog)
    found = [
        Instruction(rule, severity, number, start + match.start() + 1, match.group().strip(), why, instead)
        for number, line in enumerate(text.splitlines(), 1)
        for start, clause in _clauses(line)
        if not _NEGATED.search(clause)
        for match, rule, severity, why, instead in _in_clause(
            clause, {n: role for n, (role, _) in columns.items()}
        )
        if rule != "period_end" or not _picks(line, columns[match.group().upper()][1], told)
    ]
    return sorted(found, key=lambda one: (one.line, one.column))


def _picks(line: str, sole: bool, told: set[str]) -> bool:
    """Whether an upper bound on a period's end is beside one on disclosure, or its column may end something else."""
    if _DISCLOSED.search(line) or any(word.upper() in told for word in re.findall(_NAMED, line)):
        return True
    return not sole and _REPORTED.search(line) is None


_Found = tuple[re.Match[str], str, Severity, str, str]


def _in_clause(clause: str, columns: dict[str, str]) -> Iterator[_Found]:
    taken: set[str] = set()
    for match in re.finditer(_NAMED, clause):
        name = match.group()
        role = columns.get(name.upper())
        if role is None or name.upper() in taken or not _conditioned(clause, match, role):
            continue
        taken.add(name.upper())
        rule, severity, why, instead = _ROLES[role]
        yield match, rule, severity, why.format(name), instead
    for pattern, rule, severity, why, instead in _WORDS:
        worded = pattern.search(clause)
        if worded is not None:
            yield worded, rule, severity, why, instead


def _conditioned(clause: str, name: re.Match[str], role: str) -> bool:
    """Whether a column stands in a condition, in SQL or in words; of a period's end, in an upper bound.

    Of a time that the vendor writes also in what orders rows.
    """
    after, before = clause[name.end() :], clause[: name.start()]
    if role == "period_end":  # a period may be picked, but its end bounds no knowledge
        return re.match(r"\s*(?:<|≤|between\b|不晚于|不超过|早于)", after, re.IGNORECASE) is not None
    if name.group()[1:].islower():  # it may be a word of the language: region, performance
        return re.match(_COMPARED, after, re.IGNORECASE) is not None
    if role in ("updated", "recorded") and (
        re.search(_ORDER_BEFORE, before, re.IGNORECASE) or re.match(_ORDER_AFTER, after, re.IGNORECASE)
    ):
        return True
    return bool(
        re.match(_OPERATOR, after, re.IGNORECASE) or re.search(_BY + r"(?:\w+\.)?$", before, re.IGNORECASE)
    )


def _clauses(line: str) -> Iterator[tuple[int, str]]:
    """Yield the clauses of a line with their offsets, without what an "instead of" in them gives up."""
    for begin, sentence in _sentences(line):
        start = 0
        for turn in (*_TURN.finditer(sentence), None):
            clause = sentence[start : turn.end() if turn else len(sentence)]
            given_up = _INSTEAD.search(clause)
            yield begin + start, clause[: given_up.start()] if given_up else clause
            start += len(clause)


def _sentences(line: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a line with their offsets; a decimal point ends none, nor does a dot within a name."""
    start = 0
    for match in re.finditer(r"[。；;！!？?]|\.(?=\s|$)", line):
        yield start, line[start : match.end()]
        start = match.end()
    yield start, line[start:]


def _columns(catalog: Catalog) -> dict[str, tuple[str, bool]]:
    """Return columns by what is judged here, and whether every table means that: of a period's end one is enough."""
    roles: dict[str, set[str]] = {}
    for table in catalog.tables.values():
        for name, column in table.columns.items():
            roles.setdefault(name.upper(), set()).add(column.role)
    judged = {
        name: ("period_end" if "period_end" in found else next(iter(found)), len(found) == 1)
        for name, found in roles.items()
        if len(found) == 1 or "period_end" in found
    }
    return {name: (role, sole) for name, (role, sole) in judged.items() if role in _ROLES}


def _disclosures(catalog: Catalog) -> set[str]:
    return {
        name.upper()
        for table in catalog.tables.values()
        for name, column in table.columns.items()
        if column.role == "disclosure"
    }


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

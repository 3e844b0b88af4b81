"""Read the temporal contract of a task from the words of its instruction, Chinese or English."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from finassay.temporal._evidence import Evidence

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NAMES = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_DATE = re.compile(
    r"(?<![\d.])(?P<y>(?:19|20)\d\d)\s*(?P<s>[-/.年])\s*(?P<m>\d{1,2})\s*(?:(?P=s)|月)\s*(?P<d>\d{1,2})(?!\d)\s*(?:日(?![终末])|号)?"
    r"|(?<!\d)(?P<c>20\d{6})(?!\d)"
    rf"|\b(?P<mn>{_NAMES})\.?\s+(?P<md>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<my>20\d\d)"
    rf"|\b(?P<dd>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<dn>{_NAMES})\.?,?\s+(?P<dy>20\d\d)"
    r"|(?<![\d./])(?P<f1>\d{1,2})/(?P<f2>\d{1,2})/(?P<fy>20\d\d)(?!\d)"
    r"|(?P<zy>[二一][〇零○九0一二三四五六七八]{3})年(?P<zm>[一二三四五六七八九十]{1,2})月(?P<zd>[一二三四五六七八九十]{1,3})日(?![终末])?",
    re.IGNORECASE,
)
# The end of a year or a month, which the trading calendar or a person turns into a date.
_PERIOD = re.compile(
    r"(?P<y>20\d\d)\s*年\s*(?:(?P<m>\d{1,2})\s*月\s*)?(?:底|末|年末|最后一个交易日|收盘后)"
    rf"|(?:end|last trading day) of (?:(?P<mn>{_NAMES})\s+)?(?P<ey>20\d\d)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"^\s*(?:至|到|[-–—~～]|to|through|until)\s*$", re.IGNORECASE)

# What stands right before or right after a date and makes it the as-of date.
_BEFORE = re.compile(
    r"(截至|截止至?|截止到|观察日(?:为|是|[:：])?|信息截点(?:为|是)?|不晚于|(?<!\w)as of|known (?:on|at|by)"
    r"|at the close (?:of|on)|end of|before the open (?:of|on)|observation date(?: is|:)?"
    r"|cut-?off(?: is)?(?: the)?[: ]*(?:end of|before the open of)?)\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^\s*(?:的|这个|当[日天])?\s*(?:日终|收盘后?|日末|开盘前|盘前|周五收盘后)?\s*(?:为|作为|是)?\s*"
    r"(?:观察日|观察时?点|信息截点|信息截止|回测截止|样本截止|截止日|截面|可获得|可得|已披露|已发布|已有数据|当时|之?前可[得获]"
    r"|晨会|月会|月报|周报|日报|策略会|组合例会|before the open|at the close|end of day|close)",
    re.IGNORECASE,
)
# What makes a date something else: the start of a window, a report's period, a bound of a report's disclosure.
_NOT_AFTER = re.compile(
    r"^\s*(?:以来|起|开始|之后|年报|季报|中报|报告期|一季报|三季报|onwards)", re.IGNORECASE
)
# The period that a report is about, which is no doubt about the as-of date.
_PERIOD_AFTER = re.compile(
    r"^\s*(?:的|期末)?\s*(?:合并|母公司|单季|累计)*\s*(?:资产负债表|利润表|现金流量表|报表|报告|财报|财务|权重"
    r"|balance sheet|statement|report|quarter|accounts)",
    re.IGNORECASE,
)
_PERIOD_BEFORE = re.compile(
    r"(?:period|quarter|year|months?) (?:ended|ending|to)\s*$|(?:balance sheet|statements?) (?:of|at|as at)\s*$"
    r"|期末\s*$",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(r"(?:自|从|since|from|starting|报告期末?(?:为|是)?|after)\s*$", re.IGNORECASE)

_EOD = re.compile(
    r"日终|日末|收盘后|次日零时|end[- ]of[- ]day|cut-?off: end of|(?:at|after|as of) the close", re.IGNORECASE
)
_PRE = re.compile(r"开盘前|盘前|before the (?:market )?open|pre-?open|before trading", re.IGNORECASE)
_STRICT = re.compile(r"观察日(?:之)?前(?:已|可|最近)|before the (?:observation|as-of) date", re.IGNORECASE)
_INCLUSIVE = re.compile(r"截至|截止|as of|不晚于|no later than", re.IGNORECASE)

_RHYTHMS = (
    (
        "month_end",
        (
            r"每月(?:的)?(?:最后一个交易日|末|底)|各?(?:月|月度)(?:月?末|最后一个交易日)|各月最后|月频|逐月|每月"
            r"|(?:each|every) month[- ]end|month[- ]ends?\b|monthly rebalanc|every month"
        ),
    ),
    (
        "quarter_end",
        r"每(?:个)?季(?:度)?(?:末|最后)|各季(?:度)?末|季频|(?:each|every) quarter[- ]end|quarterly rebalanc",
    ),
    ("year_end", r"每年(?:年)?末|各年(?:年)?末|each year[- ]end|at (?:each|every) year[- ]end"),
    ("week", r"每周|各周|周频|逐周|each week|every (?:week|wednesday|friday)|weekly rebalanc"),
    ("day", r"每(?:个)?交易日|逐日|每日(?:调|滚)|each trading day|every trading day|daily rebalanc"),
    ("event", r"事件日|事件样本|事件研究|event stud|event date"),
)
_FIRST = re.compile(
    r"首次披露|首次公布|首次发布|首次公告值|初值|初次披露|first[- ](?:reported|disclosed|published|release|print)"
    r"|as (?:first|originally) reported|initial (?:release|print)",
    re.IGNORECASE,
)
_LATEST = re.compile(
    r"最新(?:已)?披露|最新(?:可得|一期|版本|报告期|值|数)|latest (?:available|disclosed|reported|version)"
    r"|as (?:last )?restated",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"财务|年报|季报|中报|报告期|披露|营业收入|净利润|filing|statement|reported|vintage", re.IGNORECASE
)
_LABEL = re.compile(
    r"(?:未来|随后|后续|其后|之后)\s*[\d、,，和及\s]*\s*(?:个)?(?:交易日|日|天|周|月|年)?[^，。,.;；]{0,6}?(?:收益|涨跌|表现|回报)"
    r"|作为标签|事后标签|(?:持有期|持有至)[^，。]{0,12}收益"
    r"|(?:forward|future|subsequent|next)[\s-]+(?:\d+[\s-]+)?(?:trading[\s-]+)?(?:day|week|month)?s?[\s-]*"
    r"(?:excess[\s-]+)?returns?|as (?:the |a )?labels?",
    re.IGNORECASE,
)
_LABEL_FIELD = re.compile(
    r"未来|随后|后续|持有期.+|标签|后\s*\d+\s*(?:个交易)?日|forward|future|fwd|label|next|subsequent",
    re.IGNORECASE,
)
_PROXY = re.compile(r"入库|INSERTTIME|recorded|inserted into|recording time", re.IGNORECASE)
_HISTORY = re.compile(
    r"(?:修订|更正|重述)前后|历次|变更历史|首次[^，。]{0,10}与[^，。]{0,6}(?:最新|修订)|revision history"
    r"|before and after the restatement|first[- ]reported versus",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"(?:输出(?:字段|列)?|返回|\boutput(?: columns| fields)?|^\s*return)\s*(?:为|是)?\s*[:：]?\s*(.+)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[。;；\n]|(?<=\w)\.(?:\s|$)")
_DATE_FIELD = re.compile(
    r"^(?:观察日|观测日|调仓日|截面日|换仓日|披露日|事件日|交易日|日期|决策日)|(?:日期|观察日|调仓日)$"
    r"|(?:^|_)date$|^date|rebalance",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Dated:
    day: date
    start: int
    end: int
    exact: bool


def read_instruction(text: str) -> list[Evidence]:
    """Return what an instruction says about its contract; an empty list if it says nothing about time."""
    dates = list(_dates(text))
    spans = _spans(text, dates)
    return [
        *_as_of(text, dates, spans),
        *_no_days(text),
        *_boundary(text),
        *_decisions(text, dates, spans),
        *_version(text),
        *_labels(text),
        *_permissions(text),
    ]


def _dates(text: str) -> Iterator[_Dated]:
    for match in _DATE.finditer(text):
        day = _day(match)
        if day:
            yield _Dated(day, match.start(), match.end(), exact=True)
    for match in _PERIOD.finditer(text):
        year = int(match["y"] or match["ey"])
        month = int(match["m"]) if match["m"] else _month(match["mn"]) if match["mn"] else 12
        if 1 <= month <= 12:
            last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
            yield _Dated(last, match.start(), match.end(), exact=False)


def _no_days(text: str) -> Iterator[Evidence]:
    """Doubt the as-of date where something is written as a date and is none, such as 2024-02-30 or 05/06/2023."""
    odd = [match.group().strip() for match in _DATE.finditer(text) if _day(match) is None]
    if odd:
        because = f"no day of the calendar, or not clear which one: {', '.join(odd)}"
        yield Evidence("as_of", None, sure=False, because=because)


def _day(match: re.Match[str]) -> date | None:
    try:
        if match["c"]:
            return date(int(match["c"][:4]), int(match["c"][4:6]), int(match["c"][6:]))
        if match["y"]:
            return date(int(match["y"]), int(match["m"]), int(match["d"]))
        if match["mn"]:
            return date(int(match["my"]), _month(match["mn"]), int(match["md"]))
        if match["zy"]:
            return date(_digits(match["zy"]), _tens(match["zm"]), _tens(match["zd"]))
        if match["fy"]:
            return _slashed(int(match["f1"]), int(match["f2"]), int(match["fy"]))
        return date(int(match["dy"]), _month(match["dn"]), int(match["dd"]))
    except ValueError:
        return None


def _slashed(first: int, second: int, year: int) -> date | None:
    """Read 31/12/2023 and 12/31/2023; None for 05/06/2023, of which nobody knows which is the month."""
    if first != second and first <= 12 and second <= 12:
        return None
    return date(year, *sorted((first, second)))


def _digits(text: str) -> int:
    return int(
        "".join(
            "0"
            if c in "〇零○"
            else str("一二三四五六七八九".index(c) + 1)
            if c in "一二三四五六七八九"
            else c
            for c in text
        )
    )


def _tens(text: str) -> int:
    """Read 三, 十, 十二, 二十, 三十一."""
    tens, found, ones = text.rpartition("十")
    return (10 * (_digits(tens) if tens else 1) if found else 0) + (_digits(ones) if ones else 0)


def _month(name: str) -> int:
    return next(i for i, known in enumerate(_MONTHS, 1) if known.startswith(name.lower()[:3]))


def _spans(text: str, dates: list[_Dated]) -> list[tuple[_Dated, _Dated]]:
    ordered = sorted(dates, key=lambda found: found.start)
    pairs = itertools.pairwise(ordered)
    return [(a, b) for a, b in pairs if _RANGE.match(text[a.end : b.start]) and a.day <= b.day]


def _as_of(text: str, dates: list[_Dated], spans: list[tuple[_Dated, _Dated]]) -> Iterator[Evidence]:
    inside = {found.start for pair in spans for found in pair}
    strong: list[tuple[_Dated, str]] = []
    weak: list[tuple[_Dated, str]] = []
    for found in dates:
        before, after = text[: found.start], text[found.end :]
        shown = _quote(text, found)
        if found.start in inside or _NOT_AFTER.match(after) or _NOT_BEFORE.search(before):
            continue
        if found.exact and (_BEFORE.search(before) or _AFTER.match(after)):
            strong.append((found, shown))
        else:
            weak.append((found, shown))
    days = {found.day for found, _ in strong}
    if strong:
        chosen = max(strong, key=lambda item: item[0].day)
        because = chosen[1]
        if len(days) > 1:
            because += "; other dates read alike: " + ", ".join(
                sorted(str(d) for d in days - {chosen[0].day})
            )
        others = [found for found in dates if found.exact and found.day > chosen[0].day]
        others += [
            found
            for found, _ in weak
            if found.exact and found.day < chosen[0].day and not _period(text, found)
        ]
        if others:
            because += f"; but what is {_quote(text, others[0])}?"
        yield Evidence("as_of.date", chosen[0].day, len(days) == 1 and not others, because)
    elif len({found.day for found, _ in weak}) == 1:
        found, shown = weak[0]
        why = "the only date of the instruction" if found.exact else "the end of a period, no date is stated"
        yield Evidence("as_of.date", found.day, sure=False, because=f"{why}: {shown}")
    elif not weak and spans:
        last = max(spans, key=lambda pair: pair[1].day)[1]
        yield Evidence(
            "as_of.date", last.day, sure=False, because=f"the end of the window: {_quote(text, last)}"
        )
    elif weak:
        last, shown = max(weak, key=lambda item: item[0].day)
        yield Evidence("as_of.date", last.day, sure=False, because=f"the latest of several dates: {shown}")


def _period(text: str, found: _Dated) -> bool:
    return bool(_PERIOD_AFTER.match(text[found.end :]) or _PERIOD_BEFORE.search(text[: found.start]))


def _quote(text: str, found: _Dated) -> str:
    return "“" + " ".join(text[max(0, found.start - 12) : found.end + 12].split()) + "”"


def _boundary(text: str) -> Iterator[Evidence]:
    pre, eod = _PRE.search(text), _EOD.search(text)
    if pre and not eod:
        yield Evidence("as_of.boundary", "pre", sure=True, because=f"“{pre.group()}”")
    elif eod and not pre:
        yield Evidence("as_of.boundary", "eod", sure=True, because=f"“{eod.group()}”")
    elif pre and eod:
        because = f"both “{eod.group()}” and “{pre.group()}” occur"
        yield Evidence("as_of.boundary", "eod", sure=False, because=because)
    elif strict := _STRICT.search(text):
        because = f"“{strict.group()}” may leave out the day itself"
        yield Evidence("as_of.boundary", "eod", sure=False, because=because)
    elif inclusive := _INCLUSIVE.search(text):
        yield Evidence("as_of.boundary", "eod", sure=True, because=f"“{inclusive.group()}” takes in the day")
    else:
        yield Evidence("as_of.boundary", "eod", sure=False, because="nothing said; end of day is the default")


def _decisions(text: str, dates: list[_Dated], spans: list[tuple[_Dated, _Dated]]) -> Iterator[Evidence]:
    columns = [name for name in output_fields(text) if _DATE_FIELD.search(name)]
    rhythm = next(
        ((name, match) for name, pattern in _RHYTHMS if (match := re.search(pattern, text, re.IGNORECASE))),
        None,
    )
    if rhythm:
        name, match = rhythm
        # A rhythm also describes a figure ("monthly mean"); with a window of decision dates there is no doubt.
        yield Evidence("decisions.every", name, sure=bool(spans), because=f"“{match.group()}”")
        if spans:
            first, last = spans[0]
            yield Evidence("decisions.from", first.day, sure=True, because=_quote(text, first))
            yield Evidence("decisions.to", last.day, sure=True, because=_quote(text, last))
    else:
        listed = sorted({found.day for found in dates if found.exact})
        compared = re.search(r"(?:比较|对比|compare|versus|vs)", text, re.IGNORECASE)
        if not (compared and len(listed) > 1 and not spans):
            return
        because = f"“{compared.group()}” with several dates"
        yield Evidence("decisions.dates", listed, sure=False, because=because)
    if columns:
        sure = len(columns) == 1
        yield Evidence("decisions.column", columns[0], sure, f"output fields: {', '.join(columns)}")


def _version(text: str) -> Iterator[Evidence]:
    first, latest = _FIRST.search(text), _LATEST.search(text)
    if first:
        because = f"“{first.group()}”" + (f", but also “{latest.group()}”" if latest else "")
        yield Evidence("version", "first", sure=not latest, because=because)
    elif latest:
        yield Evidence("version", "latest", sure=True, because=f"“{latest.group()}”")
    elif _REPORTS.search(text):
        because = "reports are used and no version is named; the latest known is the default"
        yield Evidence("version", "latest", sure=False, because=because)


def _labels(text: str) -> Iterator[Evidence]:
    words = _LABEL.search(text)
    columns = [name for name in output_fields(text) if _LABEL_FIELD.search(name)]
    if columns:
        yield Evidence("labels", columns, sure=bool(words), because=f"output fields: {', '.join(columns)}")
    elif words:
        because = f"“{words.group()}” asks for later outcomes; name the output columns that hold them"
        yield Evidence("labels", [], sure=False, because=because)


def _permissions(text: str) -> Iterator[Evidence]:
    if proxy := _PROXY.search(text):
        because = f"“{proxy.group()}”: name the recording columns that count as availability"
        yield Evidence("recording_proxies", [], sure=False, because=because)
    if history := _HISTORY.search(text):
        because = f"“{history.group()}”: name the tables whose earlier versions are used"
        yield Evidence("history", [], sure=False, because=because)


def output_fields(text: str) -> list[str]:
    """Return the names that an instruction lists as output."""
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        match = _OUTPUT.search(sentence)
        if match:
            parts = re.split(r"[、，,]|\band\b|以及|及(?!时)|和(?=[^、，,]{2,})", match.group(1))
            found += [re.split(r"[（(]", part, maxsplit=1)[0].strip() for part in parts]
    return list(dict.fromkeys(name for name in found if name and len(name) < 40))

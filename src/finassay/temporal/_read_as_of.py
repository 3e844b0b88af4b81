"""Read the as-of date of an instruction and its boundary, and the words near a date that change what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from finassay.temporal._evidence import Evidence
from finassay.temporal._plain_words import REPORTED_ITEM
from finassay.temporal._read_dates import Dated, Window, odd_dates, period_after

if TYPE_CHECKING:
    from finassay.temporal._read_rest import Span

# What stands right before or right after a date and makes it the as-of date.
_BEFORE = re.compile(
    r"(截至|截止至?|截止到|观察日(?:为|是|[:：])?|信息截点(?:为|是)?|不晚于|(?<!\w)as of|known (?:on|at|by)"
    r"|(?:at|as of) the close (?:of|on)|end of|before the open (?:of|on)|observation date(?: is|:)?"
    r"|cut-?off(?: is)?(?: the)?[: ]*(?:end of|before the open of)?)\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^\s*(?:的|这个|当[日天])?\s*(?:日终|收盘后?|日末|开盘前|盘前|周五收盘后)?\s*(?:为|作为|是)?\s*"
    r"(?:观察日|观察时?点|信息截点|信息截止日?|回测截止日?|样本截止日?|截止日|截面|可获得|可得|已披露|已发布"
    r"|已有数据|当时|之?前可[得获]"
    r"|晨会|月会|月报|周报|日报|策略会|组合例会|before the open|at the close|end of day|close)",
    re.IGNORECASE,
)
# A boundary right after a date: "2024-12-24日终", "2024-12-24 (end of day)".
_CLOSES = re.compile(
    r"^(?:的|当[日天])?\s*[（(]?\s*(?:日终|日末|收盘后?|end of day|close)\s*[）)]?(?=$|[\s，。；,.;])",
    re.IGNORECASE,
)
# What makes a date something else: the start of a window, a report's period, a bound of a report's disclosure.
_NOT_AFTER = re.compile(
    r"^\s*(?:以来|起|开始|之后|年报|季报|中报|报告期|一季报|三季报|onwards)", re.IGNORECASE
)
# The period that a report is about, which is no doubt about the as-of date.
_PERIOD_AFTER = re.compile(
    r"^\s*止?(?:年度|财年|会计年度)?(?:的|期末)?\s*(?:合并|母公司|单季|累计)*\s*(?:资产负债表|利润表"
    r"|现金流量表|报表|报告|财报|财务|权重"
    r"|年报|季报|中报|半年报|balance sheet|statement|report|quarter|accounts)",
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


# A clause that may lead to "as of" or "截至" without making it the date of something else, such as a listing.
_LEADS = re.compile(
    r"(?:^|以|基于|使用|仅用|用|按照?|取|看一?下|看看?|查一?下|拉一[下版]|梳理一下|确认|筛选|统计|跟踪"
    r"|提取|列出|选出|找出|计算"
    r"|评估|请|请在|面向|把|在|于|均?须|信息|可用信息|数据可得性|但|并)$"
    r"|(?:^|分析|复盘|查询|跟踪)\s*\d{6}(?:\.[A-Z]{2})?$"
    r"|^(?:and |then |so |please |(?:use )?only (?:what|information) (?:that )?(?:was )?)$"
    r"|^(?:(?:the |use )?(?:information|data|knowledge) |as of |as of the )$"
    r"|^(?:please )?(?:rank|list|show|find|screen|select|pick|identify|give|name|which|who) [^,;:]{0,60}$",
    re.IGNORECASE,
)
# What "as of" is said of when it is the balance-sheet date of a report or a date in an entity's life.
_OF_SOMETHING = re.compile(
    r"balance sheets?|statements?|financial|accounts|holdings?|positions?|portfolio|assets|liabilit"
    r"|\bdebts?\b|\bcash\b"
    r"|equity|\bbook\b|outstanding|fiscal|annual|10-[kq]|results|revenue|earnings|profit|income|\bnet\b"
    r"|figures|list(?:ed|ing)\b"
    r"|\bipo\b|found|establish|incorporat|matur|issue|expir|born|restat|updat|filing|filed|report|\bnot\b"
    r"|\bno\b|never"
    r"|employ|capital|shares",
    re.IGNORECASE,
)
# What may follow the date: the end of the clause, or words that speak of what was known or true on it.
_FOLLOWS = re.compile(
    r"(?:的|这个|当[日天])*\s*(?:日终|日末|收盘后?|end of day|close)?\s*"
    r"(?:$|[，。；：、）)】」”,.;:\n]|已|仍|尚|当时|当前|最近|最新|近\s*[\d一二三五十]|截面|可获?得|可知"
    r"|有效|存续|周会"
    r"|沪深|上证|中证|深证|创业板|科创|全[A市]"
    r"|[（(](?:日终|日末|收盘后?|含当[日天]|含|当[日天]可用|end of day|inclusive|close)[）)])",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:不要?|勿|别|除|若|如果?|非|莫|并未)(?:再)?(?:以|按照?|用|使用|基于|把|在|于)?$")
_EXCLUSIVE = re.compile(
    r"不\s*(?:含|包括|包含|计)\s*(?:当日|当天|该日|该天|本日|此日|这一?天|那一?天|在内|[）)])|除外"
    r"|\bexclusive|\bexcluding (?:that|the) (?:day|date)"
    r"|not inclusive|not including (?:that|the) (?:day|date)|(?:day|date) itself (?:excluded"
    r"|does not count|is out)"
    r"|当[日天][^，。；]{0,8}(?:不算|不计|不可用|不包括|不含|除外)",
    re.IGNORECASE,
)
_SHIFTED = re.compile(
    r"^(?:的|收盘|日终)*\s*(?:之?[前后]|以[前后])|(?:前|上|后|下|次|翌)\s*(?:[一二两三\d]"
    r"|第一)?个?\s*(?:交易|工作|自然)?[日天周]"
    r"|\bT\s*[-+−]\s*\d|\b(?:day|week|month|session)s? (?:before|after|prior|earlier|later)"
    r"|(?:previous|prior|next|following) (?:trading |business )?(?:day|session|close)|^(?:周|月|季|年)[前后]",
    re.IGNORECASE,
)
_TIME_OF_DAY = re.compile(
    r"(?<!\d)\d{1,2}\s*[:：]\s*\d\d|上午|下午|早上|中午|午间|午盘|盘中|凌晨|晚间"
    r"|(?<!次日)(?<!翌日)零[时点]|\d\s*[点时](?!点)|\bnoon\b|midday|intraday"
    r"|\d\s*[ap]\.?m\b|morning|afternoon|evening|midnight|(?:market|that day'?s) open\b|\bat the open\b",
    re.IGNORECASE,
)
_AT_OPEN = re.compile(r"(?<!before )(?<!before the )(?:market open|the open)\b[^.;]*$", re.IGNORECASE)
# What is read with the words before a date that state it.
_LEAD = re.compile(
    r"(?:(?:(?:只|仅)?(?:用|使用|基于|按照?))?(?:可用|已知)?(?:的)?(?:信息|数据(?:可得性)?)(?:均?须)?"
    r"|(?:的)?(?:信息|数据)|以"
    r"|(?:only |use )*(?:the )?(?:information|data|knowledge|what(?: information)?)(?: that)?(?: was"
    r"| is)?|(?:as of|at|by) (?:the )?)\s*$",
    re.IGNORECASE,
)
_BALANCE_ITEM = re.compile(
    r"持[有股仓]|股本|\bheld by\b|\bshares outstanding\b|\bassets under management\b|\bbook value|\bcapital\b",
    re.IGNORECASE,
)
# A day on which somebody decides.
_MEETS = re.compile(r"会|周报|日报|月报|观察|回测|样本|截面")
_KNOWLEDGE = re.compile(r"观察日|信息截|可得|已披露|已公布|已发布|known|disclosed|available", re.IGNORECASE)
_CLAUSE = re.compile(r"[，。；：、（(）)\n,;:]|\.(?:\s|$)")


def read_as_of(text: str, dates: list[Dated], windows: list[Window], left: str | None) -> list[Evidence]:
    """Return what an instruction says about the date of the whole task and its boundary.

    ``left`` is the first word that no reading accounts for, which leaves a doubt.
    """
    strong, weak = _candidates(text, dates, windows)
    boundary_of = strong or [found for found in weak if found.exact]
    last = max(boundary_of, key=lambda found: found.day, default=None)
    doubt = f"“{left}”: another day than the one that is written?" if left else None
    return [
        *_date(text, dates, windows, strong, weak, doubt),
        *_no_days(text),
        *_boundary(text, last, doubt),
    ]


def places_of(text: str, dates: list[Dated], windows: list[Window]) -> list[Span]:
    """Return the places of dates and windows, each date with the words that say what it is of."""
    return [*(_span(text, found) for found in dates), *((a.start, b.end) for a, b in windows)]


def _span(text: str, found: Dated) -> Span:
    """Return the place of a date with the words that say what it is of."""
    before, after = text[: found.start], text[found.end :]
    starts = [
        match.start() for rule in (_BEFORE, _PERIOD_BEFORE, _NOT_BEFORE) if (match := rule.search(before))
    ]
    ends = [
        match.end() for rule in (_AFTER, _CLOSES, _PERIOD_AFTER, _NOT_AFTER) if (match := rule.match(after))
    ]
    start = min(starts, default=found.start)
    if lead := _LEAD.search(text[:start]):
        start = lead.start()
    return start, found.end + max(ends, default=0)


def _candidates(text: str, dates: list[Dated], windows: list[Window]) -> tuple[list[Dated], list[Dated]]:
    """Return the dates that stand where an as-of date stands, and those that may be anything."""
    strong: list[Dated] = []
    weak: list[Dated] = []
    for found in dates:
        before, after = text[: found.start], text[found.end :]
        in_window = any(a.start <= found.start < b.end for a, b in windows)
        if in_window or _NOT_AFTER.match(after) or _NOT_BEFORE.search(before):
            continue
        marked = found.exact and (_BEFORE.search(before) or _AFTER.match(after))
        (strong if marked else weak).append(found)
    return strong, weak


def _date(
    text: str,
    dates: list[Dated],
    windows: list[Window],
    strong: list[Dated],
    weak: list[Dated],
    left: str | None,
) -> Iterator[Evidence]:
    field = "as_of.date"
    if strong:
        chosen = max(strong, key=lambda found: found.day)
        because = _quote(text, chosen)
        alike = sorted({found.day for found in strong} - {chosen.day})
        if alike:
            because += f"; other dates read alike: {', '.join(map(str, alike))}"
        others = [found for found in dates if found.exact and found.day > chosen.day]
        # A window to the year or month of the as-of date is one up to now.
        others += [b for _, b in windows if (b.since or b.day) > chosen.day]
        others += [f for f in weak if f.exact and f.day < chosen.day and not is_period(text, f)]
        if others:
            because += f"; but what is {_quote(text, others[0])}?"
        ahead = period_after(text, chosen.day, REPORTED_ITEM)
        if ahead:
            because += f"; but “{ahead}” ends after it"
        yield Evidence(field, chosen.day, sure=not (alike or others or ahead), because=because)
        for found in strong:
            if found.day == chosen.day and (doubt := _changed(text, found) or left):
                yield Evidence(field, chosen.day, sure=False, because=doubt, standing="doubt")
                break
    elif len({found.day for found in weak}) == 1:
        found = weak[0]
        why = "the only date of the instruction" if found.exact else "the end of a period, no date is stated"
        yield Evidence(field, found.day, sure=False, because=f"{why}: {_quote(text, found)}")
        if found.exact and (words := _changing_words(text, found) or left):
            yield Evidence(field, found.day, sure=False, because=words, standing="doubt")
    elif not weak and windows:
        last = max(windows, key=lambda window: window[1].day)[1]
        why = f"the end of the window: {_quote(text, last)}"
        yield Evidence(field, last.day, sure=False, because=why)
    elif weak:
        last = max(weak, key=lambda found: found.day)
        why = f"the latest of several dates: {_quote(text, last)}"
        yield Evidence(field, last.day, sure=False, because=why, standing="doubt")


def _changed(text: str, found: Dated) -> str | None:
    """Say why words near a date in the place of an as-of date leave a doubt; None where they leave none."""
    if words := _changing_words(text, found):
        return words
    if is_period(text, found):
        return "it may be the period of a report"
    if doubt := _balance(text, found):
        return doubt
    before, after = text[: found.start], text[found.end :]
    trigger, placed = _BEFORE.search(before), _AFTER.match(after)
    lead = _CLAUSE.split(before[: trigger.start()] if trigger else before)[-1].lstrip()
    if not (trigger and trigger.group().isascii()):
        lead = lead.strip()
    if _NEGATED.search(lead) or _OF_SOMETHING.search(lead) or not _LEADS.search(lead):
        return f"is it the date of what is known, or of “{lead.strip()[-24:]}”?"
    if placed and (turn := re.match(r"\s*(?:之|以)?[前后]", after[placed.end() :])):
        return f"“{_after(text, found).strip()[:16]}”: “{turn.group().strip()}” may make it another day"
    if not placed and not _FOLLOWS.match(after.lstrip(" ")):
        return f"what follows it may change it: “{_after(text, found)[:16].strip()}”"
    return None


def _changing_words(text: str, found: Dated) -> str | None:
    near = text[found.end : found.end + 28].split("。", maxsplit=1)[0]
    if match := _EXCLUSIVE.search(near):
        return f"“{match.group()}”: is the day itself left out?"
    clause = _after(text, found).lstrip()
    if match := _SHIFTED.search(clause[:24]):
        return f"“{clause[: match.end()].strip()}”: another day than the one that is written?"
    if match := _TIME_OF_DAY.search(near[:20]) or _AT_OPEN.search(
        text[max(0, found.start - 24) : found.start]
    ):
        return f"“{match.group()}”: a time of day is neither the end of the day nor before the open"
    return None


def _balance(text: str, found: Dated) -> str | None:
    """Say why the last day of a quarter may be that of a balance sheet; None where words say it is of knowledge."""
    if (found.day + timedelta(days=1)).day != 1 or found.day.month % 3 or not found.exact:
        return None
    trigger, placed = _BEFORE.search(text[: found.start]), _AFTER.match(text[found.end :])
    if (trigger and not _INCLUSIVE.search(trigger.group())) or (placed and _MEETS.search(placed.group())):
        return None
    if _KNOWLEDGE.search(text):
        return None
    item = REPORTED_ITEM.search(text) or _BALANCE_ITEM.search(text)
    return f"the end of a quarter, and “{item.group()}”: is it a day of balance sheets?" if item else None


def _after(text: str, found: Dated) -> str:
    """Return the rest of the clause after a date, with what stands in brackets right behind it."""
    after = text[found.end : found.end + 60]
    bracket = re.match(r"\s*[（(]([^）)]*)", after)
    return bracket.group(1) if bracket else _CLAUSE.split(after)[0]


def _no_days(text: str) -> Iterator[Evidence]:
    """Doubt the as-of date where something is written as a date and is none, such as 2024-02-30 or 05/06/2023."""
    if odd := odd_dates(text):
        because = f"no day of the calendar, or not clear which one: {', '.join(odd)}"
        yield Evidence("as_of", None, sure=False, because=because)


def is_period(text: str, found: Dated) -> bool:
    """Whether a date is the end of a report's period, and so says nothing of what was known."""
    after = text[found.end :]
    placed = _AFTER.match(after)  # "2024-06-30为截止日的半年报"
    return bool(
        _PERIOD_AFTER.match(after)
        or (placed and _PERIOD_AFTER.match(after[placed.end() :]))
        or _PERIOD_BEFORE.search(text[: found.start])
    )


def _quote(text: str, found: Dated) -> str:
    return "“" + " ".join(text[max(0, found.start - 12) : found.end + 12].split()) + "”"


def _boundary(text: str, found: Dated | None, left: str | None) -> Iterator[Evidence]:
    """Read the boundary from the words around the as-of date; the same words elsewhere may speak of something else."""
    field = "as_of.boundary"
    before, after = (text[: found.start], text[found.end :]) if found else (text, "")
    near = _SENTENCE_END.split(before)[-1][-24:] + " " + _SENTENCE_END.split(after)[0][:24] if found else text
    pre, eod, strict = _PRE.search(near), _EOD.search(near), _STRICT.search(text)
    if found and (match := _EXCLUSIVE.search(after[:28].split("。", maxsplit=1)[0])):
        because = (
            f"“{match.group()}” leaves out the day itself: before its open, or the end of the day before?"
        )
        yield Evidence(field, "pre", sure=False, because=because, standing="doubt")
    elif found and (doubt := _changing_words(text, found) or _balance(text, found) or left):
        yield Evidence(field, "eod", sure=False, because=doubt, standing="doubt")
    elif pre and eod:
        because = f"both “{eod.group()}” and “{pre.group()}” occur"
        yield Evidence(field, "eod", sure=False, because=because, standing="doubt")
    elif pre:
        yield Evidence(field, "pre", sure=found is not None, because=f"“{pre.group()}”")
    elif strict:
        because = f"“{strict.group()}” may leave out the day itself"
        yield Evidence(field, "eod", sure=False, because=because, standing="doubt")
    elif eod:
        yield Evidence(field, "eod", sure=found is not None, because=f"“{eod.group()}”")
    elif inclusive := _INCLUSIVE.search(near):
        because = f"“{inclusive.group()}” takes in the day"
        other = _PRE.search(text)
        if other:
            because += f"; but what is “{other.group()}” of?"
        yield Evidence(field, "eod", sure=found is not None and other is None, because=because)
    elif far := _PRE.search(text) or _EOD.search(text):
        because = f"“{far.group()}” stands away from the date; end of day is the default"
        yield Evidence(field, "eod", sure=False, because=because)
    else:
        because = "nothing said; end of day is the default"
        yield Evidence(field, "eod", sure=False, because=because, standing="guess")


_SENTENCE_END = re.compile(r"[。；;\n，]|[.,](?=\s)")

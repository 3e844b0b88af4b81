"""Read the temporal contract of a task from the words of its instruction, Chinese or English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from finassay.temporal._evidence import Evidence
from finassay.temporal._plain_words import REPORTED_ITEM
from finassay.temporal._read_as_of import is_period, places_of, read_as_of
from finassay.temporal._read_dates import Dated, Window, dates_in, windows_in
from finassay.temporal._read_rest import left_unread

_RHYTHMS = (
    (
        "month_end",
        (
            r"每月(?:的)?(?:最后一个交易日|末|底)|(?<!\d)(?<!\d\s)各?(?:月|月度)(?:月?末|最后一个交易日)"
            r"|各月最后|月频|逐月|每月"
            r"|(?:each|every) month[- ]end|month[- ]ends?\b|monthly rebalanc|every month"
            r"|rebalanc\w*(?: \w+){0,3} monthly"
        ),
    ),
    (
        "quarter_end",
        (
            r"每(?:个)?季(?:度)?(?:末|最后)|各季(?:度)?末|季频|quarter[- ]ends?\b|every quarter"
            r"|quarterly rebalanc"
        ),
    ),
    ("year_end", r"每年(?:年)?末|各年(?:年)?末|each year[- ]end|at (?:each|every) year[- ]end"),
    (
        "week",
        r"[每各]周(?:周[一二三四五])?|周频|逐周|each week|every (?:week|wednesday|friday)|weekly rebalanc",
    ),
    (
        "day",
        r"每(?:个)?交易日|逐日|每日(?:调|滚)|each trading day|every trading day|daily rebalanc|(?:each|every) day\b",
    ),
    ("event", r"事件日|事件样本|事件研究|event stud|event date"),
)
# A rhythm is one of decisions if something is decided; it may also describe a figure ("monthly mean").
_DECIDES = re.compile(
    r"调仓|换仓|再平衡|选股|选取|选出|筛选|入选|观察|观测|回测|复盘|事件|建仓|截面|rebalanc|select|pick"
    r"|screen|backtest|rank"
    r"|choose|hold the|observ|event|every trading day",
    re.IGNORECASE,
)
# Rhythms a contract has no word for, and days that a rhythm leaves out.
_OTHER_RHYTHM = re.compile(
    r"每(?:隔|两|双|半|[2-9二三四五六])\s*(?:个)?(?:交易)?[日天周月季年]|每?隔[日天周月季年]|双[月周]"
    r"|半年(?:度)?末"
    r"|每[周月季年]度?(?:的)?(?:第|首|初|中旬|\s*\d)|[月季年]初|第[一二三四\d]+个(?:交易|工作)?日"
    r"|剔除[^，。；]{0,6}[年月](?!线)|除外"
    r"|every (?:other|second|third|two|three|six|\d+)\b|alternate|bi-?(?:weekly|monthly)|half[- ]year"
    r"|semi-?annual"
    r"|(?:first|second|third|last but one) (?:trading |business )?day|except\b|excluding (?:19|20)\d\d|skip"
    r"|[日末底](?:的|之)?[前后][一二两三四五\d]+\s*个?(?:交易|工作)?日"
    r"|\bdays? (?:before|after)|(?:previous|prior) (?:\w+ )?day",
    re.IGNORECASE,
)
# A word of any rhythm: one that is not part of what was read is another.
_ANY_RHYTHM = re.compile(
    r"每[^，。；、]{0,3}?[日天周月季年]度?|[日周月季年半]频|逐[日周月季年]|\b(?:each|every"
    r"|once an?) (?:\w+ )?(?:day|week|month|quarter|year)"
    r"|\b(?:daily|weekly|monthly|quarterly|annually|yearly)\b",
    re.IGNORECASE,
)
_AT_END = re.compile(r"末|底|最后|end", re.IGNORECASE)
# A window of what is used, not of when it is decided.
_WINDOW_OF_BEFORE = re.compile(
    r"(?:训练|样本内|估计|基于|使用|采用|利用|统计|计算|用|根据|数据|train\w*|estimat\w*|fit\w*"
    r"|calibrat\w*|based on"
    r"|using|use|(?:data|returns?|prices?|filings?|statements?|reports?) (?:from|of|for"
    r"|between))[^，。；,.;]{0,12}$",
    re.IGNORECASE,
)
_WINDOW_OF_AFTER = re.compile(
    r"^\s*(?:的|期间|年度|间|每(?:个)?[日月季年]的?|逐[日月季年])*\s*(?:训练|估计|数据|行情|年报|季报"
    r"|财报|报告期|收益|净值|涨跌|成交|均值|平均|财务|营业|净利"
    r"|ROE|data|returns?|prices?|filings?|statements?|reports?|(?:as|is) (?:the )?(?:train|in-sample))",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"首次(?:披露|公布|发布)|首次公告值|初值|初次披露|first[- ](?:reported|disclosed|published|release|print)"
    r"|as (?:first|originally) reported|initial (?:release|print)|originally reported"
    r"|(?:重述|修订|更正)前(?!后)|before (?:any |the )?restatement|pre-restatement",
    re.IGNORECASE,
)
# "First disclosed" also speaks of an event ("companies that first reported a loss"); these speak of a value.
_FIRST_VALUE = re.compile(
    r"(?:首次(?:披露|公布|发布|公告)(?:的|时的)?(?:值|数值|数据|数字|口径|版本|结果|金额|报表)"
    r"|首次(?:披露|公布|发布)(?=为准)"
    r"|初次披露值|(?<=[取用以])初值)(?=$|[\s，。；：、,.;（(）)]|为|来|计|作|进行|而|且)"
    r"|as (?:first|originally) reported(?! by)"
    r"|(?:first[- ](?:reported|disclosed|published|release|print)|initial (?:release|print)"
    r"|originally reported)"
    r" (?:values?|figures?|numbers?|data|versions?)",
    re.IGNORECASE,
)
_LATEST = re.compile(
    r"最新(?:的)?(?:已)?(?:披露|重述|修订|更正|更新)|最新(?:可得|一期|版本|报告期|值|数)|重述后|重述值"
    r"|修订后|更正后"
    r"|(?:latest|most recent(?:ly)?) (?:available|disclosed|reported|version|restated|revised|vintage"
    r"|values?|figures?)"
    r"|as (?:last |later |latest )?(?:restated|revised)|(?:restated|revised) (?:values?|figures?|numbers?|data)"
    r"|\b(?:use|using|take|taking) (?:only )?the (?:latest|most recent)\b",
    re.IGNORECASE,
)
# A word of versions: one that no rule has read may limit it.
_VERSION_WORD = re.compile(
    r"重述|修订|更正|追溯|初值|原始|原值|首次|restat\w*|revis\w*|\boriginal\w*|preliminary|amend\w*",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"(?:不(?!晚于|限|低于|高于|少于)|而非|并非|非|勿|禁止|避免|别|没有|无需|排除|放弃)[^，。；;,]{0,8}$"
    r"|(?:\b(?:not|never|no|without|avoid\w*|rather than|instead of|ignor\w+|exclud\w+|discard\w*|forbid\w*)\b"
    r"|n['’]t\b)[^.;,]{0,40}$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^[^，。；;,]{0,6}?(?:不(?:用|得|可|能|应|要|算|予|取|采|使)|勿|除外|作废|弃用|忽略|剔除|禁用)"
    r"|^[^.;,]{0,24}?\b(?:not|never|excluded|ignored|forbidden)\b",
    re.IGNORECASE,
)
# A rule of values ("as restated"), not only of which report ("the latest disclosed one").
_OF_VALUES = re.compile(f"{_FIRST.pattern}|重述|修订|更正|restat|revis", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"[，。；、,;\n]|\.(?=\s|$)|(?<!\w)(?:and|but|while)(?!\w)|而(?!不|非)|但", re.IGNORECASE
)
# Words that make a rule of versions hold for a part only.
_IN_PART = re.compile(
    r"不仅|不只|不但|不单|不得不|无不|不能不|否则|例外|(?:如|若|无|缺少?)[^，。；,]{0,4}(?:首次|最新|初值"
    r"|重述|修订|更正)"
    r"|not (?:only|just|merely|un)|no (?:longer|other)|never (?:not|without)|unless|otherwise|except"
    r"|(?:if|where|when) (?:available|restated|revised|missing)",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"财务|年报|季报|中报|报告期|披露|营业收入|净利润|filing|statement|reported|vintage", re.IGNORECASE
)
_LABEL = re.compile(
    r"(?:未来|随后|后续|其后|之后|此后|往后|今后"
    r"|接下来)\s*[\d、,，和及\s一二两三四五六七八九十半]*\s*(?:个)?(?:交易日|日|天|周|月"
    r"|年)?[^，。,.;；]{0,6}?(?:收益|涨跌|表现|回报)"
    r"|作为标签|事后标签|(?:持有期|持有至)[^，。]{0,12}收益"
    r"|[次下](?:一)?(?:个)?(?:交易日|日|周|月|季度?|年)的?(?:[超累平]\w)?(?:收益|涨跌|表现|回报)"
    r"|(?:forward|future|subsequent|next|following)[\s-]+(?:\d+[\s-]+)?(?:trading[\s-]+)?"
    r"(?:day|week|month|quarter|year)?(?:s|['’]s|s['’])?[\s-]*(?:excess[\s-]+)?returns?"
    r"|returns? (?:in|over|of|for|during) the (?:subsequent|next|following) "
    r"(?:\d+ )?(?:trading )?(?:day|week|month|quarter|year)"
    r"|returns? (?:in|over|of|for|during) the (?:trading )?(?:day|week|month|quarter|year)s? (?:after"
    r"|ahead|to come)\b"
    r"|as (?:the |a )?labels?",
    re.IGNORECASE,
)
_LABEL_FIELD = re.compile(
    r"未来|随后|后续|持有期.+|标签|后\s*\d+\s*(?:个交易)?日|[次下]一?个?(?:交易日|[日周月季年])"
    r"|forward|future|fwd|label|next|following|subsequent",
    re.IGNORECASE,
)
# A horizon and an outcome, and nothing else.
_LABEL_SURE = re.compile(
    r"(?:个股|股票|证券|组合|基金)?(?:未来|随后|后续|其后|此后|持有期|[次下]一?个?(?=交易日|[日周月季年])|(?=后\s*\d))后?"
    r"\s*[\d一二三四五六七八九十]*\s*个?(?:交易日|[日天周月季年]|季度)?的?(?:累计|超额|平均|区间)*(?:收益率?|涨跌幅|回报率?)"
    r"|标签|label"
    r"|(?:fwd|forward|future|next|following|subsequent)[\s_-]*(?:\d+[\s_-]*)?(?:trading[\s_-])?"
    r"(?:[dwmqy]|days?|weeks?|months?|quarters?|years?)?[\s_-]*(?:excess[\s_-]*)?ret(?:urn)?s?(?:[\s_-]*\d+[dwmqy]?)?",
    re.IGNORECASE,
)
_FORECAST = re.compile(
    r"预[测期计估判]|展望|模型|信号|forecast|predict|expect|signal|model|estimat|project|outlook|target",
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
# Of these it is plain that they carry the day of a decision; "listing date" is a date too.
_DECISION_FIELD = re.compile(
    r"(?:观察|观测|调仓|截面|换仓|决策)日期?|(?:rebalanc\w*|observation|as[_ -]?of|decision)[_ -]?(?:date|day)?",
    re.IGNORECASE,
)


def read_instruction(text: str) -> list[Evidence]:
    """Return what an instruction says about its contract; an empty list if it says nothing about time."""
    dates = dates_in(text)
    windows = windows_in(text, dates)
    rhythms = [re.compile(words, re.IGNORECASE) for _, words in _RHYTHMS if windows and _DECIDES.search(text)]
    patterns = [*rhythms, _FIRST, _LATEST, _LABEL, _HISTORY]
    read = [found.span() for pattern in patterns for found in pattern.finditer(text)]
    read += [_with_denial(text, found) for rule in (_FIRST, _LATEST) for found in rule.finditer(text)]
    read += places_of(text, dates, windows)
    outcomes = [name for name in output_fields(text) if _LABEL_SURE.fullmatch(name)]
    read += [found.span() for name in outcomes for found in re.finditer(re.escape(name), text)]
    left = left_unread(text, read)
    return [
        *read_as_of(text, dates, windows, left),
        *_decisions(text, dates, windows, left_unread(text, read, strict=True, names=False)),
        *_version(text, dates, left, left_unread(text, read, names=False)),
        *_labels(text, left),
        *_permissions(text),
    ]


def _decisions(text: str, dates: list[Dated], windows: list[Window], left: str | None) -> Iterator[Evidence]:
    found = [(n, m) for n, pattern in _RHYTHMS if (m := re.search(pattern, text, re.IGNORECASE))]
    columns = [name for name in output_fields(text) if _DATE_FIELD.search(name)]
    if found:
        yield from _rhythm(text, found, windows, left)
    elif other := _OTHER_RHYTHM.search(text) if _DECIDES.search(text) and windows else None:
        because = f"“{other.group()}” is no rhythm that 'every' has; state the dates"
        yield Evidence("decisions", None, sure=False, because=because)
    else:
        listed = sorted({dated.day for dated in dates if dated.exact})
        compared = re.search(r"(?:比较|对比|compare|versus|vs)", text, re.IGNORECASE)
        if not (compared and len(listed) > 1 and not windows):
            return
        because = f"“{compared.group()}” with several dates"
        yield Evidence("decisions.dates", listed, sure=False, because=because)
    if columns:
        sure = len(columns) == 1 and bool(_DECISION_FIELD.fullmatch(columns[0]))
        yield Evidence("decisions.column", columns[0], sure, f"output fields: {', '.join(columns)}")


def _rhythm(
    text: str, found: list[tuple[str, re.Match[str]]], windows: list[Window], left: str | None
) -> Iterator[Evidence]:
    """Yield the rhythm of decisions and its window; sure where there is one of each and something is decided."""
    name, match = found[0]
    because = f"“{match.group()}”"
    doubts = [f"also “{other.group()}”" for _, other in found[1:]]
    if other := _OTHER_RHYTHM.search(text):
        doubts.append(f"“{other.group()}” may change it")
    rhythms = [m.span() for _, words in _RHYTHMS for m in re.finditer(words, text, re.IGNORECASE)]
    if more := _outside(_ANY_RHYTHM, text, rhythms):
        doubts.append(f"also “{more}”")
    if name.endswith("_end") and not _AT_END.search(match.group()):
        doubts.append("which day of it is not said; the end is what is usual")
    if not _DECIDES.search(text):
        doubts.append("nothing says that something is decided then; it may describe a figure")
    if not windows:
        doubts.append("no window of decision dates was read; state 'from' and 'to'")
    elif doubt := _of_data(text, windows):
        doubts.append(doubt)
    if left and windows:
        doubts.append(f"“{left}”: is it of every such day?")
    sure = not doubts
    yield Evidence("decisions.every", name, sure, "; ".join([because, *doubts]))
    if windows:
        first, last = windows[0]
        shown = "; ".join([f"“{text[first.start : last.end].strip()}”", *doubts])
        yield Evidence("decisions.from", first.day, sure, shown)
        yield Evidence("decisions.to", last.day, sure, shown)


def _of_data(text: str, windows: list[Window]) -> str | None:
    if len(windows) > 1:
        first, last = windows[1]
        return f"another window is “{text[first.start : last.end].strip()}”"
    first, last = windows[0]
    if re.fullmatch(r"\d{4}\s*[-–—~～]\s*\d{4}", text[first.start : last.end].strip()):
        return "are these two years?"
    before = re.sub(r"(?:从|自|在|from|between)\s*$", "", text[: first.start])
    if _WINDOW_OF_BEFORE.search(before) or _WINDOW_OF_AFTER.match(text[last.end :]):
        return "the window may be of the data that are used"
    return None


def _version(text: str, dates: list[Dated], left: str | None, left_or_name: str | None) -> Iterator[Evidence]:
    first, latest = list(_FIRST.finditer(text)), list(_LATEST.finditer(text))
    stated = {"first": first, "latest": latest}
    meant = {rule: [m for m in own if not _denied(text, m)] for rule, own in stated.items()}
    denied = {rule: [m for m in own if _denied(text, m)] for rule, own in stated.items()}
    words = ", ".join(f"“{m.group()}”" for own in meant.values() for m in own[:2])
    if turned := [m for own in denied.values() for m in own[:2]]:
        words += (", " if words else "") + ", ".join(f"not “{m.group()}”" for m in turned)
    if first or latest:
        rule = "first" if meant["first"] or (denied["latest"] and not meant["latest"]) else "latest"
        if denied["first"] and denied["latest"] and not (meant["first"] or meant["latest"]):
            rule = "latest"
        other = "latest" if rule == "first" else "first"
        sure = bool(meant[rule]) and not denied[rule] and not meant[other] and not _IN_PART.search(text)
        if sure and rule == "first" and not any(_FIRST_VALUE.match(text, m.start()) for m in meant["first"]):
            sure = False
            words += ": is it of values, or of something that happened first?"
        read = [m.span() for own in stated.values() for m in own]
        if sure and (other_word := _outside(_VERSION_WORD, text, read)):
            sure = False
            words += f": what is said of “{other_word}”?"
        if sure and (part := (left_or_name if rule == "first" else left) or _of_a_part(text, meant[rule])):
            sure = False
            words += f": of all figures? “{part}”"
        if sure and rule == "latest" and dates and all(is_period(text, found) for found in dates):
            sure = False
            words += ": the latest of which day? The date is of a report"
        yield Evidence("version", rule, sure, words, "read" if sure else "doubt")
    elif _REPORTS.search(text):
        because = "reports are used and no version is named; the latest known is the default"
        yield Evidence("version", "latest", sure=False, because=because, standing="guess")


def _of_a_part(text: str, rules: list[re.Match[str]]) -> str | None:
    """Return a reported item that a rule of values does not name, where it names others; None where it is of all."""
    ends = [found.end() for found in _CLAUSE_END.finditer(text)]
    for rule in rules:
        if not _OF_VALUES.search(rule.group()):
            continue
        start = max((end for end in ends if end <= rule.start()), default=0)
        end = min((end for end in ends if end > rule.end()), default=len(text))
        own = {item.group().lower() for item in REPORTED_ITEM.finditer(text, start, end)}
        others = (item.group() for item in REPORTED_ITEM.finditer(text))
        if own and (other := next((item for item in others if item.lower() not in own), None)):
            return other
    return None


def _outside(words: re.Pattern[str], text: str, read: Sequence[tuple[int, int]]) -> str | None:
    """Return the first of these words that overlaps nothing that was read, or None."""
    for found in words.finditer(text):
        if not any(start < found.end() and found.start() < end for start, end in read):
            return found.group()
    return None


def _denied(text: str, match: re.Match[str]) -> bool:
    """Whether a negation stands before or after these words, in their clause."""
    return bool(_DENIED_BEFORE.search(text[: match.start()]) or _DENIED_AFTER.match(text[match.end() :]))


def _with_denial(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Return the place of words of a version with what denies them."""
    before, after = text[: match.start()], text[match.end() :]
    denied = _DENIED_BEFORE.search(before)
    start = denied.start() if denied else match.start()
    if auxiliary := re.search(r"\b(?:do|does|must|should|may|can)\s*$", text[:start], re.IGNORECASE):
        start = auxiliary.start()
    tail = _DENIED_AFTER.match(after) or re.match(
        r"\s*(?:values?|figures?|numbers?)?\s*only(?=\s*(?:[,.;]|$))", after, re.IGNORECASE
    )
    return start, match.end() + (tail.end() if tail else 0)


def _labels(text: str, left: str | None) -> Iterator[Evidence]:
    words = _LABEL.search(text)
    columns = [name for name in output_fields(text) if _LABEL_FIELD.search(name)]
    if columns:
        because = f"output fields: {', '.join(columns)}"
        if doubt := _FORECAST.search(text):
            because += f"; “{doubt.group()}”: an outcome, or a forecast of it?"
        elif left:
            because += f"; what is “{left}” of?"
        sure = not (doubt or left) and all(_LABEL_SURE.fullmatch(name) for name in columns)
        yield Evidence("labels", columns, sure, because)
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

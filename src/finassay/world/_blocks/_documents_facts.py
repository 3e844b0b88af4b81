"""What a document about an event says: genre and facts in words, nothing that was not known when it was published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._documents_style import Amount, change, day, mixed, money, month, one_of
from finassay.world._blocks._life import DELISTING
from finassay.world._blocks._us_names import SECTORS, SECTORS_ZH
from finassay.world._events import (
    Alert,
    Approval,
    Event,
    EventType,
    Halt,
    Implementation,
    Member,
    Name,
    Plan,
)
from finassay.world._events_company import Forecast, Report
from finassay.world._events_us import MacroRelease, News, UsDividend, UsListing, UsMember, UsSplit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from finassay.world._blocks._documents_names import Names
    from finassay.world._ledger import Ledger

Facts = dict[str, "str | Amount"]
Own = tuple[str, str, "Mapping[str, str | Amount]"]

_PERIODS = {
    3: Amount("第一季度报告", "first-quarter report"),
    6: Amount("半年度报告", "half-year report"),
    9: Amount("第三季度报告", "third-quarter report"),
    12: Amount("年度报告", "annual report"),
}
_SPANS = {
    3: Amount("第一季度", "the first quarter of {y}"),
    6: Amount("半年度", "the first half of {y}"),
    9: Amount("前三季度", "the first nine months of {y}"),
    12: Amount("年度", "{y}"),
}
_KINDS = {
    "首亏": "turn to a loss",
    "续亏": "remain a loss",
    "扭亏": "turn to a profit",
    "预增": "rise",
    "预减": "fall",
}
_REASONS = {
    "重大事项": "a material matter",
    "临时停牌": "a temporary halt",
    "筹划重大资产重组": "a planned restructuring of assets",
    "异常波动核查": "a review of unusual price moves",
    "实施风险警示": "the risk alert",
    "撤销风险警示": "the removal of the risk alert",
    DELISTING: "the decision on delisting",
    "财务状况异常": "abnormal finances",
    "其他状况异常": "other abnormal circumstances",
    "未在法定期限内披露定期报告": "a periodic report that was not published in time",
}
_US_REASONS = {
    "merger completed": "合并完成",
    "failed to meet listing standards": "不符合上市标准",
}
_SERIES = {
    "GDP": Amount("实际GDP增速", "real GDP growth"),
    "INDPRO": Amount("工业产出指数", "industrial production"),
    "PAYEMS": Amount("非农就业人数", "nonfarm payrolls"),
    "RETAIL": Amount("零售销售", "retail sales"),
    "CPI": Amount("消费者价格指数", "consumer price index"),
    "M2": Amount("M2货币供应", "M2 money supply"),
    "UNRATE": Amount("失业率", "unemployment rate"),
    "FEDFUNDS": Amount("联邦基金利率", "federal funds rate"),
}
_RELEASES = {
    "advance": Amount("初值", "first estimate"),
    "second": Amount("修正值", "second estimate"),
    "third": Amount("终值", "third estimate"),
    "annual": Amount("年度修订值", "annual revision"),
    "benchmark": Amount("基准修订值", "benchmark revision"),
}


def who(names: Names, event: Event, entity: int | None = None) -> Facts:
    """Return how a document of an event's day calls a company."""
    known = names.on(event.entity if entity is None else entity, event.disclosed_at.date())
    return {
        "number": str(known.number),
        "name": known.name,
        "code": known.code,
        "symbol": known.code,
        "full": known.full,
    }


def company_facts(names: Names, ledger: Ledger, event: Event) -> Own | None:
    """Return what is written about an event of a Chinese company."""
    payload = event.payload
    if isinstance(payload, Report):
        return _report(names, event, payload)
    if isinstance(payload, Forecast):
        return _forecast(names, event, payload)
    if isinstance(payload, Plan):
        return "cn_plan", "filing", who(names, event) | _plan(payload)
    if isinstance(payload, Approval | Implementation):
        return _later_stage(names, ledger, event)
    if isinstance(payload, Alert | Halt | Name) or event.type in _STATES:
        return _state(names, event)
    return None


_STATES = (EventType.ST_OFF, EventType.RESUME, EventType.DELIST_PERIOD, EventType.DELIST)


def _report(names: Names, event: Event, report: Report) -> Own | None:
    own = report.shown[0]
    if report.form == 10:
        return None
    end = report.period_end
    word = _PERIODS[end.month]
    mark = Amount("（更正后）", " (corrected)") if report.form == 30 else Amount("", "")
    before = next((s for s in report.shown if s.period_end == end.replace(year=end.year - 1)), None)
    restated = len(report.shown) > 2 or report.form == 30
    facts: Facts = {
        "period": Amount(f"{end.year}年{word.zh}{mark.zh}", f"{word.en} for {end.year}{mark.en}"),
        "end": day(end),
        "revenue": money(own.revenue / 100, "CNY"),
        "revenue_change": change(own.revenue, before.revenue if before else None),
        "profit": money(own.profit / 100, "CNY"),
        "profit_change": change(own.profit, before.profit if before else None),
        "assets": money(own.assets / 100, "CNY"),
        "equity": money(own.equity / 100, "CNY"),
        "restated": Amount(
            "公司对以前期间的财务数据进行了追溯调整。", "Figures of earlier periods were restated."
        )
        if restated
        else Amount("", ""),
    }
    return "cn_report", "filing", who(names, event) | facts


def _span(end: date) -> Amount:
    word = _SPANS[end.month]
    return Amount(f"{end.year}年{word.zh}", word.en.format(y=end.year))


def _forecast(names: Names, event: Event, forecast: Forecast) -> Own:
    facts: Facts = {
        "period": _span(forecast.period_end),
        "kind": Amount(forecast.kind, _KINDS.get(forecast.kind, "change")),
        "low": money(forecast.low / 100, "CNY"),
        "high": money(forecast.high / 100, "CNY"),
    }
    return "cn_forecast", "filing", who(names, event) | facts


def _plan(plan: Plan) -> Facts:
    bonus = Amount("，并每10股送转{n}股", " together with {n} bonus shares") if plan.bonus else Amount("", "")
    return {
        "period": _span(plan.period_end),
        "cash": f"{plan.cash / 100:.2f}",
        "bonus": Amount(*(part.replace("{n}", str(plan.bonus)) for part in bonus)),
    }


def _later_stage(names: Names, ledger: Ledger, event: Event) -> Own:
    """Describe the meeting's decision, or the days of a dividend; both go back to the plan."""
    before = ledger.by_id[event.supersedes or 0]
    payload = event.payload
    if isinstance(payload, Implementation):
        plan = ledger.by_id[before.supersedes or 0].payload
        assert isinstance(plan, Plan)  # noqa: S101 - by its type
        days: Facts = {
            "record": day(payload.record_date),
            "ex": day(event.valid_from),
            "pay": day(payload.pay_date),
        }
        return "cn_paid", "filing", who(names, event) | _plan(plan) | days
    assert isinstance(payload, Approval)  # noqa: S101 - by its type
    assert isinstance(before.payload, Plan)  # noqa: S101 - by its type
    decision = Amount("审议通过", "approves") if payload.approved else Amount("否决", "rejects")
    return "cn_decided", "filing", who(names, event) | _plan(before.payload) | {"decision": decision}


def _state(names: Names, event: Event) -> Own:
    facts = who(names, event) | {"from": day(event.valid_from)}
    payload = event.payload
    if isinstance(payload, Alert):
        kind = (
            Amount("退市风险警示", "a delisting risk alert")
            if payload.kind == 5
            else Amount("其他风险警示", "a risk alert")
        )
        return "cn_st_on", "filing", facts | {"kind": kind, "reason": _reason(payload.reason)}
    if isinstance(payload, Halt):
        phrase = "cn_halt_end" if payload.reason == DELISTING else "cn_halt"
        return phrase, "notice", facts | {"reason": _reason(payload.reason)}
    if isinstance(payload, Name):
        english = Amount(f"“{payload.abbreviation}”", f"{payload.abbreviation!r}")
        return "cn_rename", "filing", facts | {"new": payload.abbreviation, "new_en": english}
    if event.type is EventType.ST_OFF:
        return "cn_st_off", "filing", facts
    if event.type is EventType.RESUME:
        return "cn_resume", "notice", facts
    arrangement = event.type is EventType.DELIST_PERIOD
    stage = (
        Amount("进入退市整理期", "start of the delisting period")
        if arrangement
        else Amount("终止上市", "end of listing")
    )
    return "cn_delist", "notice", facts | {"stage": stage}


def _reason(text: str) -> Amount:
    return Amount(text, _REASONS.get(text, "the matter stated by the company"))


def index_facts(names: Names, ledger: Ledger, event: Event) -> Own | None:
    """Return what is written about a change of an index of either market."""
    entered = event if isinstance(event.payload, Member | UsMember) else ledger.by_id[event.supersedes or 0]
    member = entered.payload
    if not isinstance(member, Member | UsMember):
        return None
    entity = member.security if isinstance(member, Member) else member.entity
    enters = entered is event
    facts: Facts = {
        "index": names.indices[event.entity],
        "direction": Amount("调入", "added") if enters else Amount("调出", "removed"),
        "from": day(event.valid_from),
    }
    return "index_change", "notice", who(names, event, entity) | facts


def news_facts(names: Names, event: Event, seed: int) -> Own | None:
    """Return what is written in a piece of news."""
    news = event.payload
    assert isinstance(news, News)  # noqa: S101 - by its type
    number = mixed(seed, event.event_id, 9)
    common: Facts = {"editor": one_of("editors", number), "when": day(event.disclosed_at.date())}
    if news.sector is not None:
        good = Amount("总体利好", "favourable") if news.move > 0 else Amount("偏向收紧", "restrictive")
        sector = Amount(SECTORS_ZH[news.sector], SECTORS[news.sector])
        return news.topic, "news", common | {"sector": sector, "sentiment": good}
    topic = (
        news.topic if names.makes(event.entity, event.disclosed_at.date()) else _OF_SERVICES.get(news.topic)
    )
    return topic or news.topic, "news", common | who(names, event)


# What news of a topic is about at a company that makes nothing
_OF_SERVICES = {"order": "mandate", "approval": "licence", "recall": "withdrawal"}


def us_facts(names: Names, event: Event) -> Own | None:
    """Return what is written about a corporate action or a listing change of a US company."""
    payload = event.payload
    facts = who(names, event) | {"from": day(event.valid_from), "ex": day(event.valid_from)}
    if isinstance(payload, UsDividend):
        facts |= {
            "cash": Amount(f"{payload.cash / 1e4:.4f}美元", f"${payload.cash / 1e4:.4f}"),
            "kind": Amount("特别", "special") if payload.special else Amount("季度", "quarterly"),
            "record": day(payload.record_date),
            "pay": day(payload.pay_date),
        }
        return ("us_cancel" if event.type is EventType.US_CANCEL else "us_dividend"), "release", facts
    if isinstance(payload, UsSplit):
        reverse = payload.old > payload.new
        zh = f"{payload.old}合{payload.new}合股" if reverse else f"{payload.old}拆{payload.new}拆股"
        en = f"{payload.new}-for-{payload.old} {'reverse ' if reverse else ''}stock split"
        return "us_split", "release", facts | {"ratio_zh": zh, "ratio_en": en}
    if isinstance(payload, UsListing):
        facts |= {
            "new_name": payload.name,
            "new_symbol": payload.symbol,
            "exchange": payload.exchange,
            "reason": Amount(_US_REASONS.get(payload.reason, payload.reason), payload.reason),
        }
        kind = "notice" if event.type is EventType.US_DELIST else "release"
        return event.type.name.lower(), kind, facts
    return None


def macro_facts(event: Event, value: float, unit: str, *, revises: bool) -> Own:
    """Return what is written about a release of a US series; `revises`: figures of earlier periods too."""
    release = event.payload
    assert isinstance(release, MacroRelease)  # noqa: S101 - by its type
    word = _SERIES[release.series]
    mood = (release.surprise > 0.5) - (release.surprise < -0.5)
    tone = (
        Amount("弱于预期", "weaker than expected"),
        Amount("符合预期", "as expected"),
        Amount("强于预期", "stronger than expected"),
    )
    end = event.valid_from
    when = (
        Amount(f"{end.year}年第{end.month // 3}季度", f"the {_ORDINAL[end.month // 3]} quarter of {end.year}")
        if release.series == "GDP"
        else month(end)
    )
    facts: Facts = {
        "series_zh": word.zh,
        "series_en": word.en,
        "value": Amount(f"{value:,g}{_UNITS_ZH[unit]}", f"{value:,g}{_UNITS_EN[unit]}"),
        "when": when,
        "kind": _RELEASES[release.kind],
        "tone": tone[mood + 1],
    }
    phrase = "macro_rate" if release.series == "FEDFUNDS" else "macro_revised" if revises else "macro"
    return phrase, "data", facts


_ORDINAL = ("", "first", "second", "third", "fourth")
_UNITS_EN = {
    "% annualised growth": "% at an annual rate",
    "index": " points",
    "thousand persons": " thousand",
    "million dollars": " million dollars",
    "billion dollars": " billion dollars",
    "%": "%",
}
_UNITS_ZH = {
    "% annualised growth": "%（年化）",
    "index": "点",
    "thousand persons": "千人",
    "million dollars": "百万美元",
    "billion dollars": "十亿美元",
    "%": "%",
}

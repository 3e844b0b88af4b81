"""Nothing is marked sure in a drafted contract that a careful reader of the instruction would doubt."""

from __future__ import annotations

from datetime import date

import pytest

from finassay.temporal import load_catalog, propose_contract
from finassay.temporal._read_dates import dates_in, windows_in

KNOWN_BY_JUNE = "SELECT SECUCODE FROM lc_maindatanew WHERE INFOPUBLDATE <= '2024-06-28'"


def draft(text: str, *, sql: str | None = None):
    sources = [("text", text)] + ([("sql", sql)] if sql else [])
    return propose_contract(sources, catalog=load_catalog("gildata") if sql else None)  # type: ignore[arg-type]


def marks(contract) -> dict[str, str]:
    return {mark.field: mark.mark for mark in contract.marks}


def why(contract, field: str) -> str:
    return next(mark.because for mark in contract.marks if mark.field == field)


@pytest.mark.parametrize(
    "text",
    [
        "列出2024年5月31日的ST股票。",  # the only date of the words
        "截至2024-05-31，列出ST股票。",  # in the place of an as-of date
        "在2024年5月底，列出ST股票。",  # the end of a month
    ],
)
def test_a_date_of_the_words_and_another_of_the_program_is_a_doubt_that_names_both(text: str) -> None:
    contract = draft(text, sql=KNOWN_BY_JUNE)
    assert contract.as_of is not None
    assert contract.as_of.date == date(2024, 5, 31)  # an instruction comes before a program
    assert marks(contract)["as_of.date"] == "confirm"
    assert "but 2024-06-28: " in why(contract, "as_of.date")


def test_words_and_a_program_that_say_the_same_date_leave_no_doubt() -> None:
    contract = draft("列出2024年6月28日的ST股票。", sql=KNOWN_BY_JUNE)
    assert (marks(contract)["as_of.date"], marks(contract)["as_of.boundary"]) == ("sure", "sure")


def test_no_program_lifts_a_doubt_of_the_words() -> None:
    contract = draft("截至2024-06-28（不含当日），列出ST股票。", sql=KNOWN_BY_JUNE)
    assert (marks(contract)["as_of.date"], marks(contract)["as_of.boundary"]) == ("confirm", "confirm")
    contract = draft("以2024-06-28为观察日，取观察日前已披露的报告", sql=KNOWN_BY_JUNE)
    assert marks(contract)["as_of.boundary"] == "confirm"


def test_a_program_alone_is_sure_of_a_date_only_where_it_bounds_a_disclosure() -> None:
    gildata = load_catalog("gildata")
    for sql, mark in [
        (KNOWN_BY_JUNE, "sure"),
        ("SELECT SECUCODE FROM secumain WHERE LISTEDDATE <= '2020-01-01'", "confirm"),
        ("SELECT 1 FROM qt_dailyquote WHERE TRADINGDAY BETWEEN '2023-01-01' AND '2023-12-31'", "confirm"),
    ]:
        assert marks(propose_contract([("sql", sql)], catalog=gildata))["as_of.date"] == mark, sql
    # Without a catalog nobody knows that this is the period of a report.
    assert (
        marks(propose_contract([("sql", "SELECT 1 FROM r WHERE ENDDATE <= '2023-12-31'")]))["as_of.date"]
        == "confirm"
    )


def test_dates_that_python_lists_are_decisions_only_under_such_a_name() -> None:
    for name, mark in [("rebalance_dates", "sure"), ("holidays_dates", "confirm")]:
        code = f'{name} = ["2024-02-29", "2024-01-31"]'
        contract = propose_contract([("python", code)])
        assert marks(contract)["decisions.dates"] == mark
        assert contract.decisions is not None
        assert contract.decisions.dates == (date(2024, 1, 31), date(2024, 2, 29))


# Words near a date that change it: (instruction, part of the reason).
CHANGED = [
    ("截至2024-12-24（不含当日），筛选公司", "不含当日"),
    ("As of 2024-12-24 (exclusive), list the members", "exclusive"),
    ("截至2024-12-24；不含当日", "不含当日"),
    ("截至2024-12-24，当日公告不可用", "当日公告不可用"),
    ("As of the 2024-12-24 close, excluding that day's filings", "excluding that day"),
    ("截至2024年12月24日前一交易日收盘，选股", "another day"),
    ("截至2024-12-24后的第一个交易日，选股", "another day"),
    ("截至2024-12-24的前一个月，涨幅前十", "another day"),
    ("截至2024-12-24之前，选股", "another day"),
    ("截至2024-12-24收盘前，选股", "another day"),
    ("以2024-12-24为观察日的前一交易日收盘价排序", "another day"),
    ("截至2024-12-24（T-1），市值前50", "another day"),
    ("截至2024-12-24，仅可使用T-1日及以前的数据", "another day"),
    ("以2024-12-24为观察日（若非交易日则顺延）", "another day"),
    ("2024-12-24晨会前，筛选", "another day"),
    ("截至2024年12月24日上午10:30，列出停牌股票", "time of day"),
    ("截至2024-12-24 15:00，列出停牌股票", "time of day"),
    ("截至2024-12-24（盘中）", "time of day"),
    ("As of 2024-12-24, 4 p.m. ET, which filings are available?", "time of day"),
    ("Information known on 2024-12-24 at noon", "time of day"),
    ("基于截至2023年12月31日的年报，选股", "period of a report"),
    ("截至2024年6月30日止年度的财务报表，选股", "period of a report"),
    ("Using balance sheets as of December 31, 2023, rank the companies.", "Using balance sheets"),
    ("上市日期截至2020-01-01的股票", "上市日期"),
    ("成立日不晚于2020-06-30的基金", "成立日"),
    ("到期日不晚于2026-12-31的债券，按评级分组", "到期日"),
    ("持仓截至2024-06-30的基金", "持仓"),
    ("数据截至2024-12-24，请以收盘价排序", "数据"),
    ("不要以2024-12-24为观察日", "不要"),
    ("List companies founded as of 2010-01-01.", "founded"),
    ("List bonds maturing by the end of 2026-12-31.", "maturing"),
    ("Bought at the close of 2024-12-24, what was the return a month later?", "Bought"),
    ("No later than 2024-12-24, which funds were launched?", ""),
    ("截至2024-12-24当周，资金净流入", "当周"),
    ("截至2024-12-24左右，选股", "左右"),
    ("截至2024-12-24零时，选股", "零时"),
    ("Rank funds as of 2024-12-24 plus 5 days", "plus 5 days"),
]


@pytest.mark.parametrize(("text", "reason"), CHANGED)
def test_words_near_a_date_that_change_it_are_a_doubt_with_its_reason(text: str, reason: str) -> None:
    contract = draft(text)
    assert marks(contract)["as_of.date"] == "confirm"
    assert reason in why(contract, "as_of.date")


@pytest.mark.parametrize(
    "text",
    [
        "截至2024-12-24，不含ST股，市值前50",
        "截至2024-12-24（含当日），筛选公司",
        "请列出截至2024-12-24尚未披露年报的公司",
        "截至2024-12-24收盘，筛选公司",
        "分析005739.OF截至2024-12-24近三年集中度",
        "As of the close on 2024-12-24, rank the funds by AUM.",
        "Use information known at 2024-12-24; no later filings.",
        "截至2024-12-24，看2022-2024年的分红",  # a window up to the year of the date
    ],
)
def test_words_that_change_nothing_leave_the_date_sure(text: str) -> None:
    contract = draft(text)
    assert contract.as_of is not None
    assert (str(contract.as_of.date), marks(contract)["as_of.date"]) == ("2024-12-24", "sure")


@pytest.mark.parametrize("window", ["2024年1月到2025年1月", "2024-2026年", "2024-12-01至2025-01-31"])
def test_a_window_that_ends_after_the_as_of_date_is_a_doubt(window: str) -> None:
    assert marks(draft(f"截至2024-12-24，看{window}的分红"))["as_of.date"] == "confirm"


@pytest.mark.parametrize(
    "text",
    [
        "截至2024-12-24，统计盘前公告的数量",
        "截至2024-12-24选股，次日开盘前下单",
        "以2024-12-24为观察日，只看收盘后发布的公告",
        "以2024-12-24为观察日，统计盘前公告的数量",
    ],
)
def test_a_boundary_is_not_read_from_words_about_something_else(text: str) -> None:
    contract = draft(text)
    assert contract.as_of is not None
    assert (contract.as_of.boundary, marks(contract)["as_of.boundary"]) == ("eod", "confirm")


@pytest.mark.parametrize(
    ("text", "rule", "mark"),
    [
        ("使用最新重述值，而不是首次披露值", "latest", "sure"),
        ("do not use figures as first reported, use the latest", "latest", "sure"),
        ("use the latest figures, ignoring those as originally reported", "latest", "sure"),
        ("按首次披露值，不用更正后的数", "first", "sure"),
        ("净利润应为首次披露值，重述值一概不取", "first", "sure"),
        ("first-reported values only, not restated values", "first", "sure"),
        ("净利润禁止用最新重述值", "first", "confirm"),  # what else is not said
        ("never use restated figures", "first", "confirm"),
        ("不要用首次披露值", "latest", "confirm"),
        ("不仅用首次披露值，还要给出重述值", "latest", "confirm"),
        ("use first-reported figures unless restated", "first", "confirm"),
        ("如无首次披露值则留空", "first", "confirm"),
        ("首次披露回购预案的公司", "first", "confirm"),  # an event, no version
        ("统计首次披露数据资产的公司", "first", "confirm"),
        ("which companies first reported a loss in 2023?", "first", "confirm"),
        ("EPS as first reported for 2022, as restated for 2021", "first", "confirm"),
    ],
)
def test_negations_and_conditions_of_the_version_rule(text: str, rule: str, mark: str) -> None:
    contract = draft(f"2024-12-24。{text}" if text[0] > "\x7f" else f"As of 2024-12-24, {text}")
    assert (contract.version, marks(contract)["version"]) == (rule, mark)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("回测2020年1月到2024年12月，每月末选股", "2020-01-01", "2024-12-31"),
        ("At each quarter end from 2019 to 2023, select the top ten.", "2019-01-01", "2023-12-31"),
        ("2020-2023年每季度末调仓，等权持有", "2020-01-01", "2023-12-31"),
        ("从2021Q1到2023Q2，每季末选股", "2021-01-01", "2023-06-30"),
        ("2021年一季度至2023年三季度，每季末选股", "2021-01-01", "2023-09-30"),
        ("2024年1-2月，每周调仓", "2024-01-01", "2024-02-29"),
        ("2020-01至2024-02，每月末选股", "2020-01-01", "2024-02-29"),
        ("Select at each month end between January 2020 and Feb 2023.", "2020-01-01", "2023-02-28"),
        ("每月末（2020年1月至2024年12月）选股", "2020-01-01", "2024-12-31"),
        ("2020年1月15日至2024年12月10日，每月末选股", "2020-01-15", "2024-12-10"),
    ],
)
def test_months_and_years_are_windows_of_decisions(text: str, first: str, last: str) -> None:
    contract = draft(text)
    assert contract.decisions is not None
    assert (str(contract.decisions.start), str(contract.decisions.end)) == (first, last)
    fields = ("decisions.every", "decisions.from", "decisions.to")
    assert [marks(contract)[field] for field in fields] == ["sure"] * 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("自2020年以来每月末选股", "no window of decision dates was read"),
        ("For each month end in 2023, pick the ten cheapest stocks.", "no window of decision dates was read"),
        ("训练期2015年至2019年，回测期2020年至2024年，每月末调仓", "another window is “2020年至2024年”"),
        ("基于2019年1月至2023年12月的财报，每月末选股", "may be of the data"),
        ("计算2020-01-01至2023-12-31每月成交额均值", "may describe a figure"),
        ("从2020年1月到2024年12月每月第一个交易日调仓", "may change it"),
        ("2020年1月至2024年12月，每月15日调仓", "may change it"),
        ("2020年至2023年每两个月末调仓", "may change it"),
        ("Rebalance every other month end from 2020 to 2023", "may change it"),
        ("Select at each month end except December, from 2020 to 2023", "may change it"),
        ("2020年至2023年每月调仓", "which day of it is not said"),
        ("2020年至2023年每月末调仓，每日计算净值，逐日止损", "also “逐日”"),
        ("代码2020-2024，每月末选股", "are these two years?"),
    ],
)
def test_a_rhythm_whose_window_or_meaning_is_doubtful_must_be_confirmed(text: str, reason: str) -> None:
    contract = draft(text)
    assert marks(contract)["decisions.every"] == "confirm"
    assert reason in why(contract, "decisions.every")
    assert {marks(contract).get(f) for f in ("decisions.from", "decisions.to")} <= {"confirm", None}


def test_a_rhythm_that_no_contract_can_state_is_said_to_be_one() -> None:
    contract = draft("2020年至2023年每半年末调仓")
    assert contract.decisions is None
    assert marks(contract)["decisions"] == "confirm"
    assert "no rhythm that 'every' has" in why(contract, "decisions")


def test_what_is_no_window() -> None:
    for text in (
        "2019 and 2023",
        "2024年到2020年",
        "2024-01-15",
        "600519.2020-2024",
        "2020年13月到2021年2月",
    ):
        assert windows_in(text, dates_in(text)) == [], text


def test_output_columns_are_sure_only_where_their_names_say_it() -> None:
    text = "2020年至2023年每月末选股。输出上市日期、证券代码。"
    assert marks(draft(text))["decisions.column"] == "confirm"
    text = "截至2024-12-24选股，未来20日收益作为标签。输出证券代码、概念标签。"
    assert marks(draft(text))["labels"] == "confirm"


@pytest.mark.parametrize(
    "words",
    [
        "Report the return in the following month.",
        "Add the following month's return.",
        "The returns over the next 20 trading days are shown.",
        "Compare with the return of the month after.",
        "给出次月收益率。",
        "附上下一交易日涨跌幅。",
    ],
)
def test_what_comes_after_the_decision_is_proposed_as_a_label(words: str) -> None:
    assert marks(draft(f"2020-2023 every month end, select ten shares. {words}"))["labels"] == "confirm"


@pytest.mark.parametrize(
    "words", ["下季度报告前的收益", "the return of the following holdings", "returns by month"]
)
def test_a_return_is_no_label_by_itself(words: str) -> None:
    assert "labels" not in marks(draft(f"截至2024-12-24，{words}。")), words


def test_a_program_that_lists_other_decision_dates_casts_doubt_on_the_rhythm() -> None:
    sources = [
        ("text", "2020年至2023年每月末调仓"),
        ("python", 'rebalance_dates = ["2024-01-15", "2024-02-15"]'),
    ]
    contract = propose_contract(sources)  # type: ignore[arg-type]
    assert marks(contract)["decisions.every"] == "confirm"
    assert "2024-01-15, 2024-02-15" in why(contract, "decisions.every")


@pytest.mark.parametrize(
    "text",
    [
        "截至2021-04-26。当日公告不计入。筛选公司。",
        "截至2024-12-24，列出公司；公告日当天视为不可得，次日起可用。",
        "截至2024-12-24列出公司，公告时间以次日为准。",
        "截至2024-12-24，列出公司。财报需滞后三个月使用。",
        "截至2024-12-24，列出公司。12月24日当天披露的一律不用。",
        "截至2024-12-24，列出公司。财报披露后第二天才能使用。",
        "截至2024年12月24日零时，列出公司。",
        "As of 2021-04-26. Announcements made on that day do not count. List companies.",
        "As of 2024-12-24, list companies. Use only what was public by the previous evening.",
        "As of 2024-12-24, list companies. Same-day announcements are not available.",
        "As of 2024-12-24, list companies. Lag all fundamentals by 90 days.",
        "As of 2024-12-24, list companies. Trades at that day's open.",
        "As of 2024-12-24, list companies; you may look at results until 2025.",
        "As of 2024-12-24, list companies. Treat filings as available on the next trading day.",
        "As of market open on December 24, 2024, list companies.",
    ],
)
def test_a_later_sentence_that_shifts_the_day_is_a_doubt(text: str) -> None:
    found = marks(draft(text))
    assert "confirm" in (found["as_of.date"], found["as_of.boundary"])
    assert found["as_of.boundary"] == "confirm"


@pytest.mark.parametrize(
    "text",
    [
        "以2024-05-17日终为信息截点：当日披露、入库和成交的可用，次日零时起的一律不可用。列出公司。",
        "截至2024-12-24，列出当日成交量大于0的公司。",
        "As of 2024-12-24, list companies with a close above the mean of the last 20 sessions.",
    ],
)
def test_what_shifts_nothing_leaves_the_day_sure(text: str) -> None:
    found = marks(draft(text))
    assert (found["as_of.date"], found["as_of.boundary"]) == ("sure", "sure")


@pytest.mark.parametrize(
    "text",
    [
        "自2020-01-01至2024-12-24，每月最后一个交易日的前一日调仓。",
        "Rebalance at each month end from 2019-01-31 to 2023-12-29 using data available the day before.",
        "Rebalance the portfolio monthly from January 2019 to December 2023.",
    ],
)
def test_a_rhythm_that_other_words_move_is_a_doubt(text: str) -> None:
    assert marks(draft(text))["decisions.every"] == "confirm"


@pytest.mark.parametrize(
    "text",
    ["截至2024-12-24，列出公司，用重述前的数值。", "As of 2024-12-24, use revenue before any restatement."],
)
def test_values_before_a_restatement_are_no_latest_version_without_a_doubt(text: str) -> None:
    assert marks(draft(text))["version"] == "confirm"


@pytest.mark.parametrize(
    "text",
    [
        "As of 2024-06-30, list shares held by funds; the information cut-off is one week earlier.",
        "截至2024-06-30，列出每家公司的股票，信息截止提前五个交易日",
        "截至2024-06-30，若当日休市则取上一交易日，列出股票",
        "截至2024-06-30，列出股票，信息截点为上月末",
        "As of 2024-06-30, list shares; knowledge ends at the previous month end.",
        "As of 2024-06-30, list shares. Information disclosed in the last week must be ignored.",
        "As of 2024-06-30, list shares. Ignore anything published in the final week.",
        "As of 2024-06-30, but assume you stand at the start of that year, list shares",
        "以2024-06-30为截止日的半年报，采用最新披露值，列出总资产",
        "As of December 31, 2023, unaudited total assets of each bank",
        "As of March 31, 2024, shareholders' equity of AAPL",
        "截至2023年12月31日，总资产最高的十家公司",
        # of other kinds: half-years, offsets of trading days, conditions, holidays, two clauses, suppositions
        "截至2024-12-24，列出股票，但只看上半年结束前的公告",
        "截至2024-12-24，列出基金，实际可知的是T-2日的内容",
        "截至2024-12-24，列出股票，遇节假日按节前最后一日处理",
        "截至2024-12-24，列出股票。决策者其实身处十月中旬",
        "截至2024-12-24，列出股票，三个交易日内的公告不作数",
        "截至2024-12-24，列出股票；如遇周末则改用周五",
        "截至2024-12-24，列出股票，消息晚两天才传到",
        "截至2024-12-24，列出成分股，以半年前的视角判断",
        "截至2024-12-24，列出股票，不许用最近两周的披露",
        "截至2024-12-24，列出股票，一切以国庆前为限",
        "截至2024-12-24，列出股票，净利润用一个月前能看到的",
        "截至2024-12-24，列出股票，净利润以上个季度末所知为准",
        "截至2024-12-24，列出股票，想象自己在年初",
        "截至2024-12-24，列出公司的市值，只取前一天掌握的数据",
        "截至2024-12-24，列出股票，近一周的新闻当没看见",
        "截至2024-12-24，列出股票。研究在2023年完成。",
        "As of 2024-12-24, list shares, two trading days back in terms of knowledge",
        "As of 2024-12-24, list funds; our feed lags by a day",
        "As of 2024-12-24, list funds; if that is a holiday, use the prior session",
        "As of 2024-12-24, list shares as they were known six months earlier",
        "As of 2024-12-24, list shares. You only learn of news a week late.",
        "As of 2024-12-24, list shares, using revenue published at least ten days before",
        "As of 2024-12-24, list shares. Filings become usable two days on.",
        "As of 2024-12-24, list shares. Pretend it is still the first half of the year.",
        "As of 2024-12-24, list shares with the highest market cap, blind to the final fortnight",
        "As of 2024-12-24, list shares unless the exchange was closed, in which case go back one session",
        "As of 2024-12-24, list shares. Everything after Thanksgiving is off limits.",
        "As of 2024-12-24, list shares. Do not use the last five sessions.",
        "As of 2024-12-24, rank by revenue; the reader lives in October.",
        "As of 2024-12-24, list shares; the information date is that of the previous quarter end.",
        "As of 2024-12-24, list shares. Use only what had been out for 30 days.",
        "As of 2024-12-24, list shares. Reports count from the next trading day.",
        "As of 2024-12-24, rank by revenue known a month earlier",
        "As of June 30, 2024, deposits of each bank",
        "截至2024年9月30日，各银行的存款余额",
        "As of 2024-12-24, list funds; a 48-hour embargo applies.",
        "As of 2024-12-24, use figures as they stood in November.",
        "截至2024-12-24，列出股票，财报披露满45天方可使用",
        "截至2024-12-24，列出股票，昨日收盘后就不再更新信息",
        "截至2024-12-24，列出股票，所有判断比该日早一周",
        "As of 2024-12-24, list shares. It is really May.",
        "截至2024-12-24，列出股票，以四月的情形判断",
    ],
)
def test_words_of_time_or_knowledge_that_no_reading_accounts_for_are_a_doubt(text: str) -> None:
    found = marks(draft(text))
    assert (found["as_of.date"], found["as_of.boundary"]) == ("confirm", "confirm")


@pytest.mark.parametrize(
    "text",
    [
        "截至2024-12-24，列出沪深300成分股。",
        "截至2024-12-24，列出市值前50的股票，输出代码、名称、市值。",
        "截至2024-12-24，列出近20个交易日涨幅超过10%的股票。",
        "截至2024-12-24，剔除上市未满1年的股票，按市盈率升序取前十。",
        "截至2024-12-24，计算近三年年化收益率与最大回撤。",
        "截至2024-12-24，筛选2023年年报净利润同比增长超过20%的公司。",
        "截至2024-12-24，列出剩余期限1-3年的债券。",
        "截至2024-12-24，按最新已披露报告期计算ROE，前20名。",
        "以2024-12-24为观察日，统计过去12个月的CPI同比均值。",
        "As of 2024-12-24, list the members of the CSI 300.",
        "As of 2024-12-24, list the ten largest funds by AUM.",
        "As of 2024-12-24, rank stocks by return over the past 12 months.",
        "As of 2024-12-24, list companies whose 2023 annual report shows a loss.",
        "As of 2024-12-24, list bonds maturing within three years.",
        "As of 2024-12-24, compute the 60-day volatility of AAPL.",
        "As of the close on 2024-12-24, list shares with a volume above the 20-day mean.",
        "As of 2024-03-31, list the members of the S&P 500.",
        "截至2024-06-30，列出沪深300成分股。",
        "As of 2024-12-24, what was the latest reported net income of MSFT?",
    ],
)
def test_a_plain_text_stays_sure(text: str) -> None:
    assert marks(draft(text))["as_of.date"] == "sure"


@pytest.mark.parametrize(
    "words",
    [
        "按最新披露口径（不含重述）",
        "use latest disclosed values but ignore restatements",
        "use the latest figures, before amendments",
    ],
)
def test_what_limits_the_latest_version_is_a_doubt(words: str) -> None:
    assert marks(draft(f"截至2024-12-24，{words}。"))["version"] == "confirm"


def test_the_latest_version_of_a_report_is_of_no_stated_day() -> None:
    assert marks(draft("以2024-06-30为截止日的半年报，采用最新披露值，列出总资产"))["version"] == "confirm"


@pytest.mark.parametrize(
    "text",
    [
        "每个月末（2020-01至2021-12）选股，但每季度才调仓一次",
        "Select at each month end from 2020 to 2023, but trade quarterly.",
    ],
)
def test_a_second_rhythm_is_a_doubt(text: str) -> None:
    assert marks(draft(text))["decisions.every"] == "confirm"


@pytest.mark.parametrize(
    "text", ["截至2024-06-30，计算此后一个月的涨跌幅", "use the return since 2024-06-30 as label"]
)
def test_a_return_after_the_date_is_proposed_as_a_label(text: str) -> None:
    assert marks(draft(text))["labels"] == "confirm"

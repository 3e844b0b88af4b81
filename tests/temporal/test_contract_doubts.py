"""Texts by category of doubt: what a careful reader would ask about is not marked sure, what is plain stays sure."""

from __future__ import annotations

import pytest

from finassay.temporal import propose_contract


def marks(text: str) -> dict[str, str]:
    return {mark.field: mark.mark for mark in propose_contract([("text", text)]).marks}


# Each is a clause after "截至2024年6月28日，列出公司，" or "As of 2024-06-28, list companies; ".
SESSIONS = """
傍晚挂出的公告按次日处理
收市以后发出的材料归下一天
凌晨更新的名单照用
夜里送达的文件不看
午休时段的公告也收
开市钟响之前的消息为准
取夜盘价格
以尾盘集合竞价的价格为准
晚间快讯一并考虑
第二天清早才挂网的算当天
只认上午的材料
闭市半小时内的公告另算
what hits the tape past dusk belongs to the day
late-night notices count
take the pre-dawn price
use the after-hours price
early birds included
notices stamped past the closing bell are dropped
only the first hour counts
lunchtime notices stay out
rank by the Sunday price
use the evening edition
the Tokyo session decides
price in London hours
遇停牌取复牌价
post-close releases stay
"""
KNOWLEDGE = """
可以开天眼
偷看后面的结果也行
按后来证实的净利润排序
用最终审定的数
假装不知道财报
净利润以未来为准
内幕不限
用将要公布的中报
提前拿到的年报也可
分析师当时还蒙在鼓里
把答案当作已知
事后诸葛亮式地挑选
a crystal ball is fine
peeking is fine
rank by the profit that turned out right
spoilers welcome
use what came out in the end
with perfect foresight of profit
rank by eventual profit
take the outcome as given
leaks are fair game
assume the annual report is out
rank by profit as we know it today
with the benefit of knowing the winner
"""
SUPPLY = """
以进库为准
给财报留一段缓冲
入库滞后两日
数据商延后一周推送
容许报表迟到
报表宽限到月底
以供应商落地为准
供应商已经灌入的都行
文件到手才算
以接口拉到的为准
系统同步以后才可见
以库里有的为准
等交易所确认
评级含拟下调
the feed trails
give reports some slack
whatever the vendor pushed is fair
a cushion of a fortnight for reports
loader time decides
count what sits in the warehouse
use whatever the database holds
ingestion decides
statements arrive one quarter behind
allow reports a tolerance
respect the embargo
stale by two sessions
"""
EXCEPTIONS = """
次新股不受此限
唯独金融股沿用旧口径
港股另行规定
停牌的维持原判
除了银行
银行例外
科创板豁免
个别公司放行
小公司可放宽
北交所按另一日期
ST公司跳过此规则
必要时可以破例
banks are exempt
save for utilities
barring financials
banks get a pass
small caps may differ
other rules for Hong Kong
the rule is waived for banks
unless suspended
funds are handled otherwise
REITs follow their own calendar
bend the rule where needed
apart from banks
"""


def lines(texts: str) -> list[str]:
    return [line for line in texts.splitlines() if line]


def after_date(clause: str) -> str:
    lead = "As of 2024-06-28, list companies; " if clause.isascii() else "截至2024年6月28日，列出公司，"
    return f"{lead}{clause}{'.' if clause.isascii() else '。'}"


@pytest.mark.parametrize("clause", lines(SESSIONS + KNOWLEDGE + SUPPLY + EXCEPTIONS))
def test_a_date_and_its_boundary_are_not_sure_beside_a_clause_that_may_move_them(clause: str) -> None:
    found = marks(after_date(clause))
    assert (found["as_of.date"], found["as_of.boundary"]) == ("confirm", "confirm")


PLAIN = """
按市值从大到小取前20
输出代码、简称、收盘价和换手率
剔除ST和停牌股票
计算近60个交易日的年化波动率
要求市盈率低于20倍且股息率高于3%
按申万一级行业统计公司数量和占比
取净资产收益率最高的10家
营业收入同比增速高于20%
只保留主板公司
结果保留2位小数
并列的按代码升序
资产负债率低于50%
rank by market cap
return the ticker, name and close
drop suspended shares
compute the 60-day volatility
keep those with a dividend yield above 3 percent
group by industry and count
net margin above 10 percent
list the top ten by volume
sort by price in descending order
revenue growth above 20 percent
price-to-book below 2
"""


@pytest.mark.parametrize("clause", lines(PLAIN))
def test_a_plain_clause_leaves_the_date_and_its_boundary_sure(clause: str) -> None:
    found = marks(after_date(clause))
    assert (found["as_of.date"], found["as_of.boundary"]) == ("sure", "sure")


# After "2020年1月到2023年12月，每月末调仓" or "From 2019 to 2023, rebalance at each month end".
RHYTHM_DOUBTS = """
，春节所在月顺延
；一季度休息
，牛市时按兵不动
，2022年空窗
，遇重大事件则停一次
，四月不动
；指数大跌则空仓等待
，逢双月执行
，仅熊市执行
，其中2021年改为季末
，首月免调
，最后一年冻结
, idle in August
; hold still in 2021
, but sit out bear markets
; dormant through the pandemic
, with a break in summer
, resting in Q2
, only if the index is up
, frozen in the final year
; none in December
, minus the first month
, unless volatility is high
; every third one is skipped
"""


@pytest.mark.parametrize("words", lines(RHYTHM_DOUBTS))
def test_a_rhythm_is_not_sure_beside_words_that_leave_days_out(words: str) -> None:
    lead = (
        "From 2019 to 2023, rebalance at each month end"
        if words.isascii()
        else "2020年1月到2023年12月，每月末调仓"
    )
    found = marks(lead + words)
    assert {found[f"decisions.{field}"] for field in ("every", "from", "to")} == {"confirm"}


@pytest.mark.parametrize(
    "words",
    [
        "，等权持有",
        "，选取市值最小的50只股票",
        "，剔除ST股票，按市盈率升序取前30只",
        "，在沪深300成分股中选股",
        "，按股息率排序",
        "，输出调仓日、证券代码、权重",
        ", equal weights",
        ", hold the ten largest stocks",
        ", select the top ten by dividend yield",
        " and rank by market cap",
        ", with members of the CSI 300",
        ". Return the code and the weight",
    ],
)
def test_a_rhythm_stays_sure_beside_plain_words(words: str) -> None:
    lead = (
        "From 2019 to 2023, rebalance at each month end"
        if words.isascii()
        else "2020年1月到2023年12月，每月末调仓"
    )
    found = marks(lead + words)
    assert {found[f"decisions.{field}"] for field in ("every", "from", "to")} == {"sure"}


@pytest.mark.parametrize(
    "words",
    [
        "净利润采用首次披露值，营业收入用年报数",
        "总资产采用首次披露值，其余不变",
        "只有金融股采用首次披露值",
        "采用首次披露值，银行例外",
        "采用首次披露值，科创板沿用原口径",
        "毛利率按首次披露值，净利率不作要求，商誉取公告数",
        "仅对净利润采用首次披露值",
        "采用首次披露值，必要时调整",
        "existing banks aside, use values as first reported",
        "use net income as first reported, and revenue from the database",
        "use values as first reported for banks alone",
        "revenue as first reported, cash flow as usual",
        "use values as first reported wherever possible",
        "use values as first reported save for goodwill",
        "in the main use values as first reported",
        "revenue as restated, debt as is",
    ],
)
def test_a_rule_of_versions_for_a_part_is_not_sure(words: str) -> None:
    text = f"As of 2024-06-28, {words}." if words.isascii() else f"截至2024年6月28日，{words}。"
    assert marks(text)["version"] == "confirm"


@pytest.mark.parametrize(
    "words",
    [
        "采用首次披露值",
        "营业收入采用首次披露值",
        "列出公司，采用首次披露值",
        "净利润采用首次披露值，按净利润排序",
        "一律采用首次披露值",
        "用最新重述值，列出公司",
        "use values as first reported",
        "list companies; use values as first reported",
        "rank by revenue as first reported",
        "use the latest figures",
    ],
)
def test_a_rule_of_versions_for_all_stays_sure(words: str) -> None:
    text = f"As of 2024-06-28, {words}." if words.isascii() else f"截至2024年6月28日，{words}。"
    assert marks(text)["version"] == "sure"


@pytest.mark.parametrize(
    "words",
    [
        "输出代码、未来20日收益率预测",
        "输出代码、预期未来5日收益",
        "输出代码、未来20日收益率估计值",
        "输出代码、未来20日收益信号",
        "输出代码、未来20日收益率排名",
        "输出代码、未来20日上涨概率",
        "用模型预测未来20日收益，输出代码、未来20日收益",
        "输出代码、未来20日目标收益率",
        "Output code, predicted next-day return.",
        "Output code, expected forward return.",
        "Output code, next month return score.",
        "Predict returns of the next month. Output code, next_month_return.",
        "Output code, forward return estimate.",
        "Output code, fwd_return_model.",
    ],
)
def test_a_forecast_is_no_label(words: str) -> None:
    assert (
        marks(f"As of 2024-06-28. {words}" if words.isascii() else f"截至2024年6月28日，{words}").get(
            "labels"
        )
        != "sure"
    )


@pytest.mark.parametrize(
    "words",
    [
        "输出代码、未来20日收益率",
        "输出代码、未来5个交易日超额收益",
        "输出代码、次日涨跌幅",
        "输出代码、后20日收益",
        "Output code, next_month_return.",
        "Output code, forward return.",
        "Output code, fwd_ret_20d.",
    ],
)
def test_an_outcome_is_a_label(words: str) -> None:
    text = f"As of 2024-06-28. {words}" if words.isascii() else f"截至2024年6月28日，{words}"
    assert marks(text)["labels"] == "sure"


# What stands in reports of a quarter's last day, and what the market says of that day.
REPORTED = """
在册员工最多的十家公司
门店数最多的公司
前十大股东持股比例最高的公司
管理资产规模最大的基金公司
户均持股最高的公司
在手订单最多的公司
资本充足率最低的银行
质押比例最高的公司
客户数最多的券商
未分配利润最高的公司
商誉最大的公司
净利润最高的公司
companies with the largest staff
banks with the most subscribers
funds with the highest AUM
companies with the most shareholders
companies with the highest backlog
companies by order backlog
companies with the largest inventories
companies with the highest leverage
companies by revenue
companies by goodwill
funds with the most holders
companies with the largest borrowings
"""
MARKET = """
市值最大的十家公司
换手率最高的股票
沪深300成分股
收盘价最高的十只股票
涨停的股票
近20个交易日涨幅最大的行业
国债收益率
市盈率最低的公司
companies with the largest market cap
stocks with the highest turnover
members of the S&P 500
stocks with the highest price
"""


@pytest.mark.parametrize(
    ("words", "mark"), [*((w, "confirm") for w in lines(REPORTED)), *((w, "sure") for w in lines(MARKET))]
)
def test_the_last_day_of_a_quarter_is_sure_of_what_the_market_says_only(words: str, mark: str) -> None:
    text = f"As of June 30, 2024, list {words}." if words.isascii() else f"截至2024年6月30日，列出{words}。"
    found = marks(text)
    assert (found["as_of.date"], found["as_of.boundary"]) == (mark, mark)


@pytest.mark.parametrize(
    ("words", "mark"),
    [
        ("使用2024年年报净利润", "confirm"),
        ("使用2024年半年报净利润", "confirm"),
        ("2024年净利润最高的公司", "confirm"),
        ("按2024年底成分股", "confirm"),
        ("2024Q3营业收入同比", "confirm"),
        ("2025年净利润最高的公司", "confirm"),
        ("使用2023年年报净利润", "sure"),
        ("使用2024年一季报净利润", "sure"),
        ("2024年以来涨幅最大的股票", "sure"),
        ("rank by 2024 revenue", "confirm"),
        ("rank by Q3 2024 revenue", "confirm"),
        ("rank by revenue of the 2024 annual report", "confirm"),
        ("rank by 2023 revenue", "sure"),
        ("rank by revenue of the 2023 annual report", "sure"),
    ],
)
def test_a_period_of_reports_that_ends_after_the_date_is_a_doubt(words: str, mark: str) -> None:
    text = f"As of 2024-06-28, {words}" if words.isascii() else f"截至2024年6月28日，{words}"
    assert marks(text)["as_of.date"] == mark

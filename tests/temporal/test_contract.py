"""The contract of a task: its format, and drafts from words and programs."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.temporal import (
    ContractError,
    Cutoff,
    contract_schema,
    contract_yaml,
    load_catalog,
    load_contract,
    parse_contract,
    propose_contract,
)

ROOT = Path(__file__).resolve().parents[2]
FULL = """
contract: stock_009
as_of: {date: 2025-06-30, boundary: eod}
decisions: {every: month_end, from: 2025-01-31, to: 2025-06-30, column: 观察日}
sources: [lc_liststatus, lc_exgindustry]
version: latest
version_of: {lc_balancesheetall: first}
history: [lc_dividend]
recording_proxies: [lc_liststatus.INSERTTIME]
life: {table: secumain, from: LISTEDDATE}
labels: [未来20日收益]
"""


def test_a_contract_answers_what_an_audit_asks() -> None:
    contract = parse_contract(FULL)
    assert contract.cutoff == Cutoff(date(2025, 6, 30), "eod")
    assert contract.proxies("LC_LISTSTATUS") == {"INSERTTIME"}
    assert contract.proxies("lc_exgindustry") == frozenset()
    assert contract.rule("LC_BALANCESHEETALL") == "first"
    assert contract.rule("lc_maindatanew") == "latest"
    assert contract.unconfirmed == ()
    assert contract.decision_cutoffs == ()  # month ends: the trading calendar knows them


def test_stated_decision_dates_have_a_cutoff_each() -> None:
    text = "contract: t\ndecisions: {dates: [2025-01-31, 2025-02-28], boundary: pre}"
    assert parse_contract(text).decision_cutoffs == (
        Cutoff(date(2025, 1, 31), "pre"),
        Cutoff(date(2025, 2, 28), "pre"),
    )


def test_what_is_written_is_read_back() -> None:
    contract = parse_contract(FULL)
    assert parse_contract(contract_yaml(contract)).model_dump() == contract.model_dump()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", "state 'as_of', 'decisions' or both"),
        ("as_of: {date: 24.12.2024}", "line 2, as_of.date: a date is written 2024-12-24, not '24.12.2024'"),
        ("as_of: {date: 2024-02-30}", "line 2, as_of.date"),
        (
            "as_of: {date: 2024-12-24, boundary: noon}",
            "as_of.boundary: Input should be 'eod' or 'pre', not \"noon\"",
        ),
        ("decisions: {every: month_end, dates: [2024-01-31]}", "state either 'dates' or 'every'"),
        ("decisions: {dates: [2024-02-29, 2024-01-31]}", "'dates' must ascend"),
        ("decisions: {every: week, from: 2024-02-29, to: 2024-01-31}", "'from' is after 'to'"),
        (
            "as_of: {date: 2024-12-24}\nrecording_proxies: [INSERTTIME]",
            "a recording proxy is written table.COLUMN",
        ),
        ("as_of: {date: 2024-12-24}\nlabel: [x]", "line 3, label: the format has no such field"),
    ],
)
def test_contradictions_are_refused_with_line_and_field(body: str, expected: str) -> None:
    with pytest.raises(ContractError) as refused:
        parse_contract(f"contract: t\n{body}\n", "my.yaml")
    assert expected in str(refused.value)
    assert "my.yaml" in str(refused.value)


def test_a_missing_contract(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_contract(tmp_path / "none.yaml")


def test_the_schema_in_the_documentation_is_the_schema_of_the_code() -> None:
    assert json.loads((ROOT / "docs/schemas/contract.json").read_text(encoding="utf-8")) == contract_schema()


def draft(*texts: str, kind: str = "text", catalog=None):
    return propose_contract([(kind, text) for text in texts], catalog=catalog)  # type: ignore[misc]


def marks(contract) -> dict[str, str]:
    return {mark.field: mark.mark for mark in contract.marks}


# The as-of date: (instruction, date, boundary, mark of the date, mark of the boundary).
AS_OF = [
    ("截至2024-12-24，在沪深A股筛选公司。", "2024-12-24", "eod", "sure", "sure"),
    ("以2025-06-30日终为信息截点：当日披露或入库的可用，次日零时起的一律不可用", "2025-06-30", "eod", "sure", "sure"),
    ("以2025-06-30开盘前为信息截点：2025-06-30当日及以后的均不可用", "2025-06-30", "pre", "sure", "sure"),
    ("以 2025-9-3 为观察日，取近一年收益率前100", "2025-09-03", "eod", "sure", "confirm"),
    ("2025年6月9日晨会，筛选估值偏低的公司", "2025-06-09", "eod", "sure", "confirm"),
    ("在 2025 年底，做一版初筛", "2025-12-31", "eod", "confirm", "confirm"),
    ("以 2025 年 8 月最后一个交易日为观察日", "2025-08-31", "eod", "confirm", "confirm"),
    ("Rank the funds as of 2024-12-24.", "2024-12-24", "eod", "sure", "sure"),
    ("Information cut-off: end of 2024-12-24; items disclosed on it count.", "2024-12-24", "eod", "sure", "sure"),
    ("Information cut-off: before the open of 2024-12-24.", "2024-12-24", "pre", "sure", "sure"),
    ("Before the open on December 24, 2024, list the members.", "2024-12-24", "pre", "sure", "sure"),
    ("Known on 24 Dec 2024, which were members?", "2024-12-24", "eod", "sure", "confirm"),
    ("The list of 20241224, please.", "2024-12-24", "eod", "confirm", "confirm"),
    ("截至2024-12-24的名单，与2024-06-28比较", "2024-12-24", "eod", "confirm", "sure"),
    ("截至2024-06-28的名单，用于2024-12-24的复盘", "2024-06-28", "eod", "confirm", "sure"),  # a later date stands there
    ("截至2024-12-24，自 2020-01-01 以来的最大回撤", "2024-12-24", "eod", "sure", "sure"),
    ("截至2024-12-24，基于 2024-09-30 报告期的数据", "2024-12-24", "eod", "sure", "sure"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "day", "boundary", "date_mark", "boundary_mark"), AS_OF)
def test_the_as_of_date_and_its_boundary_are_read_from_words(
    text, day, boundary, date_mark, boundary_mark
) -> None:
    contract = draft(text)
    assert contract.as_of is not None
    assert (str(contract.as_of.date), contract.as_of.boundary) == (day, boundary)
    assert (marks(contract)["as_of.date"], marks(contract)["as_of.boundary"]) == (date_mark, boundary_mark)


@pytest.mark.parametrize(
    "text",
    [
        "数据更新截至2024-12-24，请以2023-06-30收盘为观察时点筛选股票",
        "截至2024-12-24，另见2024-03-15的名单",
        "As of 2024-12-24, compare with the list of 2023-05-17",
    ],
)
def test_a_second_date_that_no_rule_explains_is_a_doubt(text: str) -> None:
    assert marks(draft(text))["as_of.date"] == "confirm"


@pytest.mark.parametrize(
    "text",
    [
        "截至2024-12-24日终，用2023-12-31合并资产负债表",
        "截至2024-12-24，比较2023-12-31年报的净利润",
        "As of the end of 2024-12-24, revenue of the quarter ended 2024-09-30",
        "自2024-01-01起，截至2024-12-24",
    ],
)
def test_the_period_of_a_report_and_the_start_of_a_window_are_none(text: str) -> None:
    contract = draft(text)
    assert contract.as_of is not None
    assert (str(contract.as_of.date), marks(contract)["as_of.date"]) == ("2024-12-24", "sure")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("截至二〇二四年十二月二十四日日终", "2024-12-24"),
        ("截至二零二四年三月三十一日", "2024-03-31"),
        ("截至二〇二四年十月十日", "2024-10-10"),
        ("as of 31/12/2023", "2023-12-31"),
        ("as of 12/31/2023", "2023-12-31"),
        ("as of 05/05/2023", "2023-05-05"),
    ],
)
def test_dates_in_other_hands(text: str, day: str) -> None:
    contract = draft(text)
    assert contract.as_of is not None
    assert str(contract.as_of.date) == day


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("as of 05/06/2023", "05/06/2023"),
        ("截至2024-02-30，选出市值最大的股票", "2024-02-30"),
        ("As of 2024-03-29, compared with 2023-02-29", "2023-02-29"),
        ("截至二〇二三年二月二十九日", "二〇二三年二月二十九日"),
    ],
)
def test_what_is_written_as_a_date_and_is_none_is_a_doubt(text: str, odd: str) -> None:
    contract = draft(text)
    doubts = [mark.because for mark in contract.unconfirmed if mark.field == "as_of"]
    assert len(doubts) == 1
    assert odd in doubts[0]
    assert contract.as_of is None or str(contract.as_of.date) == "2024-03-29"


def test_both_boundaries_in_one_sentence_are_a_doubt() -> None:
    text = "As of the close on 2024-06-28 (before the open of 2024-06-28 nothing counts)"
    assert marks(draft(text))["as_of.boundary"] == "confirm"


def test_a_statement_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InputError, match="no SQL that can be read"):
        propose_contract([("sql", "SELEC FROM WHERE ((")])


def test_an_instruction_without_a_date_asks_for_one() -> None:
    contract = draft("查询沪深300成分股的行业分布")
    assert contract.as_of is None
    assert [(mark.field, mark.mark) for mark in contract.unconfirmed] == [("as_of", "confirm")]


@pytest.mark.parametrize(
    ("text", "rhythm"),
    [
        ("复盘 2025-01-31 至 2025-08-30，按每月最后一个交易日观察", "month_end"),
        ("At each month end from 2025-01-31 to 2025-08-30, select the members", "month_end"),
        ("2025-01-31 至 2025-08-30 各季度末调仓", "quarter_end"),
        ("以 2025-01-31 至 2025-08-30 各周周三为观测日", "week"),
        ("以 2025-01-31 至 2025-08-30 披露的年报为事件样本", "event"),
        ("for every trading day between 2025-01-31 and 2025-08-30", "day"),
    ],
)
def test_decision_dates(text: str, rhythm: str) -> None:
    contract = draft(text)
    assert contract.decisions is not None
    assert contract.decisions.every == rhythm
    if "and" not in text.split("2025-01-31")[1][:5]:
        assert (contract.decisions.start, contract.decisions.end) == (date(2025, 1, 31), date(2025, 8, 30))
        assert marks(contract)["decisions.every"] == "sure"


def test_the_output_column_that_carries_the_decision_date() -> None:
    contract = draft("2025-01-31 至 2025-08-30 每月末选股。输出调仓日、证券代码、权重（%）。")
    assert contract.decisions is not None
    assert contract.decisions.column == "调仓日"


@pytest.mark.parametrize(
    ("text", "rule", "mark"),
    [
        ("截至2024-12-24，营业收入取首次披露值", "first", "sure"),
        ("As of 2024-12-24, use values as first reported", "first", "sure"),
        ("截至2024-12-24，取最新已披露报告期的 ROE", "latest", "sure"),
        ("截至2024-12-24，首次披露值与最新披露值之差", "first", "confirm"),
        ("以2024-06-28为观察日，列出2024-06-28前披露的首次披露值和最新值", "first", "confirm"),
        ("截至2024-12-24，2023年年报的净利润", "latest", "confirm"),
    ],
)
def test_the_version_rule(text: str, rule: str, mark: str) -> None:
    contract = draft(text)
    assert (contract.version, marks(contract)["version"]) == (rule, mark)


def test_labels() -> None:
    contract = draft("截至2024-12-24选股，未来20个交易日收益作为标签。输出证券代码、未来20日收益。")
    assert (contract.labels, marks(contract)["labels"]) == (("未来20日收益",), "sure")
    contract = draft("As of 2024-12-24; evaluate by forward returns. Output code, fwd_return_20d, rank.")
    assert contract.labels == ("fwd_return_20d",)
    contract = draft("截至2024-12-24，统计随后5日收益的均值。输出行业、均值。")
    assert (contract.labels, marks(contract)["labels"]) == ((), "confirm")
    assert "labels" not in marks(draft("截至2024-12-24，近一年收益率前100。输出代码、近 1 年收益率。"))


SQL = """
WITH p AS (SELECT DATE '2024-12-24' AS d)
SELECT s.SECUCODE, r.TOTALASSETS AS next_ret
FROM lc_maindatanew r JOIN secumain s ON s.COMPANYCODE = r.COMPANYCODE, p
WHERE r.INFOPUBLDATE < '2024-12-25' AND s.LISTEDDATE <= p.d AND r.ENDDATE <= '2023-12-31'
"""


def test_a_sql_program_with_a_catalog() -> None:
    """`< 2024-12-25` and `<= 2024-12-24` bound the same days; the bound on the period end says nothing."""
    contract = draft(SQL, kind="sql", catalog=load_catalog("gildata"))
    assert contract.cutoff == Cutoff(date(2024, 12, 24), "eod")
    assert marks(contract)["as_of.date"] == "sure"
    assert contract.sources == ("lc_maindatanew", "secumain")
    assert contract.life is not None
    assert (contract.life.table, contract.life.start) == ("secumain", "LISTEDDATE")
    assert contract.labels == ("next_ret",)
    assert {"sources", "life", "labels"} <= {mark.field for mark in contract.unconfirmed}


def test_bounds_that_differ_or_may_be_read_twice_must_be_confirmed() -> None:
    two = draft("SELECT 1 FROM a WHERE PUB <= '2024-12-24' AND START <= '2024-12-31'", kind="sql")
    assert marks(two)["as_of.date"] == "confirm"
    strict = draft("SELECT 1 FROM a WHERE PUB < '2024-12-25'", kind="sql")
    assert marks(strict)["as_of.date"] == "confirm"
    [mark] = [mark for mark in strict.marks if mark.field == "as_of.date"]
    assert "is the end of 2024-12-24, or before the open of 2024-12-25" in mark.because


def test_a_recording_bound_is_a_question() -> None:
    sql = "SELECT 1 FROM lc_liststatus WHERE INSERTTIME < '2024-12-25' AND CHANGEDATE <= '2024-12-24'"
    contract = draft(sql, kind="sql", catalog=load_catalog("gildata"))
    assert contract.recording_proxies == ("lc_liststatus.INSERTTIME",)
    assert marks(contract)["recording_proxies"] == "confirm"


PYTHON = """
import datetime as dt
import pandas as pd
AS_OF = "2024-12-24"
observation_dates = ["2024-01-31", dt.date(2024, 2, 29)]
def run(conn):
    frame = pd.read_sql(f"SELECT * FROM lc_exgindustry WHERE INFOPUBLDATE <= '{AS_OF}'", conn)
    frame["fwd_return"] = 0.0
"""


def test_a_python_program() -> None:
    contract = draft(PYTHON, kind="python")
    assert contract.cutoff == Cutoff(date(2024, 12, 24), "eod")
    assert marks(contract)["as_of.date"] == "sure"
    assert contract.decisions is not None
    assert contract.decisions.dates == (date(2024, 1, 31), date(2024, 2, 29))
    assert contract.sources == ("lc_exgindustry",)
    assert contract.labels == ("fwd_return",)


def test_a_notebook_is_its_code_cells() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["as of 2020-01-01"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "cutoff = '2024-12-24'\n"]},
    ]
    contract = draft(json.dumps({"cells": cells}), kind="notebook")
    assert contract.as_of is not None
    assert contract.as_of.date == date(2024, 12, 24)  # and not the date of the markdown


def test_words_come_before_programs_and_disagreement_is_doubt() -> None:
    contract = propose_contract([("python", PYTHON), ("text", "截至2024-12-31，筛选")])
    assert contract.as_of is not None
    assert contract.as_of.date == date(2024, 12, 31)
    [mark] = [mark for mark in contract.marks if mark.field == "as_of.date"]
    assert mark.mark == "confirm"
    assert "2024-12-24: AS_OF = 2024-12-24" in mark.because


def test_what_is_no_program() -> None:
    with pytest.raises(InputError, match="not Python") as refused:
        draft("def f(:\n", kind="python")
    assert refused.value.place is not None
    assert refused.value.place.line == 1
    with pytest.raises(InputError, match="not readable JSON"):
        draft("{", kind="notebook")


def test_every_draft_is_a_contract_that_can_be_read_again() -> None:
    for text, *_ in AS_OF:
        contract = draft(text)
        assert parse_contract(contract_yaml(contract)).model_dump() == contract.model_dump()


@pytest.mark.shared
def test_dates_marked_sure_are_right_on_the_released_questions(shared) -> None:
    """The release states an as-of date for 366 of 404 questions; where we are sure, we agree with all of them."""
    tasks = _lines(shared("data/questions/buysideflow_tasks_404.jsonl.gz"))
    stated = {
        row["id"]: row["as_of_date"] for row in _lines(shared("data/questions/buysideflow_manifest.jsonl.gz"))
    }
    sure = wrong = found = 0
    for task in tasks:
        expected = stated[task["instance_id"]]
        if not expected:
            continue
        contract = draft(task["instruction"])
        right = contract.as_of is not None and str(contract.as_of.date) == expected
        found += right
        if marks(contract).get("as_of.date") == "sure":
            sure += 1
            wrong += not right
    assert len(tasks) == 404
    assert sum(map(bool, stated.values())) == 366
    assert wrong == 0
    assert sure >= 120  # a text with a word that no rule knows is not sure
    assert found >= 366 * 0.85


def _lines(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]

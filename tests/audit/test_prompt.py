"""Instructions that induce violations are found in both languages; their prohibition is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from finassay.audit import Instruction, lint_prompt
from finassay.cli import app
from finassay.temporal import load_catalog
from finassay.temporal._yaml import parse

CATALOG = load_catalog("gildata")
PATTERNS = Path(lint_prompt.__code__.co_filename).with_name("_inducements.yaml")

INDUCES = {
    "行业表须过滤 IFPERFORMED=1，标准为申万。": "current_state",
    "SELECT * FROM lc_exgindustry WHERE IFPERFORMED = 1": "current_state",
    "Filter on INCUMBENT to find who manages the fund.": "current_state",
    "按 LISTEDSTATE 筛选在市股票": "current_state",
    "join secumain s on s.LISTEDSTATE IN (1, 3)": "current_state",
    "剔除 SECUABBR NOT LIKE '%ST%' 之外的公司": "name_for_state",
    "简称中包含ST的公司应剔除": "name_for_state",
    "Drop companies whose name contains ST.": "name_for_state",
    "请使用当前沪深300成分股作为样本。": "todays_state",
    "剔除目前处于ST状态的股票": "todays_state",
    "Use the latest constituents of the CSI 300.": "todays_state",
    "Use today's S&P 500 constituents.": "todays_state",
    "剔除当前ST股票。": "todays_state",
    "Take each fund's current manager.": "todays_state",
    "WHERE UPDATETIME < '2024-12-25'": "updated_time",
    "ORDER BY r.UPDATETIME DESC LIMIT 1": "updated_time",
    "Sort by UpdateTime and take the last version of each report.": "updated_time",
    "Take the row with the latest UPDATETIME.": "updated_time",
    "同一报告期有多条时，取 UPDATETIME 最大的一条": "updated_time",
    "多个版本取最新的 UPDATETIME": "updated_time",
    "ROW_NUMBER() OVER (PARTITION BY X ORDER BY INSERTTIME DESC)": "recorded_time",
    "INSERTTIME <= '2024-12-24 23:59:59'": "recorded_time",
    "us_filing: period_end <= DATE '2024-09-30'": "period_end",
    "SELECT * FROM news WHERE published < NOW()": "clock",
    "end = date.today()": "clock",
    "where day <= CURRENT_DATE": "clock",
    "取 ifperformed = 1 的行业。": "current_state",
    "行业取 IfPerformed=1 的行": "current_state",
    "rows = df[df['IFPERFORMED'] == 1]": "current_state",
    "df = df[df.IFPERFORMED.eq(1)]": "current_state",
    "end = pd.Timestamp.today()": "clock",
    "end = pd.to_datetime('today')": "clock",
    "Drop those whose SECUABBR starts with '*ST'.": "name_for_state",
    "df = df[~df['SECUABBR'].str.startswith('*ST')]": "name_for_state",
    "不要用当前简称，但要按 FLAG=1 取成分股": "current_state",
    "Do not use today's constituents, but filter on FLAG = 1.": "current_state",
    "Don't forget to filter on IFPERFORMED = 1.": "current_state",
    "Filter on FLAG = 1 rather than the interval.": "current_state",
    "财报数据按报告期末滞后4个月使用": "fixed_lag",
    "Assume that statements are public 45 days after the quarter.": "fixed_lag",
    "Assume annual reports are available four months after the period end": "fixed_lag",
    "Lag the statements by three-months.": "fixed_lag",
    "假设年报在报告期结束后四个月可得": "fixed_lag",
    "年报在期末四个月后可用": "fixed_lag",
    "where the flag ifperformed equals one": "current_state",
    "rows where ifperformed is 1": "current_state",
    "取 ifperformed 是1 的行": "current_state",
    "取 ifperformed 为 1 的行": "current_state",
    "财报以 ENDDATE <= '2024-12-24' 取最新一期": "period_end",
    "Take the last report with ENDDATE <= '2024-12-24'.": "period_end",
}
INNOCENT = (
    "不要使用 IFPERFORMED=1。",
    "Never filter on LISTEDSTATE = 1; test the interval instead.",
    "Use the interval rather than INCUMBENT = 1.",
    "Never use FLAG = 1, IFPERFORMED = 1 or LISTEDSTATE = 1.",
    "不要使用 IFPERFORMED=1，而应检验区间。",
    "用区间而不是 IFPERFORMED=1。",
    "Return UPDATETIME as the last column.",
    "Order by INFOPUBLDATE; UPDATETIME and INSERTTIME are columns of the table.",
    "Never order by UPDATETIME.",
    "The region is Asia, and its performance is > 5%.",
    "Return SECUABBR and the company's name as of 2024-12-24.",
    "取截至2024-12-24已披露的最新一期财报。",
    "Report the 2024 results, now that they are known.",
    "INFOPUBLDATE < '2024-12-25' AND ENDDATE = '2024-09-30'",
    "The column IFPERFORMED exists in lc_exgindustry.",
    "period_end = DATE '2024-09-30'",
    "财报只取 INFOPUBLDATE < '2024-12-25' 且 ENDDATE <= '2024-12-24' 的最新一期",
    "在2024-12-24前已披露的财报中取 ENDDATE <= '2024-12-24' 的最新一期",
    "STARTDATE <= '2024-12-24' AND (ENDDATE IS NULL OR ENDDATE > '2024-12-24')",
    "剔除 ENDDATE <= '2024-12-24' 的概念",
    "The flag is one of two columns, and the region is Asia.",
    "Assume that what was published by 2024-12-24 is known.",
    "Show the most recent price known at the as-of date.",
    "",
)

# A rule, or nothing for what is innocent, and a sentence in each line
SENTENCES = [
    line.split("\t")
    for line in Path(__file__).with_name("prompt_sentences.tsv").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("text", "rule"), INDUCES.items(), ids=lambda x: str(x)[:40])
def test_an_instruction_that_induces_a_violation_is_found(text: str, rule: str) -> None:
    found = lint_prompt(text, CATALOG)
    assert [one.rule for one in found] == [rule]
    assert found[0].text in text
    assert found[0].why
    assert found[0].instead


@pytest.fixture(scope="module")
def found_in_table() -> dict[int, list[Instruction]]:
    found = lint_prompt("\n".join(text for _, text in SENTENCES), CATALOG)
    return {n: [one for one in found if one.line == n + 1] for n in range(len(SENTENCES))}


@pytest.mark.parametrize("number", range(len(SENTENCES)), ids=lambda n: SENTENCES[n][1][:40])
def test_sentences_of_the_table_induce_what_it_says(
    number: int, found_in_table: dict[int, list[Instruction]]
) -> None:
    (rules, text), found = SENTENCES[number], found_in_table[number]
    assert sorted({one.rule for one in found}) == (rules.split("+") if rules else [])
    assert all(text[one.column - 1 :].startswith(one.text) for one in found)


def test_the_table_has_every_rule_and_innocents_in_both_languages() -> None:
    says = {(rule, text.isascii()) for rules, text in SENTENCES for rule in rules.split("+")}
    worded = {
        one["rule"] for one in parse(PATTERNS.read_text(encoding="utf-8"), "patterns")[0]["inducements"]
    }
    assert says >= {(rule, english) for rule in {*worded, "current_state", ""} for english in (True, False)}


def test_instructions_of_the_corpus_induce_no_violation() -> None:
    tasks = sorted((Path(__file__).parents[2] / "corpus/tasks").glob("*/task.yaml"))
    texts = [
        text for task in tasks for text in parse(task.read_text("utf-8"), "task")[0]["instruction"].values()
    ]
    assert texts
    assert [one for one in lint_prompt("\n".join(texts), CATALOG) if one.severity == "violation"] == []


def test_an_as_of_date_excuses_what_it_frames_and_nothing_else() -> None:
    for framed in ("截至2023-06-30，取最新主体评级。", "Take the latest rating known by 2023-06-30."):
        assert lint_prompt(framed, CATALOG) == []
    for text, rule in (
        ("截至2023-06-30，行业取 IFPERFORMED=1 的记录。", "current_state"),
        ("As of 2023-06-30, use today's constituents.", "todays_state"),
        ("Use the current constituents and compute returns as of 2023-06-30.", "todays_state"),
    ):
        assert [one.rule for one in lint_prompt(text, CATALOG)] == [rule]


def test_a_prohibition_reaches_its_clause_on_both_sides_and_no_other() -> None:
    innocent = (
        "IFPERFORMED=1、LISTEDSTATE=1 等条件不得使用。",
        "Conditions such as IFPERFORMED = 1 must never be used.",
        "Rather than IFPERFORMED = 1, test the interval.",
    )
    assert [one for text in innocent for one in lint_prompt(text, CATALOG)] == []
    for text in (
        "为避免未来函数，行业取 IFPERFORMED=1。",
        "Filter on IFPERFORMED = 1 to avoid look-ahead bias.",
        "Rather than test the interval, filter on IFPERFORMED = 1.",
        "按 IFPERFORMED=1 过滤，否则结果错误。",
        "Do not guess, filter on IFPERFORMED = 1.",
        "按 IFPERFORMED=1 过滤，不要自己判断区间。",
    ):
        assert [one.rule for one in lint_prompt(text, CATALOG)] == ["current_state"], text


@pytest.mark.parametrize("text", INNOCENT)
def test_other_sentences_are_left_alone(text: str) -> None:
    assert lint_prompt(text, CATALOG) == []


def test_a_prohibition_ends_with_its_sentence() -> None:
    found = lint_prompt("Never guess. Filter on IFPERFORMED = 1.\n不要猜测。按 IFPERFORMED=1 过滤。", CATALOG)
    assert [(one.line, one.rule) for one in found] == [(1, "current_state"), (2, "current_state")]
    assert found[0].column == len("Never guess. Filter on ") + 1


def test_the_command_fails_on_violations_only(tmp_path: Path) -> None:
    bad, risky = tmp_path / "bad.md", tmp_path / "risky.txt"
    bad.write_text("过滤 IFPERFORMED=1\n", encoding="utf-8")
    risky.write_text("INSERTTIME <= '2024-12-24'\n", encoding="utf-8")
    run = CliRunner().invoke
    found = run(app, ["lint-prompt", str(bad), str(risky), "--format", "json"])
    assert found.exit_code == 1
    assert [(f["file"], f["rule"]) for f in json.loads(found.output)["findings"]] == [
        (str(bad), "current_state"),
        (str(risky), "recorded_time"),
    ]
    assert run(app, ["lint-prompt", str(risky)]).exit_code == 0
    assert f"{bad}:1:4: violation current_state" in run(app, ["lint-prompt", str(bad)]).output
    assert run(app, ["lint-prompt", str(tmp_path / "none.txt")]).exit_code == 2

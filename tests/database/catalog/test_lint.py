"""A lint of a catalog against data with planted defects: each is found, counted, shown and placed."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from finassay.database import Finding, connect, lint_catalog
from finassay.temporal import CatalogError, parse_catalog
from support.loading import load_server, write_duckdb

CLEAN = """
catalog: market
version: "1"
tables:
  industry:
    kind: state
    en: Industry of a company
    zh: 行业
    row_id: [ID]
    key: [COMPANY, PUB]
    availability: {column: PUB}
    valid: {from: PUB, to: ENDS}
    versions: {per: [COMPANY], order: [PUB, ID], unique: [COMPANY, PUB]}
    disjoint: {per: [COMPANY], overlap_days: 1}
    dependencies:
      - {flag: CURRENT, while_open: [1]}
      - {determines: [CODE, NAME]}
    columns:
      ID: {role: key, en: Row, zh: 行}
      COMPANY: {role: key, en: Company, zh: 公司}
      PUB: {role: disclosure, en: Published, zh: 发布日}
      ENDS: {role: effective_to, en: End, zh: 结束日}
      CURRENT: {role: current_state, codes: {1: {en: "yes"}, 2: {en: "no"}}, en: Current, zh: 当前}
      CODE: {role: payload, en: Code, zh: 代码}
      NAME: {role: payload, en: Name, zh: 名称}
  report:
    kind: report
    en: Figures
    zh: 财务
    row_id: [ID]
    key: [COMPANY, PERIOD]
    availability: {column: PUB}
    versions: {per: [COMPANY, PERIOD], order: [PUB, ID]}
    dependencies:
      - {together: [PLAN, PLANNED]}
    columns:
      ID: {role: key, en: Row, zh: 行}
      COMPANY: {role: key, en: Company, zh: 公司}
      PERIOD: {role: period_end, format: integer_date, en: Period, zh: 期末}
      PUB: {role: disclosure, en: Published, zh: 发布日}
      INS: {role: recorded, en: Recorded, zh: 入库}
      ASSETS: {role: payload, min: 0, max_null: 0.3, en: Assets, zh: 资产}
      PLAN: {role: payload, disclosed_by: PLANNED, en: Plan, zh: 方案}
      PLANNED: {role: disclosure, en: Day of the plan, zh: 方案日}
"""


def at(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def industry(*rows) -> pa.Table:
    names = ["ID", "COMPANY", "PUB", "ENDS", "CURRENT", "CODE", "NAME"]
    schema = pa.schema([("ID", pa.int64()), ("COMPANY", pa.int64()), ("PUB", pa.timestamp("us")),
                        ("ENDS", pa.timestamp("us")), ("CURRENT", pa.int64()), ("CODE", pa.string()),
                        ("NAME", pa.string())])  # fmt: skip
    values = [{**dict(zip(names, row, strict=True)), "PUB": at(row[2]), "ENDS": at(row[3])} for row in rows]
    return pa.Table.from_pylist(values, schema=schema)


def report(*rows) -> pa.Table:
    names = ["ID", "COMPANY", "PERIOD", "PUB", "INS", "ASSETS", "PLAN", "PLANNED"]
    schema = pa.schema([("ID", pa.int64()), ("COMPANY", pa.int64()), ("PERIOD", pa.int64()),
                        ("PUB", pa.timestamp("us")), ("INS", pa.timestamp("us")), ("ASSETS", pa.float64()),
                        ("PLAN", pa.float64()), ("PLANNED", pa.timestamp("us"))])  # fmt: skip
    dated = {"PUB", "INS", "PLANNED"}
    values = [{n: at(v) if n in dated else v for n, v in zip(names, row, strict=True)} for row in rows]
    return pa.Table.from_pylist(values, schema=schema)


GOOD_INDUSTRY = [
    (1, 1, "2021-07-30", "2023-08-01", 2, "A", "Alpha"),
    (2, 1, "2023-07-31", None, 1, "B", "Beta"),  # the changeover day overlaps by one day: W2
    (3, 2, "2021-07-30", None, 1, "A", "Alpha"),
]
GOOD_REPORT = [
    (1, 1, 20231231, "2024-04-20", "2024-04-21 02:00", 10.0, 1.0, "2024-04-20"),
    (2, 1, 20231231, "2024-08-30", "2024-08-30 20:00", 11.0, None, None),
    (3, 2, 20231231, "2024-04-22", "2024-04-23 02:00", 5.0, None, None),
]
GOOD = {"industry": industry(*GOOD_INDUSTRY), "report": report(*GOOD_REPORT)}
BAD = {
    "industry": industry(
        *GOOD_INDUSTRY,
        (
            3,
            3,
            "2022-01-10",
            "2022-01-01",
            2,
            "A",
            "Aleph",
        ),  # id repeats; ends before it starts; another name
        (4, 4, "2022-01-10", "2022-09-10", 1, "C", "Gamma"),  # flag says current
        (5, 4, "2022-03-10", None, 1, "C", "Gamma"),  # the one before ends half a year later
        (6, 5, "2022-01-10", "2022-06-10", 2, "C", "Gamma"),  # ends on the day its successor was published
        (
            7,
            5,
            "2022-06-10",
            "2999-12-31",
            7,
            "C",
            "Gamma",
        ),  # an end that means none; a flag outside the list
        (8, 6, "2022-01-10 09:30", "2022-01-10", 2, "C", "Gamma"),  # a time in a date; never held
        (9, None, "2022-01-10", None, 1, "C", "Gamma"),  # a key that is NULL
    ),
    "report": report(
        *GOOD_REPORT,
        (
            4,
            3,
            20231231,
            "2023-12-01",
            "2023-11-01",
            -1.0,
            2.0,
            None,
        ),  # known before the period; recorded before that
        (
            5,
            3,
            20231340,
            None,
            None,
            None,
            None,
            "2024-01-01",
        ),  # no such date; never known; a day without a plan
        (6, 2, 20231231, "2024-04-22", None, None, None, None),
        (6, 2, 20231231, "2024-04-22", None, None, None, None),  # a version twice
    ),
}


def lint(path: Path, tables, catalog: str = CLEAN):
    with connect(write_duckdb(path / "m.duckdb", tables)) as database:
        return lint_catalog(parse_catalog(catalog, "market.yaml"), database)


def found(report_) -> dict[tuple[str, str], Finding]:
    return {(f"{f.table}.{f.check}", ",".join(f.columns)): f for f in report_.findings}


def test_data_that_agree_leave_nothing_to_say(tmp_path: Path) -> None:
    result = lint(tmp_path, GOOD)
    assert result.findings == ()
    assert result.clean
    [lag] = [
        lag for facts in result.tables for lag in facts.lags if (lag.earlier, lag.later) == ("PERIOD", "PUB")
    ]
    # 2023-12-31 to 2024-04-20, 2024-08-30, 2024-04-22: 111, 243, 113 days
    assert (lag.rows, lag.least, lag.greatest, lag.negative) == (3, 111, 243, 0)
    assert lag.mean == pytest.approx((111 + 243 + 113) / 3)


# (table.check, columns): severity, rows at fault, of how many, the catalog's line
PLANTED = {
    ("industry.row_id_not_unique", "ID"): ("error", 2, 10, 9),
    ("industry.too_many_nulls", "COMPANY"): ("warning", 1, 10, 20),
    ("industry.interval_reversed", "PUB,ENDS"): ("error", 1, 10, 12),
    ("industry.interval_empty", "PUB,ENDS"): ("warning", 1, 10, 12),
    ("industry.open_value", "ENDS"): ("warning", 1, 10, 12),
    ("industry.flag_disagrees", "CURRENT,ENDS"): ("error", 1, 10, 16),
    ("industry.unknown_code", "CURRENT"): ("error", 1, 10, 23),
    ("industry.not_determined", "CODE,NAME"): ("error", 3, 10, 17),
    ("industry.intervals_overlap", "COMPANY,PUB,ENDS"): ("error", 1, 3, 14),
    ("industry.w2", "COMPANY,PUB,ENDS"): ("error", 1, 3, 12),
    ("industry.times_in_dates", "PUB"): ("warning", 1, 10, 5),
    ("report.row_id_not_unique", "ID"): ("error", 2, 7, 30),
    ("report.key_not_unique", "COMPANY,PERIOD,PUB,ID"): ("error", 2, 7, 33),
    ("report.negative_lag", "PERIOD,PUB"): ("error", 1, 7, 32),
    ("report.recorded_early", "PUB,INS"): ("info", 1, 7, 41),
    ("report.out_of_range", "ASSETS"): ("error", 1, 7, 42),
    ("report.too_many_nulls", "ASSETS"): ("error", 3, 7, 42),
    ("report.too_many_nulls", "PUB"): ("warning", 1, 7, 40),
    ("report.unreadable_date", "PERIOD"): ("error", 1, 7, 39),
    ("report.never_disclosed", "PLAN,PLANNED"): ("warning", 1, 7, 43),
    ("report.not_together", "PLAN,PLANNED"): ("error", 2, 7, 35),
}


def test_every_planted_defect_is_found_counted_and_placed(tmp_path: Path) -> None:
    result = lint(tmp_path, BAD)
    got = {
        key: (f.severity, f.count, f.total, f.place.line if f.place else None)
        for key, f in found(result).items()
    }
    assert got == PLANTED
    assert not result.clean
    assert all(finding.example for finding in result.findings)


def test_an_example_is_a_row_at_fault(tmp_path: Path) -> None:
    findings = found(lint(tmp_path, BAD))
    overlap = findings["industry.intervals_overlap", "COMPANY,PUB,ENDS"].example
    assert (overlap["COMPANY"], str(overlap["ENDS"])[:10], str(overlap["next PUB"])[:10]) == (
        4,
        "2022-09-10",
        "2022-03-10",
    )
    flag = findings["industry.flag_disagrees", "CURRENT,ENDS"].example
    assert (flag["ID"], flag["CURRENT"]) == (4, 1)


@pytest.mark.servers
@pytest.mark.parametrize("server_name", ["mariadb", "postgres"])
def test_servers_find_the_same(server_name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """PostgreSQL refuses the impossible date itself, so that row stays out."""
    tables = {**BAD, "report": BAD["report"].filter(pa.compute.not_equal(BAD["report"]["PERIOD"], 20231340))}
    expected = {key: (f.severity, f.count, f.total) for key, f in found(lint(tmp_path, tables)).items()}
    server = request.getfixturevalue(server_name)
    with server.database("lint") as database:
        load_server(server, database, tables)
        with connect(server.reader_url(database)) as opened:
            result = lint_catalog(parse_catalog(CLEAN), opened)
    assert {key: (f.severity, f.count, f.total) for key, f in found(result).items()} == expected


def test_a_known_issue_is_no_failure_up_to_its_rows(tmp_path: Path) -> None:
    late = report(*GOOD_REPORT, (4, 3, 20231231, "2023-12-01", "2023-12-02", 1.0, None, None))
    assert not lint(tmp_path, {**GOOD, "report": late}).clean
    issue = "    known_issues: [{check: negative_lag, rows: %d, en: A typing error of the filer}]\n"
    stated = "    dependencies:\n      - {together"
    allowed = CLEAN.replace(stated, issue % 1 + stated)
    (tmp_path / "b").mkdir()
    result = lint(tmp_path / "b", {**GOOD, "report": late}, allowed)
    assert result.clean
    assert [f.severity for f in result.findings] == ["known"]
    assert "A typing error of the filer" in result.findings[0].message


def test_an_unknown_column_is_an_error_and_the_rest_is_still_checked(tmp_path: Path) -> None:
    catalog = CLEAN.replace("      NAME: {role", "      NICKNAME: {role").replace(
        "[CODE, NAME]", "[CODE, NICKNAME]"
    )
    findings = found(lint(tmp_path, BAD, catalog))
    column = findings["industry.unknown_column", "NICKNAME"]
    assert column.severity == "error"
    assert (
        column.message
        == "the table has no column NICKNAME; it has ID, COMPANY, PUB, ENDS, CURRENT, CODE, NAME"
    )
    assert column.place is not None
    assert (column.place.source, column.place.line) == ("market.yaml", 25)
    assert findings["industry.column_not_catalogued", "NAME"].severity == "warning"
    assert ("industry.row_id_not_unique", "ID") in findings
    assert not any(check.endswith("not_determined") for check, _ in findings)


def test_an_unknown_table_is_an_error_and_one_that_is_not_catalogued_is_told(tmp_path: Path) -> None:
    findings = found(lint(tmp_path, GOOD, CLEAN.replace("  report:\n    kind", "  reports:\n    kind")))
    assert {key: f.severity for key, f in findings.items()} == {
        ("reports.unknown_table", ""): "error",
        ("report.not_catalogued", ""): "info",
    }


def test_a_type_that_its_format_does_not_read_is_an_error(tmp_path: Path) -> None:
    catalog = CLEAN.replace("format: integer_date", "format: text_date")
    finding = found(lint(tmp_path, GOOD, catalog))["report.type_does_not_fit", "PERIOD"]
    assert (finding.severity, finding.message) == (
        "error",
        "PERIOD is BIGINT, which the format text_date does not read",
    )


def test_w1_needs_rows_recorded_before_their_start(tmp_path: Path) -> None:
    catalog = """
catalog: c
version: "1"
tables:
  members:
    kind: state
    en: Members
    zh: 成分
    key: [K, STARTS]
    availability: {column: STARTS, ahead: true}
    valid: {from: STARTS}
    columns:
      K: {role: key, en: k, zh: k}
      STARTS: {role: effective_from, en: s, zh: s}
      INS: {role: recorded, en: i, zh: i}
"""
    rows = [
        ("a", "2024-06-17", "2024-05-31"),
        ("b", "2024-06-17", "2024-06-17 08:00"),
        ("c", "2024-06-17", "2024-06-16"),
    ]
    table = pa.table(
        {"K": [r[0] for r in rows], "STARTS": [at(r[1]) for r in rows], "INS": [at(r[2]) for r in rows]}
    )
    [finding] = lint(tmp_path, {"members": table}, catalog).findings
    assert (finding.check, finding.count, finding.total, finding.example["K"]) == ("w1", 1, 3, "b")


def test_an_empty_table_is_a_warning(tmp_path: Path) -> None:
    result = lint(tmp_path, {**GOOD, "report": report()})
    assert [(f.table, f.check, f.severity) for f in result.findings] == [("report", "empty_table", "warning")]


def test_an_undecided_draft_is_reported(tmp_path: Path) -> None:
    catalog = CLEAN.replace("NAME: {role: payload,", "NAME: {role: payload, decide: true, reason: or a key,")
    [finding] = lint(tmp_path, GOOD, catalog).findings
    assert (finding.severity, finding.check, finding.message) == ("warning", "undecided", "NAME: or a key")


def test_only_the_tables_asked_for(tmp_path: Path) -> None:
    with connect(write_duckdb(tmp_path / "m.duckdb", BAD)) as database:
        result = lint_catalog(parse_catalog(CLEAN), database, ["REPORT"])
        assert {f.table for f in result.findings} == {"report"}
        with pytest.raises(CatalogError, match="says nothing about the table nothing"):
            lint_catalog(parse_catalog(CLEAN), database, ["nothing"])


def cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "finassay", "catalog", *arguments], capture_output=True, text=True, check=False
    )


def test_the_command_exits_with_0_1_or_2(tmp_path: Path) -> None:
    good, bad = write_duckdb(tmp_path / "good.duckdb", GOOD), write_duckdb(tmp_path / "bad.duckdb", BAD)
    (tmp_path / "market.yaml").write_text(CLEAN, encoding="utf-8")
    clean = cli("lint", str(tmp_path / "market.yaml"), "--db", good)
    assert clean.returncode == 0, clean.stderr
    assert "agree: 0 error, 0 warning, 0 known, 0 info." in clean.stdout
    failed = cli("lint", str(tmp_path / "market.yaml"), "--db", bad, "--format", "json")
    assert failed.returncode == 1, failed.stderr
    document = json.loads(failed.stdout)
    assert document["schema_version"] == 1
    assert {(f["table"], f["check"]) for f in document["findings"]} == {
        tuple(key[0].split(".")) for key in PLANTED
    }
    (tmp_path / "broken.yaml").write_text(
        CLEAN.replace("availability: {column: PUB}", "availability: {column: P}")
    )
    broken = cli("lint", str(tmp_path / "broken.yaml"), "--db", good)
    assert broken.returncode == 2
    assert (
        "line 11, tables.industry.availability.column: column P is not listed in 'columns'" in broken.stderr
    )
    assert cli("lint", str(tmp_path / "market.yaml"), "--db", str(tmp_path / "none.duckdb")).returncode == 2

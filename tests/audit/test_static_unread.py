"""What the static layer cannot read it says it has not read; names without history are open where they are tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from finassay.audit import Certificate, Obligation, Subject, Verdict, audit, static_obligations
from finassay.cli import app
from finassay.execution import Submission
from finassay.temporal import Catalog, contract_at, load_catalog, parse_contract

GILDATA = load_catalog("gildata")
AT = parse_contract("contract: t\nas_of: {date: 2024-12-24}\n")
STAR = "SELECT * FROM stranger ORDER BY 1"  # sqlglot's qualify asserts on it


def static(*arguments: str | Path) -> Result:
    return CliRunner().invoke(
        app, ["audit", "--static", "--as-of", "2024-12-24", *(str(argument) for argument in arguments)]
    )


def obligations(sql: str) -> list[Obligation]:
    return static_obligations(Submission("sql", sql_code=sql, source="x"), GILDATA, AT)


def test_a_failure_of_sqlglot_leaves_the_statement_unread(tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text(STAR)
    done = static(tmp_path / "s.sql")
    assert done.exit_code == 0
    assert "open A1 unreadable" in done.output
    assert "0 violated, 1 open, 0 discharged obligation(s) in 1 program(s), 1 of them not read" in done.output


@pytest.mark.parametrize("failure", [AssertionError, TypeError, IndexError, NotImplementedError])
def test_so_does_a_failure_of_any_type(monkeypatch: pytest.MonkeyPatch, failure: type[Exception]) -> None:
    from sqlglot.optimizer import qualify

    def fail(*_: object, **__: object) -> None:
        raise failure("of its own")

    monkeypatch.setattr(qualify, "qualify", fail)
    assert [one.rule for one in obligations("SELECT SECUABBR FROM secumain")] == ["unreadable"]


def test_the_audit_of_such_a_statement_names_the_table(market: str, catalog: Catalog) -> None:
    from datetime import date

    subject = Subject(Submission("sql", sql_code=STAR, source="s.sql"), market)
    found: Certificate = audit(subject, catalog, contract_at(date(2024, 6, 30)))
    assert (found.verdict, found.reasons) == (Verdict.UNKNOWN, ["table_not_catalogued"])
    assert "stranger" in found.notes[0]


def test_what_is_not_python_was_not_read(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = 1\nfor (:\n    pass\n")
    done = static(tmp_path / "bad.py")
    assert done.exit_code == 0
    assert f"{(tmp_path / 'bad.py').as_posix()}:2:6: open A1 unreadable: for (:" in done.output
    assert "not read, for it is not Python" in done.output
    told = json.loads(static(tmp_path / "bad.py", "--format", "json").output)
    assert (told["exit_code"], told["violated"], told["programs_not_read"]) == (0, 0, 1)
    assert [one["rule"] for one in told["files"][0]["obligations"]] == ["unreadable"]


def test_a_program_with_a_null_byte_is_not_read() -> None:
    program = Submission("python", python_code="x = 1\0", source="x")
    assert [one.rule for one in static_obligations(program, GILDATA, AT)] == ["unreadable"]


def test_what_no_dialect_reads_is_told_with_its_place_and_how_to_name_one(tmp_path: Path) -> None:
    (tmp_path / "bad.sql").write_text("SELECT SECUABBR\nFROM WHERE (a = \nfoo bar baz")
    one = obligations((tmp_path / "bad.sql").read_text())[0]
    assert (one.rule, one.status, one.line, one.column) == ("unreadable", "open", 2, 6)
    assert "read as MySQL, since no dialect is named and none reads it" in one.why
    assert "near 'WHERE', line 2" in one.why
    assert "--dialect" in one.why
    assert "Token" not in one.why
    assert "something is missing there" in obligations("SELECT SECUABBR FROM secumain WHERE a = ")[0].why
    named = static(tmp_path / "bad.sql", "--dialect", "duckdb").output
    assert "It was read as DuckDB, which ends near" in named
    assert "MySQL" not in named


TESTED = {
    "where": "SELECT INNERCODE FROM secumain WHERE {} LIKE '%ST%'",
    "on": "SELECT b.INNERCODE FROM secumain a JOIN secumain b ON a.INNERCODE = b.INNERCODE AND a.{} = 'x'",
    "having": "SELECT COUNT(*) FROM secumain GROUP BY {0} HAVING {0} <> ''",
    "qualify": "SELECT INNERCODE FROM secumain QUALIFY ROW_NUMBER() OVER (ORDER BY INNERCODE) = 1 AND {} <> ''",
    "case": "SELECT CASE WHEN {} LIKE '*ST%' THEN 1 ELSE 0 END AS st FROM secumain",
    "case of it": "SELECT CASE {} WHEN 'x' THEN 1 ELSE 0 END AS st FROM secumain",
    "through an expression": (
        "WITH s AS (SELECT INNERCODE, UPPER({}) AS n FROM secumain) SELECT INNERCODE FROM s WHERE n LIKE '%ST%'"
    ),
}


@pytest.mark.parametrize("column", ["SECUABBR", "ChiName"])
@pytest.mark.parametrize("sql", TESTED.values(), ids=TESTED)
def test_a_name_that_is_tested_is_open(sql: str, column: str) -> None:
    found = [one for one in obligations(sql.format(column)) if one.requirement == "A2"]
    assert {(one.status, one.rule, one.table) for one in found} == {("open", "current_state", "secumain")}
    assert f"{column.upper()} is tested as if it said the state of the day" in found[0].why


def test_so_is_that_of_a_us_security() -> None:
    found = obligations("SELECT security_id FROM us_security WHERE name LIKE '%Inc%'")
    assert [(one.status, one.table) for one in found if one.rule == "current_state"] == [
        ("open", "us_security")
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SECUABBR, UPPER(CHINAME) AS n FROM secumain",
        "SELECT SECUABBR, COUNT(*) AS n FROM secumain GROUP BY SECUABBR ORDER BY SECUABBR",
        "WITH s AS (SELECT INNERCODE, SECUABBR FROM secumain) SELECT SECUABBR FROM s WHERE INNERCODE = 3",
    ],
)
def test_a_name_that_is_printed_is_free(sql: str) -> None:
    assert [one for one in obligations(sql) if one.rule == "current_state"] == []

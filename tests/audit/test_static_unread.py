"""What the static layer cannot read it says it has not read; names without history are open where they are tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.audit.conftest import CATALOG
from typer.testing import CliRunner, Result

from finassay.audit import Certificate, Obligation, Subject, Verdict, audit, static_obligations
from finassay.cli import app
from finassay.execution import Submission
from finassay.temporal import Catalog, contract_at, load_catalog, parse_catalog, parse_contract

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


def test_columns_of_a_table_that_are_renamed_in_place_are_not_read() -> None:
    sql = "SELECT a, MAX(c) AS m FROM lc_mainshlistnew AS p(a, b, c) WHERE b <= DATE '2024-06-30' GROUP BY a"
    assert [(one.rule, one.status) for one in obligations(sql)] == [("unreadable", "open")]


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


# --- a dialect that nobody names


SMALL = parse_catalog(CATALOG)
DAY = parse_contract("contract: t\nas_of: {date: 2024-06-30}\n")


def statuses(sql: str, rule: str) -> list[str]:
    found = static_obligations(Submission("sql", sql_code=sql, source="x"), SMALL, DAY)
    return [one.status for one in found if one.rule == rule]


@pytest.mark.parametrize(
    "sql",
    [
        """SELECT FIRM, PROFIT FROM report WHERE "PUBLISHED" <= DATE '2024-06-30'""",
        """SELECT r."FIRM" FROM report r WHERE r."PUBLISHED" <= '2024-06-30'""",
        """SELECT FIRM FROM "report" WHERE PUBLISHED <= '2024-06-30'""",
        """SELECT FIRM FROM (SELECT FIRM, PUBLISHED AS "披露日" FROM report) x WHERE "披露日" <= '2024-06-30'""",
    ],
)
def test_names_in_double_quotes_are_no_strings_of_mysql(sql: str) -> None:
    assert statuses(sql, "availability") == ["discharged"]


def test_todays_flag_is_seen_in_double_quotes() -> None:
    assert statuses("""SELECT FIRM FROM industry WHERE "NOW" = 1""", "current_state") == ["violated"]


def test_strings_of_mysql_stay_strings() -> None:
    sql = """SELECT FIRM FROM report WHERE PUBLISHED <= "2024-06-30" AND FIRM <> "x" """
    assert statuses(sql, "availability") == ["discharged"]
    assert statuses("""SELECT `FIRM` FROM report WHERE PUBLISHED <= "2024-06-30" """, "availability") == [
        "discharged"
    ]


# --- texts of a program that nothing reads

FLAG = '"SELECT FIRM FROM industry WHERE NOW = 1"'


def flagged(source: str) -> list[str]:
    found = static_obligations(Submission("python", python_code=source, source="x"), SMALL, DAY)
    return [one.status for one in found if one.rule == "current_state"]


@pytest.mark.parametrize(
    "source",
    [
        f"WRONG = {FLAG}\nresult = 1",
        f"WRONG: str = {FLAG}",
        f"WRONG = [{FLAG}, {FLAG}]",
        f"class Wrong:\n    text = {FLAG}",
        f"def f():\n    wrong = {FLAG}\nf()",
    ],
)
def test_a_text_that_nothing_reads_is_no_statement(source: str) -> None:
    assert flagged(source) == []


@pytest.mark.parametrize(
    "source",
    [
        f"SQL = {FLAG}\nquery(SQL)",
        f"SQL = {{'a': {FLAG}}}\nquery(SQL['a'])",
        f"class Q:\n    text = {FLAG}\nquery(Q.text)",
        f"unused = query({FLAG})",
        f"SQL = {FLAG}\n__all__ = ['SQL']",
        f"SQL = {FLAG}\nquery(globals()['S' + 'QL'])",
    ],
)
def test_one_that_is_read_is_one(source: str) -> None:
    assert flagged(source) == ["violated"]


def test_constants_within_an_f_string_are_its_text() -> None:
    assert flagged('query(f"SELECT FIRM FROM industry WHERE NOW = {1}")') == ["violated"]
    assert flagged('query(f"SELECT FIRM FROM industry WHERE NOW = {1:>3}")') == []


@pytest.mark.parametrize(
    "test",
    [
        "df[df.NOW == 1]",
        "df[1 == df['NOW']]",
        "df.query('NOW == 1')",
        "df.query('FIRM > 3 and `NOW` in @codes')",
        "df.query('NOW.isin([1])')",
        "df[df['NOW'].eq(1)]",
        "df[df.NOW.isin([1])]",
        "df.filter(pl.col('NOW') == 1)",
        "df.filter(col('NOW').is_in([1]))",
    ],
)
def test_a_test_of_todays_state_in_python_is_open(test: str) -> None:
    assert flagged(f"x = {test}") == ["open"]


@pytest.mark.parametrize(
    "use", ["df.query('FIRM == 1')", "df[['NOW']]", "df.query('it is')", "df.drop('NOW').eq(1)"]
)
def test_what_does_not_test_it_is_free(use: str) -> None:
    assert flagged(f"x = {use}") == []


# --- files that cannot be read


def test_a_file_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "catalog.yaml").write_text(CATALOG)
    (tmp_path / "empty.sql").write_text("")
    (tmp_path / "bad.ipynb").write_text("{")
    (tmp_path / "good.sql").write_text("SELECT CLOSE FROM price WHERE DAY <= '2024-06-30'")
    (tmp_path / "late.sql").write_text("SELECT CLOSE FROM price WHERE DAY <= '2025-06-30'")
    options = ("--catalog", tmp_path / "catalog.yaml")
    names = [tmp_path / name for name in ("empty.sql", "bad.ipynb", "good.sql", "late.sql", "none.sql")]
    known = static(names[0], names[1], names[2], *options)
    assert known.exit_code == 2
    assert "empty.sql is empty" in known.stderr
    assert "bad.ipynb is not a Jupyter notebook" in known.stderr
    assert (
        "0 violated, 0 open, 1 discharged obligation(s) in 1 program(s); 2 file(s) cannot be read"
        in known.stdout
    )
    late = static(*names, *options)
    assert late.exit_code == 1
    assert "late.sql:1:31: violated A1" in late.stdout
    assert "There is no program at" in late.stderr
    assert static(tmp_path, *options).exit_code == 1  # a folder
    told = json.loads(static(*names, *options, "--format", "json").stdout)
    assert (told["exit_code"], told["violated"], told["files_not_read"]) == (1, 1, 3)
    assert [("error" in file, len(file["obligations"])) for file in told["files"]] == [
        (True, 0),
        (True, 0),
        (False, 1),
        (False, 1),
        (True, 0),
    ]
    assert "is empty" in told["files"][0]["error"]["message"]

"""`finassay run` as a person meets it: bad input gets one paragraph and an exit code; nothing is overwritten."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from finassay.cli import app
from finassay.core import ExitCode

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schemas" / "trace.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("market")
    (folder / "prices.csv").write_text("symbol,close\nAAA,10.5\nBBB,19.0\n")
    return folder


def finassay(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["run", *map(str, arguments)], catch_exceptions=False)


def program(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


class TestBadInput:
    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("missing.sql", None, "no program at"),
            ("empty.sql", "", "empty"),
            ("empty.py", "\n\n", "empty"),
            ("gbk.sql", "SELECT '贵州'".encode("gbk"), "not UTF-8"),
            ("notes.txt", "SELECT 1", ".txt"),
            ("bad.json", "{", "not JSON"),
            ("bad.ipynb", "[]", "not a Jupyter notebook"),
        ],
    )
    def test_a_program_that_cannot_be_one(
        self, tmp_path: Path, market: Path, name: str, content: str | bytes | None, says: str
    ) -> None:
        path = tmp_path / name if content is None else program(tmp_path, name, content)
        outcome = finassay(path, "--db", market)
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert says in outcome.stderr
        assert "Traceback" not in outcome.stderr

    @pytest.mark.parametrize(
        ("content", "place"),
        [
            ('{"mode":"sql",\n', 'j.json:1:15\n    {"mode":"sql",\n                  ^'),
            ('{\n"mode" "sql"}', 'j.json:2:8\n    "mode" "sql"}\n           ^'),
            ('{"mode": "sq\u2028l"\n,}', "j.json:2:2"),
        ],
    )
    def test_a_submission_that_is_not_json_shows_where(
        self, tmp_path: Path, market: Path, content: str, place: str
    ) -> None:
        outcome = finassay(program(tmp_path, "j.json", content), "--db", market)
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert place in outcome.stderr

    @pytest.mark.parametrize(
        ("url", "says"),
        [
            ("nowhere", "no file or folder"),
            ("oracle://x/y", "oracle"),
            ("mysql://root@127.0.0.1:1/jydb", "127.0.0.1:1"),
            ("postgresql://someone:hush-hush@127.0.0.1:1/db", "127.0.0.1:1"),
            ("duckdb://file.duckdb", "three"),
        ],
    )
    def test_a_database_that_is_not_there(self, tmp_path: Path, url: str, says: str) -> None:
        outcome = finassay(program(tmp_path, "q.sql", "SELECT 1"), "--db", url)
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert says in outcome.stderr
        assert "hush-hush" not in outcome.stderr

    def test_an_output_folder_that_holds_something(self, tmp_path: Path, market: Path) -> None:
        out = tmp_path / "out"
        out.mkdir()
        (out / "mine.txt").write_text("precious")
        outcome = finassay(program(tmp_path, "q.sql", "SELECT 1 AS a"), "--db", market, "--out", out)
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert "--force" in outcome.stderr
        assert [path.name for path in out.iterdir()] == ["mine.txt"]

    def test_an_output_folder_that_is_the_database(self, tmp_path: Path, market: Path) -> None:
        query = program(tmp_path, "q.sql", "SELECT 1 AS a")
        outcome = finassay(query, "--db", market, "--out", market, "--force")
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert [path.name for path in market.iterdir()] == ["prices.csv"]

    def test_an_output_that_is_a_file(self, tmp_path: Path, market: Path) -> None:
        query = program(tmp_path, "q.sql", "SELECT 1 AS a")
        outcome = finassay(query, "--db", market, "--out", query)
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert query.read_text() == "SELECT 1 AS a"

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--memory", "lots"],
            ["--memory", "0"],
            ["--memory", "9999999999T"],
            ["--dialect", "oracle"],
            ["--jail", "docker"],
            ["--mount", "nothing_here"],
            ["--timeout", "0"],
            ["--timeout", "inf"],
            ["--query-timeout", "nan"],
            ["--python", "no/such/venv"],
        ],
    )
    @pytest.mark.parametrize(
        ("name", "content"), [("s.py", "result = [{'a': 1}]"), ("q.sql", "SELECT 1 AS a")]
    )
    def test_an_option_that_makes_no_sense(
        self, tmp_path: Path, market: Path, arguments: list[str], name: str, content: str
    ) -> None:
        """Whatever the kind of the program, also where it has no use for the option."""
        path = program(tmp_path, name, content)
        assert finassay(path, "--db", market, *arguments).exit_code == ExitCode.BAD_INPUT

    def test_as_json_the_error_is_json_too(self, tmp_path: Path, market: Path) -> None:
        outcome = finassay(tmp_path / "missing.sql", "--db", market, "--format", "json")
        told = json.loads(outcome.stdout)
        assert told["error"]["reason"] == "missing_program"
        assert told["exit_code"] == 2


class TestTheCandidatesFault:
    """The run is done and the program failed: exit code 1, with the place in its source."""

    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("typo.sql", "SELECT symbol\nFORM prices", "^"),
            ("table.sql", "SELECT * FROM price", "prices"),
            ("several.sql", "SELECT 1; SELECT 2", "several_statements"),
            ("write.sql", "DROP TABLE prices", "refused"),
            ("typo.py", "x = = 1", "typo.py:1"),
            ("crash.py", "a = 1\nb = a / 0", "crash.py:2"),
            ("scalar.py", "result = 3", "not_a_table"),
            ("nothing.py", "x = 1", "no_result"),
        ],
    )
    def test_it_is_told_where(self, tmp_path: Path, market: Path, name: str, content: str, says: str) -> None:
        outcome = finassay(program(tmp_path, name, content), "--db", market)
        assert outcome.exit_code == ExitCode.FAILED
        assert says in outcome.stdout

    def test_too_many_rows(self, tmp_path: Path, market: Path) -> None:
        query = program(tmp_path, "q.sql", "SELECT * FROM range(10000000)")
        outcome = finassay(query, "--db", market, "--max-rows", 1000)
        assert outcome.exit_code == ExitCode.FAILED
        assert "too_many_rows" in outcome.stdout

    def test_a_data_file_in_another_encoding(self, tmp_path: Path) -> None:
        """It is the user's to convert, and says how; a statement that needs others runs."""
        data = tmp_path / "market"
        data.mkdir()
        (data / "names.csv").write_bytes("code,name\n600519,贵州茅台\n".encode("gbk"))
        (data / "prices.csv").write_text("code,close\n600519,1700\n")
        outcome = finassay(program(tmp_path, "q.sql", "SELECT * FROM names"), "--db", data)
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert (
            "names.csv is not UTF-8: byte 0xb9 at offset 17, in line 2. It looks like GB18030."
            in outcome.stderr
        )
        assert "iconv -f GB18030 -t UTF-8" in outcome.stderr
        good = finassay(program(tmp_path, "good.sql", "SELECT close FROM prices"), "--db", data)
        assert good.exit_code == ExitCode.OK


class TestGoodInput:
    def test_dates_beyond_those_of_python_are_shown_and_written(self, tmp_path: Path, market: Path) -> None:
        """A program may bring them from a DuckDB of its own, whatever the type."""
        code = (
            "import duckdb\nresult = duckdb.connect(':memory:').sql(\"SELECT TIMESTAMP 'infinity' AS a, "
            "TIMESTAMPTZ '-infinity' AS b, DATE 'infinity' AS c, TIMESTAMPTZ '20000-01-01 00:00:00+00' AS d, "
            "DATE '20000-01-01' AS e, 12345678.25::DOUBLE AS f, DATE '2024-01-02' AS g\").to_arrow_table()"
        )
        outcome = finassay(program(tmp_path, "s.py", code), "--db", market, "--out", tmp_path / "out")
        assert outcome.exit_code == ExitCode.OK
        assert "12345678.25" in outcome.stdout
        rows = (tmp_path / "out" / "result.csv").read_text().splitlines()
        moments = '"infinity","-infinity","infinity","20000-01-01 00:00:00.000000Z","20000-01-01"'
        assert rows == ['"a","b","c","d","e","f","g"', f"{moments},12345678.25,2024-01-02"]
        head = json.loads((tmp_path / "out" / "trace.json").read_text())["tables"][0]["head"]
        assert head[0][:3] == ["infinity", "-infinity", "infinity"]

    def test_an_infinite_date_of_the_database_is_null_with_a_warning(
        self, tmp_path: Path, market: Path
    ) -> None:
        query = program(tmp_path, "q.sql", "SELECT TIMESTAMP 'infinity' AS never")
        outcome = finassay(query, "--db", market, "--out", tmp_path / "out")
        assert outcome.exit_code == ExitCode.OK
        assert "1 values of never are no calendar dates (such as 'infinity')" in outcome.stdout
        assert (tmp_path / "out" / "result.csv").read_text().splitlines() == ['"never"', ""]

    def test_an_earlier_runs_files_are_removed_and_no_others(self, tmp_path: Path, market: Path) -> None:
        out = tmp_path / "out"
        first = program(tmp_path, "first.py", "old = [{'a': 1}]\nprint(old)")
        assert finassay(first, "--db", market, "--out", out, "--result-var", "old").exit_code == ExitCode.OK
        (out / "abstract.txt").write_text("my own notes")  # the run wrote none
        second = program(tmp_path, "second.sql", "SELECT 1 AS a")
        assert finassay(second, "--db", market, "--out", out, "--force").exit_code == ExitCode.OK
        assert sorted(path.name for path in out.iterdir()) == [
            "abstract.txt", "result.csv", "result.parquet", "trace.json",
        ]  # fmt: skip
        assert (out / "abstract.txt").read_text() == "my own notes"

    def test_a_folder_in_the_place_of_a_file_is_named(self, tmp_path: Path, market: Path) -> None:
        (tmp_path / "out" / "result.csv").mkdir(parents=True)
        query = program(tmp_path, "q.sql", "SELECT 1 AS a")
        outcome = finassay(query, "--db", market, "--out", tmp_path / "out", "--force")
        assert outcome.exit_code == ExitCode.BAD_INPUT
        assert "a folder named result.csv" in outcome.stderr
        assert "Move that folder away" in outcome.stderr

    def test_windows_line_ends_run(self, tmp_path: Path, market: Path) -> None:
        query = program(tmp_path, "q.sql", "SELECT max(close) AS high\r\nFROM prices\r\n-- the end\r\n")
        outcome = finassay(query, "--db", market)
        assert outcome.exit_code == ExitCode.OK
        assert "19" in outcome.stdout

    def test_the_json_is_the_documented_trace(self, tmp_path: Path, market: Path) -> None:
        study = program(tmp_path, "s.py", "print('seen')\nresult = [{'a': 1}]")
        outcome = finassay(study, "--db", market, "--format", "json")
        trace = json.loads(outcome.stdout)
        jsonschema.validate(trace, SCHEMA)
        assert (trace["outcome"], trace["stdout"]) == ("ok", "seen\n")
        assert trace["tables"][0]["head"] == [[1]]

    def test_halves_of_characters_are_shown_and_written_as_escapes(
        self, tmp_path: Path, market: Path
    ) -> None:
        """In an error, in a statement, and in a file's name that is not UTF-8."""
        code = (
            "import db_connector\n"
            "try:\n    db_connector.query_to_dataframe('SELECT \\ud800')\n"
            "except db_connector.DatabaseError as error:\n    print('half of a character' in str(error))\n"
            "raise ValueError('\\udfff')"
        )
        path = program(tmp_path, "s\udcff.py", code)
        outcome = finassay(path, "--db", market, "--out", tmp_path / "out")
        assert outcome.exit_code == ExitCode.FAILED
        assert "ValueError: \\udfff at s\\udcff.py:6" in outcome.stdout
        trace = json.loads((tmp_path / "out" / "trace.json").read_text(encoding="utf-8"))
        assert (trace["stdout"], trace["queries"][0]["sql"]) == ("True\n", "SELECT \\ud800")

    def test_a_terminal_that_lacks_the_characters_gets_escapes(self, tmp_path: Path, market: Path) -> None:
        query = program(tmp_path, "q.sql", "SELECT '贵' AS a")
        done = subprocess.run(
            [sys.executable, "-m", "finassay", "run", query, "--db", market],
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            check=False,
        )
        assert done.returncode == ExitCode.OK
        assert rb"\u8d35" in done.stdout

    def test_a_hostile_text_cannot_move_the_terminal(self, tmp_path: Path, market: Path) -> None:
        code = "print('\\x1b[2J\\x1b]0;owned\\x07 [bold]')\nresult = [{'\\x1b[31m': '\\x1b[2J'}]"
        study = program(tmp_path, "s.py", code)
        outcome = finassay(study, "--db", market)
        assert outcome.exit_code == ExitCode.OK
        assert "\x1b" not in outcome.stdout
        assert "[bold]" in outcome.stdout

    def test_the_end_of_what_it_printed_is_shown_in_whole_lines(self, tmp_path: Path, market: Path) -> None:
        # 1,000 lines of 9 characters and their ends: 2,000 characters are the last 200 lines, 0800 the first of them.
        code = "for k in range(1000):\n    print(f'line {k:04}')\nresult = [{'a': 1}]"
        lines = finassay(program(tmp_path, "s.py", code), "--db", market).stdout.splitlines()
        start = lines.index("--- printed ---")
        assert (
            lines[start + 1]
            == "… 8,000 characters before this are not shown; --out keeps them, in trace.json"
        )
        assert lines[start + 2 : start + 4] == ["line 0800", "line 0801"]

    def test_the_advice_that_duckdb_adds_to_an_error_is_left_out(self, tmp_path: Path, market: Path) -> None:
        code = (
            "import duckdb\nshort = duckdb.connect(config={'memory_limit': '16MB'})\n"
            "short.sql('SELECT list(i) FROM range(100000000) t(i)').fetchall()"
        )
        done = finassay(program(tmp_path, "s.py", code), "--db", market, "--format", "json")
        assert "\n\n" in json.loads(done.stdout)["error"]["message"]
        shown = finassay(program(tmp_path, "s.py", code), "--db", market).stdout
        assert "memory: memory_limit\n  OutOfMemoryException: Out of Memory Error: " in shown
        assert "\n\n" not in shown
        assert " … at s.py:3\n" in shown

    def test_an_output_folder_is_not_made_before_there_are_results(
        self, tmp_path: Path, market: Path
    ) -> None:
        out = tmp_path / "new" / "out"
        arguments = [
            "run",
            program(tmp_path, "q.sql", "SELECT 1"),
            "--db",
            tmp_path / "nowhere",
            "--out",
            out,
        ]
        assert finassay(*arguments[1:]).exit_code == ExitCode.BAD_INPUT
        assert not out.parent.exists()
        assert finassay(arguments[1], "--db", market, "--out", out).exit_code == 0
        assert (out / "trace.json").is_file()

    def test_force_overwrites_what_was_asked(self, tmp_path: Path, market: Path) -> None:
        query = program(tmp_path, "q.sql", "SELECT 1 AS a")
        for _ in range(2):
            outcome = finassay(query, "--db", market, "--out", tmp_path / "out", "--force")
            assert outcome.exit_code == ExitCode.OK
        assert (tmp_path / "out" / "result.csv").read_text().split() == ['"a"', "1"]

    def test_without_a_jail_it_says_so(self, tmp_path: Path, market: Path) -> None:
        study = program(tmp_path, "s.py", "result = [{'a': 1}]")
        outcome = finassay(study, "--db", market, "--jail", "none")
        assert outcome.exit_code == ExitCode.OK
        assert "NOT isolated" in outcome.stdout

    def test_several_run_at_once_without_a_jail(self, tmp_path: Path, market: Path) -> None:
        study = program(tmp_path, "s.py", "result = [{'a': 1}]")
        command = [sys.executable, "-m", "finassay", "run", str(study), "--db", str(market), "--jail", "none"]
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(4)]
        said = [run.communicate()[0].decode() for run in runs]
        assert [run.returncode for run in runs] == [0] * 4, said

    def test_without_a_jail_the_relay_asks_for_the_password_of_the_run(
        self, tmp_path: Path, market: Path
    ) -> None:
        """The program finds it in its environment; whoever does not know it is refused on every port."""
        code = """
import os, psycopg, pymysql, db_connector, sqlalchemy
mysql = {"host": "127.0.0.1", "port": int(os.environ["MYSQL_PORT"]), "user": "research", "database": "main"}
seen = len(db_connector.query_to_dataframe("SELECT * FROM prices"))
for password in (os.environ["MYSQL_PASSWORD"], "research", ""):
    try:
        with pymysql.connect(**mysql, password=password) as client, client.cursor() as cursor:
            seen = 10 * seen + cursor.execute("SELECT * FROM prices")
    except pymysql.err.OperationalError as error:
        assert error.args[0] == 1045, error
        seen = 10 * seen
for password in (os.environ["PGPASSWORD"], "research"):
    try:
        with psycopg.connect(host="127.0.0.1", password=password) as client:
            seen = 10 * seen + len(client.execute("SELECT * FROM prices").fetchall())
    except psycopg.OperationalError:
        seen = 10 * seen
with sqlalchemy.create_engine(os.environ["DATABASE_URL"]).connect() as client:
    seen = 10 * seen + len(client.exec_driver_sql("SELECT * FROM prices").fetchall())
result = [{"seen": seen, "length": len(os.environ["PGPASSWORD"])}]
print("the password is", os.environ["PGPASSWORD"] == os.environ["DB_PASSWORD"] == os.environ["MYSQL_PASSWORD"])
"""
        study = program(tmp_path, "s.py", code)
        outcome = finassay(study, "--db", market, "--jail", "none", "--out", tmp_path / "out")
        assert outcome.exit_code == ExitCode.OK, outcome.stdout
        rows = len((market / "prices.csv").read_text().split()) - 1
        expected = f"{rows}{rows}00{rows}0{rows}"  # connector; pymysql three times; psycopg twice; SQLAlchemy
        # 24 random bytes in base64 are 32 characters
        assert (tmp_path / "out" / "result.csv").read_text().split() == ['"seen","length"', f"{expected},32"]
        assert "the password is True" in outcome.stdout


def test_the_installed_command_answers() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "finassay", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("finassay 0.")


def test_our_own_failure_is_exit_code_4_with_a_report(tmp_path: Path) -> None:
    code = "import finassay.cli as c\nc.app = lambda: 1 / 0\nc.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == ExitCode.INTERNAL
    report = Path(done.stderr.rsplit("Please send ", 1)[1].strip().rstrip("."))
    assert "ZeroDivisionError" in report.read_text()
    report.unlink()

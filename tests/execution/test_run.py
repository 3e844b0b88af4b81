"""A run end to end: a real program in the real jail on a real database, and the trace that it leaves."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from finassay.core import InputError, hash_file
from finassay.database import QueryPolicy
from finassay.execution import (
    Limits,
    Outcome,
    Run,
    Submission,
    Trace,
    find_jail,
    load_submission,
    parse_mounts,
    run,
    write_run,
)

pytestmark = pytest.mark.jail
ENDLESS = "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range * b.range % 7 = 3"
# A statement without an end in every dialect, and the ways to send one; DuckDB itself says no to a write.
FOREVER = (
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 1000000000)\n"
    "SELECT count(*) AS n FROM r"
)
_PYMYSQL = (
    "import pymysql\nc = pymysql.connect(host='127.0.0.1', user='me').cursor()\n"
    "def ask(sql): return c.execute(sql)"
)
_ENGINE = (
    "import pandas, sqlalchemy\ne = sqlalchemy.create_engine('{}://me@127.0.0.1/market')\n"
    "def ask(sql): return pandas.read_sql(sqlalchemy.text(sql), e)"
)
ROUTES = {
    "connector": "from db_connector import query_to_dataframe as ask",
    "pymysql": _PYMYSQL,
    "SQLAlchemy, MySQL": _ENGINE.format("mysql+pymysql"),
    "psycopg": "import psycopg\nask = psycopg.connect('host=127.0.0.1 user=me').execute",
    "SQLAlchemy, PostgreSQL": _ENGINE.format("postgresql+psycopg"),
}
# For each of the letters RE2 reads all that follow, within one call of a function: minutes, which nothing interrupts.
UNSTOPPED = "SELECT length(regexp_replace(repeat('a', 200000), 'a*b|a', 'x', 'g'))"


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DuckDB file with one table: three days of two symbols, one price missing."""
    path = tmp_path_factory.mktemp("market") / "market.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE prices (symbol VARCHAR, day DATE, close DECIMAL(10, 2))")
        connection.execute(
            "INSERT INTO prices VALUES"
            " ('AAA', '2024-01-02', 10.00), ('AAA', '2024-01-03', 10.50), ('AAA', '2024-01-04', NULL),"
            " ('BBB', '2024-01-02', 20.00), ('BBB', '2024-01-03', 19.00), ('BBB', '2024-01-04', 21.00)"
        )
    return path


def run_python(
    code: str, market: Path, *, cells: tuple[str, ...] = (), names: tuple[str, ...] = (), **options: object
) -> Run:
    source = "study.ipynb" if cells else "study.py"
    submission = Submission("python", python_code=code, result_vars=names, source=source, cells=cells)
    return run(submission, str(market), **options)


def rows(done: Run, name: str = "result") -> list[dict[str, object]]:
    return next(result.table for result in done.tables if result.name == name).to_pylist()


class TestSql:
    def test_a_result_keeps_its_types_and_the_trace_says_what_ran(self, market: Path) -> None:
        sql = (
            "SELECT symbol, max(close) AS high, count(close) AS n FROM prices GROUP BY symbol ORDER BY symbol"
        )
        done = run(Submission("sql", sql_code=sql, source="q.sql"), str(market))
        assert rows(done) == [
            {"symbol": "AAA", "high": pytest.approx(10.5), "n": 2},
            {"symbol": "BBB", "high": pytest.approx(21), "n": 3},
        ]
        assert str(done.tables[0].table.schema.field("high").type) == "decimal128(10, 2)"
        [query] = done.trace.queries
        assert (query.sql, query.rows, query.status, query.route) == (sql, 2, "ok", "connector")
        assert done.trace.database.sha256 == hash_file(market)

    def test_a_syntax_error_has_its_line_and_column(self, market: Path) -> None:
        done = run(Submission("sql", sql_code="SELECT symbol\nFROM prices\nWHERE close >> > 3"), str(market))
        error = done.trace.error
        assert done.trace.outcome is Outcome.ERROR
        assert error is not None
        assert error.line == 3
        assert error.column is not None

    @pytest.mark.parametrize("call", ["no_such_function(close)", "round(close, 'x', 3)"])
    def test_a_function_that_is_not_there_has_its_line_and_column(self, market: Path, call: str) -> None:
        error = run(Submission("sql", sql_code=f"SELECT 1,\n  {call} FROM prices"), str(market)).trace.error
        assert error is not None
        assert (error.line, error.column, error.text) == (2, 3, f"  {call} FROM prices")

    def test_a_write_is_refused(self, market: Path) -> None:
        done = run(Submission("sql", sql_code="DELETE FROM prices"), str(market))
        assert done.trace.outcome is Outcome.POLICY
        assert done.trace.queries[0].status == "refused"

    def test_ten_million_rows_are_refused(self, market: Path) -> None:
        sql = "SELECT a.range, b.range FROM range(10000) a, range(1000) b"
        done = run(Submission("sql", sql_code=sql), str(market), policy=QueryPolicy(max_rows=1_000_000))
        assert done.trace.outcome is Outcome.POLICY
        assert done.trace.error is not None
        assert done.trace.error.reason == "too_many_rows"

    def test_a_statement_that_takes_too_long_is_stopped(self, market: Path) -> None:
        done = run(Submission("sql", sql_code=ENDLESS), str(market), policy=QueryPolicy(timeout_s=1.0))
        assert done.trace.outcome is Outcome.TIMEOUT

    def test_the_time_of_the_program_ends_its_statement(self, market: Path) -> None:
        submission = Submission("sql", sql_code=ENDLESS)
        done = run(submission, str(market), limits=Limits(wall_s=1.0), policy=QueryPolicy(timeout_s=30))
        assert done.trace.error is not None
        assert (done.trace.outcome, done.trace.error.reason) == (Outcome.TIMEOUT, "time_limit")
        assert "--timeout" in done.trace.error.message
        [query] = done.trace.queries
        assert query.status == "timeout"
        assert 1000 <= query.ms < 20_000
        assert done.trace.policy["timeout_s"] == 30

    @pytest.mark.parametrize(
        ("wall_s", "timeout_s", "reason"), [(60.0, 1.0, "query_timeout"), (1.0, 60.0, "time_limit")]
    )
    def test_a_statement_that_nothing_stops_ends_with_the_databases_process(
        self, market: Path, wall_s: float, timeout_s: float, reason: str
    ) -> None:
        submission = Submission("sql", sql_code=UNSTOPPED)
        policy, limits = QueryPolicy(timeout_s=timeout_s), Limits(wall_s=wall_s)
        trace = run(submission, str(market), limits=limits, policy=policy).trace
        assert trace.error is not None
        assert (trace.outcome, trace.error.reason) == (Outcome.TIMEOUT, reason)
        [query] = trace.queries
        assert query.status == "timeout"
        assert "the database's process was ended" in (query.error or "")
        assert 1000 <= query.ms < 20_000  # by itself it takes minutes

    def test_a_statement_that_takes_all_memory_ends_the_databases_process_and_not_ours(
        self, market: Path
    ) -> None:
        sql = "SELECT list(range) FROM range(2000000000)"
        done = run(Submission("sql", sql_code=sql), str(market), limits=Limits(memory=256 << 20))
        assert done.trace.outcome in {Outcome.MEMORY, Outcome.ERROR}
        assert done.trace.error is not None
        assert "memory" in done.trace.error.message.lower()


class TestPython:
    def test_the_variable_result_is_the_default(self, market: Path) -> None:
        code = (
            "from db_connector import query_to_dataframe as q\nresult = q('SELECT count(*) AS n FROM prices')"
        )
        done = run_python(code, market)
        assert rows(done) == [{"n": 6}]
        assert done.trace.outcome is Outcome.OK
        assert done.trace.jail.isolated

    def test_named_variables_in_their_order(self, market: Path) -> None:
        code = "import pandas as pd\nb = pd.DataFrame({'x': [1]})\na = b * 2"
        done = run_python(code, market, names=("a", "b"))
        assert [(result.name, result.table.to_pylist()) for result in done.tables] == [
            ("a", [{"x": 2}]),
            ("b", [{"x": 1}]),
        ]

    def test_sql_reaches_the_python_of_a_mixed_submission(self, market: Path) -> None:
        code = "from db_connector import query_to_dataframe\nresult = query_to_dataframe(sql_code)"
        submission = Submission("sql+python", sql_code="SELECT 7 AS seven", python_code=code)
        assert rows(run(submission, str(market))) == [{"seven": 7}]

    @pytest.mark.parametrize(
        "expression",
        [
            "__import__('pandas').DataFrame({'a': [1, 2], 'b': ['x', None]})",
            "__import__('polars').DataFrame({'a': [1, 2], 'b': ['x', None]})",
            "__import__('polars').LazyFrame({'a': [1, 2], 'b': ['x', None]})",
            "__import__('pyarrow').table({'a': [1, 2], 'b': ['x', None]})",
            "__import__('duckdb').sql(\"SELECT * FROM (VALUES (1, 'x'), (2, NULL)) t(a, b)\")",
            "[{'a': 1, 'b': 'x'}, {'a': 2}]",
            "{'a': [1, 2], 'b': ['x', None]}",
        ],
    )
    def test_any_form_of_table_is_collected(self, market: Path, expression: str) -> None:
        assert rows(run_python(f"result = {expression}", market)) == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]

    def test_a_named_index_is_a_column_and_row_numbers_are_not(self, market: Path) -> None:
        code = (
            "import pandas as pd\n"
            "df = pd.DataFrame({'g': ['x', 'x', 'y'], 'v': [1, 2, 4]})\n"
            "by_group = df.groupby('g').sum()\nfiltered = df[df.v > 1]\n"
        )
        done = run_python(code, market, names=("by_group", "filtered"))
        assert rows(done, "by_group") == [{"g": "x", "v": 3}, {"g": "y", "v": 4}]
        assert rows(done, "filtered") == [{"g": "x", "v": 2}, {"g": "y", "v": 4}]

    def test_an_empty_answer_keeps_its_columns(self, market: Path) -> None:
        sql = "SELECT symbol, day FROM prices WHERE symbol = 'Z'"
        code = f"from db_connector import query_to_dataframe as q\nresult = q({sql!r})"
        table = run_python(code, market).tables[0].table
        assert (table.column_names, table.num_rows) == (["symbol", "day"], 0)

    def test_a_mixed_column_is_kept_as_text_and_said_so(self, market: Path) -> None:
        done = run_python("import pandas as pd\nresult = pd.DataFrame({'v': [1, 'two', None]})", market)
        assert rows(done) == [{"v": "1"}, {"v": "two"}, {"v": None}]
        assert "mixes int, str" in done.trace.tables[0].notes[0]

    def test_columns_of_objects_keep_nanoseconds_and_do_not_change_kind(self, market: Path) -> None:
        code = (
            "import datetime as dt, pandas as pd\n"
            "moment = pd.Timestamp('2024-03-05 14:30:00.123456789')\n"
            "columns = {'moment': [moment, None], 'days': [dt.date(2024, 3, 5), dt.datetime(2024, 3, 5, 9)],\n"
            "           'truth': [1.5, True], 'day': [dt.date(2024, 3, 5), pd.NaT]}\n"
            "result = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns.items()})\n"
        )
        done = run_python(code, market)
        table = done.tables[0].table
        assert [str(kind) for kind in table.schema.types] == [
            "timestamp[ns]",
            "string",
            "string",
            "date32[day]",
        ]
        assert table.column("moment").cast("int64")[0].as_py() % 1_000_000_000 == 123_456_789
        assert table.column("days").to_pylist() == ["2024-03-05", "2024-03-05 09:00:00"]
        assert done.trace.tables[0].notes == [
            "column 'days' mixes date, datetime: kept as text",
            "column 'truth' mixes bool, float: kept as text",
        ]

    def test_files_figures_and_the_abstract_are_collected(self, market: Path) -> None:
        code = (
            "import matplotlib.pyplot as plt\n"
            "plt.plot([1, 2, 3], [4.0, 5.0, 6.5], label='close')\nplt.title('One line')\nplt.legend()\n"
            "plt.savefig('picture.png')\nplt.close()\n"
            "plt.bar(['a', 'b'], [1, 2])\n"  # left open
            "open('result.csv', 'w', encoding='utf-8').write('代码,v\\n000001,1\\n')\n"
            "open('abstract.txt', 'w', encoding='utf-8').write('结论：上涨。')\n"
        )
        done = run_python(code, market)
        assert rows(done, "result.csv") == [{"代码": "000001", "v": "1"}]
        assert done.abstract == "结论：上涨。"
        assert [figure.name for figure in done.figures] == ["picture", "figure_1", "figure_2"]
        line = done.figures[1].data["axes"][0]
        assert (line["title"], line["legend"]) == ("One line", ["close"])
        assert line["lines"][0] == {"label": "close", "x": [1, 2, 3], "y": [4.0, 5.0, 6.5]}
        assert done.figures[2].data["axes"][0]["bars"][0]["height"] == [1, 2]

    def test_a_notebook_runs_its_cells_in_order_and_an_error_names_its_cell(self, market: Path) -> None:
        cells = ("x = 1", "y = x + 1", "def f():\n    return z\n\nf()")
        done = run_python("", market, cells=cells)
        error = done.trace.error
        assert error is not None
        assert (error.type, error.cell, error.line) == ("NameError", 3, 2)

    def test_an_error_names_the_candidates_own_line_even_inside_a_library(self, market: Path) -> None:
        done = run_python("import pandas as pd\n\ndf = pd.DataFrame({'a': [1]})\ndf['b']\n", market)
        error = done.trace.error
        assert error is not None
        assert (error.type, error.source, error.line, error.text) == ("KeyError", "study.py", 4, "df['b']")
        assert "submission_runner" not in (error.traceback or "")

    def test_a_syntax_error_is_the_programs_and_has_its_place(self, market: Path) -> None:
        error = run_python("x = 1\ny = = 2\n", market).trace.error
        assert error is not None
        assert (error.type, error.line, error.column) == ("SyntaxError", 2, 5)

    @pytest.mark.parametrize(
        ("code", "outcome", "reason"),
        [
            ("while True: pass", Outcome.TIMEOUT, "time_limit"),
            ("import time; time.sleep(60)", Outcome.TIMEOUT, "time_limit"),
            ("x = bytearray(8 << 30)", Outcome.MEMORY, "memory_limit"),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", Outcome.KILLED, "killed"),
            ("import sys; sys.exit(3)", Outcome.ERROR, "exception"),
            ("1 / 0", Outcome.ERROR, "exception"),
            ("x = 1", Outcome.ERROR, "no_result"),
            ("result = 3.14", Outcome.ERROR, "not_a_table"),
            (
                "from db_connector import query_to_dataframe as q\nq('DROP TABLE prices')",
                Outcome.POLICY,
                "query_refused",
            ),
        ],
    )
    def test_each_end_has_its_outcome(self, market: Path, code: str, outcome: Outcome, reason: str) -> None:
        done = run_python(code, market, limits=Limits(wall_s=3, cpu_s=3, memory=1 << 30))
        assert done.trace.outcome is outcome
        assert done.trace.error is not None
        assert done.trace.error.reason == reason

    @pytest.mark.parametrize(
        ("sql", "timeout_s", "outcome", "reason"),
        [
            ("SELECT list(i) FROM range(1000000000) t(i)", 60.0, Outcome.MEMORY, "out_of_memory"),
            (ENDLESS, 1.0, Outcome.TIMEOUT, "query_timeout"),
        ],
    )
    def test_a_statement_ends_its_program_as_it_would_end_alone(
        self, market: Path, sql: str, timeout_s: float, outcome: Outcome, reason: str
    ) -> None:
        code = f"from db_connector import query_to_dataframe as q\nresult = q({sql!r})"
        program = Submission("python", python_code=code, source="study.py")
        policy, limits = QueryPolicy(timeout_s=timeout_s), Limits(memory=256 << 20)
        trace = run(program, str(market), policy=policy, limits=limits).trace
        assert trace.error is not None
        assert (trace.outcome, trace.error.reason, trace.error.line) == (outcome, reason, 2)

    @pytest.mark.parametrize(
        ("route", "code"),
        [
            ("connector", "from db_connector import query_to_dataframe as q\nresult = q(sql_code)"),
            ("duckdb", "import duckdb\nresult = duckdb.connect('market.duckdb').execute(sql_code).df()"),
        ],
    )
    def test_a_statement_that_the_time_of_its_program_cuts_is_a_timeout_too(
        self, market: Path, route: str, code: str
    ) -> None:
        program = Submission("sql+python", ENDLESS, code, source="study.py")
        trace = run(program, str(market), limits=Limits(wall_s=2.0)).trace
        assert trace.error is not None
        assert (trace.outcome, trace.error.reason) == (Outcome.TIMEOUT, "time_limit")
        [query] = trace.queries
        assert (query.route, query.sql, query.status) == (route, ENDLESS, "timeout")

    def test_a_missing_variable_names_those_that_are_there(self, market: Path) -> None:
        error = run_python("answer = [{'a': 1}]", market, names=("final",)).trace.error
        assert error is not None
        assert error.reason == "missing_result"
        assert "answer" in error.message

    def test_a_refusal_that_the_program_survives_is_a_warning(self, market: Path) -> None:
        code = (
            "from db_connector import query_to_dataframe as q\n"
            "try:\n    q('DROP TABLE prices')\nexcept Exception:\n    pass\nresult = q('SELECT 1 AS one')"
        )
        done = run_python(code, market)
        assert done.trace.outcome is Outcome.OK
        assert "1 statement(s) were refused" in done.trace.warnings[0]

    @pytest.mark.parametrize(
        ("after", "outcome", "reason"),
        [
            ("{}['missing']", Outcome.ERROR, "exception"),
            ("open('/nofile')", Outcome.ERROR, "exception"),
            ("raise RuntimeError(f'gave up: {refused}')", Outcome.POLICY, "query_refused"),
        ],
    )
    def test_what_fails_after_a_refusal_was_survived_is_judged_by_itself(
        self, market: Path, after: str, outcome: Outcome, reason: str
    ) -> None:
        code = (
            "from db_connector import query_to_dataframe as q\nrefused = None\n"
            f"try:\n    q('DROP TABLE prices')\nexcept Exception as error:\n    refused = error\n{after}"
        )
        trace = run_python(code, market).trace
        assert trace.error is not None
        assert (trace.outcome, trace.error.reason) == (outcome, reason)

    @pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "wrapped"])
    @pytest.mark.parametrize("opened", ROUTES.values(), ids=ROUTES)
    @pytest.mark.parametrize(
        ("sql", "outcome", "reason"),
        [
            ("DELETE FROM prices", Outcome.POLICY, "query_refused"),
            (FOREVER, Outcome.TIMEOUT, "query_timeout"),
        ],
        ids=["refused", "timeout"],
    )
    def test_a_statement_ends_its_program_by_whatever_route_and_however_wrapped(
        self, market: Path, sql: str, outcome: Outcome, reason: str, opened: str, wrapped: bool
    ) -> None:
        code = f"{opened}\nsql = {sql!r}\n"
        if wrapped:
            code += "try:\n    ask(sql)\nexcept Exception as error:\n    raise KeyError('loading') from error"
        else:
            code += "result = ask(sql)"
        program = Submission("python", python_code=code, source="study.py")
        trace = run(program, str(market), policy=QueryPolicy(timeout_s=1.0)).trace
        assert trace.error is not None
        assert (trace.outcome, trace.error.reason) == (outcome, reason), trace.error.message

    def test_duckdb_draws_no_progress_bar_into_it(self, market: Path) -> None:
        code = "import duckdb\nresult = duckdb.sql(\"SELECT current_setting('enable_progress_bar') AS bar\").df()"
        assert rows(run_python(code, market)) == [{"bar": False}]

    def test_what_it_prints_is_capped(self, market: Path) -> None:
        done = run_python(
            "print('x' * 10_000_000)\nresult = [{'a': 1}]", market, limits=Limits(output_chars=1000)
        )
        assert len(done.trace.stdout) == 1000
        assert done.trace.output_truncated

    def test_forging_our_own_files_gains_nothing(self, market: Path) -> None:
        """The candidate shares the guest's process: it may claim success, and still has no table."""
        code = (
            "import json, os\nos.makedirs('.finassay', exist_ok=True)\n"
            "entry = {'name': 'result', 'status': 'ok', 'file': '../../job/job.json'}\n"
            "json.dump([entry], open('.finassay/results.json', 'w'))\n"
            "os._exit(0)"
        )
        done = run_python(code, market)
        assert done.trace.outcome is Outcome.ERROR
        assert not done.tables

    def test_a_link_to_a_file_of_the_host_is_not_followed(self, market: Path) -> None:
        done = run_python("import os\nos.symlink('/etc/passwd', 'abstract.txt')\nresult = [{'a': 1}]", market)
        assert done.abstract is None


ROUTES = {
    "duckdb": """
import duckdb
result = duckdb.connect('market.duckdb').execute(SQL).df()
""",
    "mysql": """
import pymysql
connection = pymysql.connect(host='127.0.0.1', user='root', password='x', database='main')
cursor = connection.cursor(pymysql.cursors.DictCursor)
cursor.execute(SQL)
result = cursor.fetchall()
""",
    "mysql, SQLAlchemy": """
import os, pandas, sqlalchemy
engine = sqlalchemy.create_engine(os.environ['DATABASE_URL'])
result = pandas.read_sql(sqlalchemy.text(SQL), engine.connect())
""",
    "postgres": """
import psycopg
from psycopg.rows import dict_row
with psycopg.connect(host='127.0.0.1', user='me', dbname='main', row_factory=dict_row) as connection:
    result = connection.execute(SQL).fetchall()
""",
}


class TestHowItConnects:
    """Unmodified programs; each route is specified further in tests/execution/broker."""

    @pytest.mark.parametrize("how", ROUTES)
    def test_each_route_gives_the_same_answer_and_is_logged(self, market: Path, how: str) -> None:
        sql = "SELECT symbol, count(*) AS n FROM prices GROUP BY symbol ORDER BY symbol"
        done = run_python(f"SQL = {sql!r}\n{ROUTES[how]}", market)
        assert done.trace.outcome is Outcome.OK, done.trace.error
        assert rows(done) == [{"symbol": "AAA", "n": 3}, {"symbol": "BBB", "n": 3}]
        route = how.partition(",")[0]
        assert (route, sql, 2) in [(query.route, query.sql, query.rows) for query in done.trace.queries]

    def test_without_a_jail_a_server_on_the_usual_port_is_not_in_the_way(self, market: Path) -> None:
        code = f"SQL = 'SELECT count(*) AS n FROM prices'\n{ROUTES['mysql, SQLAlchemy']}"
        with socket.socket() as taken:
            with contextlib.suppress(OSError):  # else somebody has it already, which is as good
                taken.bind(("127.0.0.1", 3306))
                taken.listen()
            assert rows(run_python(code, market, jail=find_jail("none"))) == [{"n": 6}]

    def test_an_overlay_is_served_on_the_broker_and_in_the_file(self, market: Path) -> None:
        code = (
            "import duckdb\nfrom db_connector import query_to_dataframe as q\n"
            "SQL = 'SELECT max(close) AS high FROM prices'\n"
            "file = duckdb.connect('market.duckdb').execute(SQL).fetchone()[0]\n"
            "result = [{'broker': q(SQL)['high'][0], 'file': file}]"
        )
        overlays = {"prices": "SELECT * REPLACE (CAST(1.25 AS DECIMAL(10, 2)) AS close) FROM prices"}
        [row] = rows(run_python(code, market, overlays=overlays))
        assert {name: float(value) for name, value in row.items()} == {"broker": 1.25, "file": 1.25}


class TestTheUsersOwnFiles:
    def test_a_package_and_a_file_beside_the_program(self, market: Path, tmp_path: Path) -> None:
        (tmp_path / "firm_lib").mkdir()
        (tmp_path / "firm_lib" / "__init__.py").write_text("def double(x):\n    return 2 * x\n")
        (tmp_path / "extra.csv").write_text("code,v\n1,21\n")
        code = "import pandas as pd\nfrom firm_lib import double\nresult = double(pd.read_csv('extra.csv'))"
        mounts = parse_mounts([str(tmp_path / "firm_lib"), str(tmp_path / "extra.csv")])
        assert rows(run_python(code, market, mounts=mounts)) == [{"code": 2, "v": 42}]

    def test_a_package_may_open_the_database_that_the_program_does_not_name(
        self, market: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "firm_lib").mkdir()
        code = "import duckdb\ndef prices():\n    return duckdb.connect('market.duckdb').execute('FROM prices').df()"
        (tmp_path / "firm_lib" / "__init__.py").write_text(code)
        mounts = parse_mounts([str(tmp_path / "firm_lib")])
        done = run_python("import firm_lib\nresult = firm_lib.prices()", market, mounts=mounts)
        assert done.trace.outcome is Outcome.OK
        assert done.tables[0].table.num_rows == 6

    def test_a_package_of_the_users_own_python_may_open_it_too(self, market: Path) -> None:
        """What a package of a virtual environment does, of which neither the program nor a mount says a word."""
        code = (
            "import importlib\nconnection = importlib.import_module('duck' + 'db').connect('market.duck' + 'db')\n"
            "result = connection.execute('SELECT count(*) AS n FROM prices').df()"
        )
        assert rows(run_python(code, market, python=Path(sys.executable))) == [{"n": 6}]

    def test_they_cannot_be_changed(self, market: Path, tmp_path: Path) -> None:
        (tmp_path / "extra.csv").write_text("a\n1\n")
        done = run_python(
            "open('extra.csv', 'w')", market, mounts=parse_mounts([str(tmp_path / "extra.csv")])
        )
        assert done.trace.outcome is Outcome.ERROR
        assert (tmp_path / "extra.csv").read_text() == "a\n1\n"

    @pytest.mark.parametrize(
        "text", ["nothing_here", "/etc/hosts:/usr/lib/x", "/etc/hosts:/run/finassay/x", "/etc/hosts:/"]
    )
    def test_a_bad_mount_is_refused(self, text: str) -> None:
        with pytest.raises(InputError) as caught:
            parse_mounts([text])
        assert caught.value.reason == "bad_mount"


class TestTheTrace:
    def test_the_same_program_has_the_same_hashes(self, market: Path) -> None:
        first, second = (
            run(Submission("sql", sql_code="SELECT * FROM prices ORDER BY 1, 2"), str(market)).trace
            for _ in "ab"
        )
        assert first.program.sha256 == second.program.sha256
        assert first.tables[0].sha256 == second.tables[0].sha256

    def test_it_reads_back_from_its_file(self, market: Path, tmp_path: Path) -> None:
        done = run(Submission("sql", sql_code="SELECT symbol, close FROM prices"), str(market))
        write_run(done, tmp_path / "out")
        assert Trace.model_validate_json((tmp_path / "out" / "trace.json").read_text()) == done.trace
        written = pa.parquet.read_table(tmp_path / "out" / "result.parquet")
        assert written.equals(done.tables[0].table)
        assert (tmp_path / "out" / "result.csv").read_text().splitlines()[0] == '"symbol","close"'

    def test_nothing_is_overwritten_unless_asked(self, market: Path, tmp_path: Path) -> None:
        (tmp_path / "trace.json").write_text("mine")
        done = run(Submission("sql", sql_code="SELECT 1 AS one"), str(market))
        with pytest.raises(InputError, match="not empty"):
            write_run(done, tmp_path)
        assert (tmp_path / "trace.json").read_text() == "mine"
        write_run(done, tmp_path, force=True)
        assert json.loads((tmp_path / "trace.json").read_text())["outcome"] == "ok"

    def test_overwriting_leaves_nothing_of_the_run_before(self, market: Path, tmp_path: Path) -> None:
        write_run(run(Submission("sql", sql_code="SELECT 1 AS one"), str(market)), tmp_path / "out")
        failed = run(Submission("sql", sql_code="SELECT nothing"), str(market))
        write_run(failed, tmp_path / "out", force=True)
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["trace.json"]

    def test_a_link_in_the_output_folder_is_replaced_and_not_followed(
        self, market: Path, tmp_path: Path
    ) -> None:
        mine = tmp_path / "mine.txt"
        mine.write_text("precious")
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "result.csv").symlink_to(mine)
        write_run(
            run(Submission("sql", sql_code="SELECT 1 AS one"), str(market)), tmp_path / "out", force=True
        )
        assert mine.read_text() == "precious"
        assert (tmp_path / "out" / "result.csv").read_text().split() == ['"one"', "1"]

    def test_a_failed_program_is_not_said_to_have_ended_well(self, market: Path) -> None:
        assert run_python("1 / 0", market).trace.warnings == []

    def test_a_password_is_nowhere(self) -> None:
        with pytest.raises(InputError) as caught:
            run(Submission("sql", sql_code="SELECT 1"), "mysql://someone:hush-hush@127.0.0.1:1/db")
        assert "hush-hush" not in str(caught.value)


def test_a_submission_file_runs_as_published(market: Path, tmp_path: Path) -> None:
    path = tmp_path / "submission.json"
    code = "from db_connector import query_to_dataframe\nout = query_to_dataframe(sql_code)"
    path.write_text(
        json.dumps(
            {"mode": "sql+python", "sql_code": "SELECT 1 AS a", "python_code": code, "result_vars": ["out"]}
        )
    )
    assert rows(run(load_submission(path), str(market)), "out") == [{"a": 1}]

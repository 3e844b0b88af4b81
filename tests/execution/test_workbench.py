"""Programs of one bench come one after another, and nothing of one reaches the next."""

from __future__ import annotations

import duckdb
import pytest

from finassay.execution import Limits, Outcome, Submission, Workbench

pytestmark = pytest.mark.jail

READ = "from db_connector import query_to_dataframe\n"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "t.duckdb"
    path.parent.chmod(0o755)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS a FROM range(3)")
    path.chmod(0o644)
    with Workbench(f"duckdb:///{path}", limits=Limits(wall_s=20, cpu_s=20)) as bench:
        yield bench


def result(run):
    assert run.trace.error is None, run.trace.error
    return run.tables[0].table.to_pylist()


def test_programs_of_every_mode_run_in_any_order(bench):
    assert result(bench.run(Submission("sql", "SELECT max(a) AS m FROM t"))) == [{"m": 2}]
    python = READ + 'result = query_to_dataframe("SELECT min(a) AS m FROM t")'
    assert result(bench.run(Submission("python", python_code=python))) == [{"m": 0}]
    both = Submission(
        "sql+python", "SELECT sum(a) AS m FROM t", READ + "result = query_to_dataframe(sql_code)"
    )
    assert [int(row["m"]) for row in result(bench.run(both))] == [3]
    assert result(bench.run(Submission("sql", "SELECT 7 AS m"))) == [{"m": 7}]


def test_each_has_a_log_of_its_own(bench):
    bench.run(Submission("sql", "SELECT 1 AS a"))
    run = bench.run(Submission("sql", "SELECT 2 AS a"))
    assert [query.sql for query in run.trace.queries] == ["SELECT 2 AS a"]


def test_files_of_one_program_are_gone_for_the_next(bench):
    bench.run(Submission("python", python_code="open('left.txt', 'w').write('x'); result = {'a': [1]}"))
    run = bench.run(
        Submission("python", python_code="import os; result = {'a': [os.path.exists('left.txt')]}")
    )
    assert result(run) == [{"a": False}]


def test_a_failure_is_an_outcome_and_the_next_program_runs(bench):
    assert bench.run(Submission("sql", "SELECT nothing FROM t")).trace.outcome is Outcome.ERROR
    assert bench.run(Submission("python", python_code="1 / 0")).trace.error.type == "ZeroDivisionError"
    assert result(bench.run(Submission("sql", "SELECT 1 AS a"))) == [{"a": 1}]


def test_a_program_may_open_the_database_s_own_file(bench):
    code = "import duckdb, os\nresult = duckdb.connect(os.environ['FINASSAY_DUCKDB']).sql('FROM t').df()"
    assert len(result(bench.run(Submission("python", python_code=code)))) == 3


def test_an_ended_jail_is_made_anew(bench):
    bench.close_jail()
    bench.close_jail()
    assert bench.run(Submission("python", python_code="result = {'a': [1]}")).trace.outcome is Outcome.OK


def test_an_unknown_database_is_told_with_the_first_program(tmp_path):
    from finassay.core import InputError

    with pytest.raises(InputError), Workbench(f"duckdb:///{tmp_path}/none.duckdb") as bench:
        bench.run(Submission("sql", "SELECT 1"))

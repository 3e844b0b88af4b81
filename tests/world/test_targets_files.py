"""Files are written whole or not at all: a disk that is full, a folder that is closed, a world that was damaged."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import duckdb
import pytest

from finassay.core import InputError
from finassay.database import connect, lint_catalog
from finassay.temporal import load_catalog
from finassay.world import verify_world, world_info, world_tables
from finassay.world._verify import _content
from finassay.world._write import target_of

CATALOG = load_catalog("gildata")
# Writes three million numbers and says what happened
WRITE = """
import sys
import time
import numpy as np
from finassay.core import InputError
from finassay.temporal import load_catalog
from finassay.world._tables._view import arrow_table
from finassay.world._write import target_of

catalog, name = load_catalog("gildata"), "bond_cbyieldcurve"
spec, n = catalog.table(name), 100_000
rng = np.random.default_rng(1)

def column(kind, at):
    if kind == "datetime":
        return np.full(n, "2020-01-01", "datetime64[us]")
    if "char" in kind:
        return ["x"] * n
    return np.arange(n) + at if kind == "decimal(19,0)" else np.rint(rng.random(n) * 1e4)

def parts():
    for k in range(5):
        yield arrow_table(spec, {c: column(m.type or "text", k * n) for c, m in spec.columns.items()}, n)

if len(sys.argv) > 2:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    target_of(sys.argv[1], force=True).write([(name, parts())], lambda: {"a": "b"}, catalog)
    print("written")
except InputError as error:
    print(error)
"""


def write(url, *arguments, before=()):
    done = subprocess.run(
        [*before, sys.executable, "-c", WRITE, url, *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.fixture(params=["duckdb", "parquet"])
def target(request, tmp_path):
    """A target that is there already, and its URL."""
    path = tmp_path / ("w.duckdb" if request.param == "duckdb" else "folder")
    if request.param == "duckdb":
        path.write_text("mine")
        return path, f"duckdb:///{path}"
    path.mkdir()
    (path / "mine").write_text("mine")
    return path, str(path)


def untouched(path):
    kept = path if path.is_file() else path / "mine"
    return kept.read_text() == "mine" and list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("most", [100_000, 1_000_000])
def test_a_file_that_may_not_grow_leaves_what_was_there(target, most):
    path, url = target
    said = write(url, str(most))
    assert "File too large" in said
    assert "ulimit -f" in said
    assert untouched(path)


def test_a_full_disk_leaves_what_was_there(tmp_path):
    """A real file system of two megabytes, in a name space of its own."""
    mount = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=2m small "$1" && shift && exec "$@"', "sh"]
    if not shutil.which("unshare") or subprocess.run([*mount, str(tmp_path), "true"], check=False).returncode:
        pytest.skip("this machine gives no mount name spaces")
    script = 'touch "$0/w.duckdb"; shift 0; "$@"; ls -A "$0"'
    for name in ("duckdb:///{}/w.duckdb", "{}/folder"):
        done = subprocess.run(
            [
                *mount,
                str(tmp_path),
                "sh",
                "-c",
                script,
                str(tmp_path),
                sys.executable,
                "-c",
                WRITE,
                name.format(tmp_path),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "No space left on device" in done.stdout
        assert "Free some space" in done.stdout
        assert done.stdout.splitlines()[-1] == "w.duckdb"  # and nothing else


def test_a_folder_that_is_closed_is_said_before_anything_is_simulated(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        closed = "/proc"  # root may write anywhere else
    with pytest.raises(InputError, match=f"Nothing can be written in {closed}"):
        target_of(f"{closed}/folder", force=False).check()


@pytest.fixture
def damaged(built, tmp_path):
    """A copy of the world, after a statement."""

    def damage(statement):
        copy = tmp_path / "copy.duckdb"
        shutil.copy(built.path, copy)
        with duckdb.connect(str(copy)) as connection:
            connection.execute(statement)
        return connect(copy)

    return damage


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("ALTER TABLE secumain DROP COLUMN ENGNAME", "lacks columns of secumain that gildata lists: ENGNAME"),
        ("DROP TABLE lc_dividend", "lacks the table lc_dividend"),
        (
            "UPDATE finassay_meta SET value = '0' WHERE key = 'version'",
            "was built by version 0 of the economy",
        ),
        (
            "UPDATE finassay_meta SET value = 'two' WHERE key = 'scale'",
            "finassay_meta of .* is damaged: scale should be a number; it is 'two'",
        ),
        (
            "UPDATE finassay_meta SET value = 'x' WHERE key = 'seed'",
            "seed should be a whole number; it is 'x'",
        ),
        (
            "UPDATE finassay_meta SET value = '2024-13-01' WHERE key = 'snapshot'",
            "snapshot should be a date as 2026-04-30; it is '2024-13-01'",
        ),
        (
            "ALTER TABLE us_price_daily ALTER close TYPE VARCHAR USING 'abc'",
            r"close of us_price_daily in .* should be DECIMAL\(\d+,\d+\); it is VARCHAR",
        ),
        (
            "ALTER TABLE us_filing ALTER id TYPE VARCHAR",
            "id of us_filing in .* should be BIGINT; it is VARCHAR",
        ),
        (
            "ALTER TABLE secumain ALTER LISTEDDATE TYPE VARCHAR USING 'soon'",
            "LISTEDDATE of secumain in .* should be TIMESTAMP; it is VARCHAR",
        ),
        (
            "ALTER TABLE secumain ALTER SECUCODE TYPE INT USING 1",
            "SECUCODE of secumain in .* should be VARCHAR; it is",
        ),
        (
            "ALTER TABLE us_fact RENAME TO old_fact; CREATE VIEW us_fact AS FROM old_fact; DROP TABLE old_fact",
            "us_fact of .* is a view that cannot be read: .*old_fact",
        ),
        ("DELETE FROM finassay_meta WHERE key = 'seed'", "is damaged: it lacks seed"),
        ("UPDATE finassay_meta SET value = '-1' WHERE key = 'scale'", "is damaged: The scale is -1"),
        ("UPDATE finassay_meta SET value = 'mine' WHERE key = 'catalog'", "is gildata, not mine"),
        (
            "ALTER TABLE finassay_meta RENAME value TO v",
            "is damaged: expected the columns key and value, found key, v",
        ),
        ("UPDATE finassay_meta SET value = 'x' WHERE key = 'blocks'", "no block 'x'"),
    ],
)
def test_a_world_that_is_not_whole_is_refused_before_it_is_simulated_again(
    damaged, serial, statement, message
):
    with damaged(statement) as database:
        with pytest.raises(InputError, match=message):
            verify_world(database, serial)
        if "version" not in statement:  # info says of any version what it is
            with pytest.raises(InputError, match=message):
                world_tables(database)


@pytest.mark.parametrize("value", ["infinity", "-infinity"])
def test_dates_that_are_none_are_named(damaged, value):
    change = f"UPDATE us_filing SET accepted_at = '{value}' WHERE id = (SELECT min(id) FROM us_filing)"
    with (
        damaged(change) as database,
        pytest.raises(InputError, match=r"accepted_at of us_filing in .* should hold timestamps; it holds"),
    ):
        world_tables(database)


def findings(database, table):
    return {(found.check, found.severity) for found in lint_catalog(CATALOG, database, [table]).findings}


def test_a_column_that_the_catalog_does_not_know_is_no_error(damaged):
    with damaged("ALTER TABLE lc_exgindustry ADD COLUMN MOOD VARCHAR") as database:
        found = findings(database, "lc_exgindustry")
    assert "error" not in {severity for _, severity in found}
    assert found  # and it is not passed over in silence


def test_intervals_that_overlap_are_an_error_of_the_lint(damaged):
    """Two memberships of one share in one index at one time: the first is never ended."""
    statement = """UPDATE lc_indexcomponent SET OUTDATE = NULL, FLAG = 1 WHERE ID IN (
        SELECT a.ID FROM lc_indexcomponent a JOIN lc_indexcomponent b ON b.INDEXINNERCODE = a.INDEXINNERCODE
        AND b.SECUINNERCODE = a.SECUINNERCODE AND b.INDATE > a.INDATE)"""
    with damaged(statement) as database:
        assert ("intervals_overlap", "error") in findings(database, "lc_indexcomponent")


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "UPDATE qt_dailyquote SET CLOSEPRICE = CLOSEPRICE + 0.01 WHERE ID = (SELECT MIN(ID) FROM qt_dailyquote)",
            r"other than built: qt_dailyquote \(a value in its [\d,]+ rows\)$",
        ),
        (
            "DELETE FROM lc_indexcomponent WHERE ID = (SELECT MAX(ID) FROM lc_indexcomponent)",
            r"other than built: lc_indexcomponent \([\d,]+ rows, [\d,]+ belong there\)$",
        ),
        (
            "UPDATE finassay_meta SET value = repeat('0', 64) WHERE key = 'content_hash'",
            "every table is as built: what was written is not$",
        ),
    ],
)
def test_what_was_changed_is_found_by_the_content_hash_and_its_table_named(world, damaged, statement, says):
    with damaged(statement) as database:
        found = _content(world, database, CATALOG, world_info(database))
    assert not found.passed
    assert re.search(says, found.detail), found.detail


@contextlib.contextmanager
def started(url):
    """Give a build that goes on."""
    build = [
        sys.executable,
        "-m",
        "finassay",
        "world",
        "build",
        "--scale",
        "0.01",
        "--blocks",
        "macro",
        "--to",
        url,
    ]
    with subprocess.Popen([*build, "--executor", "serial"], stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(look, process):
    for _ in range(2400):
        if found := look():
            return found
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    raise AssertionError("nothing was written within two minutes")


@pytest.mark.parametrize("name", ["duckdb:///{}/w.duckdb", "{}/folder"])
def test_a_build_that_is_ended_leaves_nothing(tmp_path, name):
    with started(name.format(tmp_path)) as process:
        wait_for(lambda: list(tmp_path.glob(".*/*[!k]")), process)
        process.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM
        assert "stopped" in process.stderr.read()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_goes_with_the_next_one(tmp_path):
    url = f"duckdb:///{tmp_path}/w.duckdb"
    with started(url) as process:
        [left] = wait_for(lambda: list(tmp_path.glob(".*")), process)
    assert left.is_dir()
    other = tmp_path / ".other.duckdb.abc"  # of another target: not ours to remove
    other.mkdir()
    target_of(url, force=False).check()
    assert list(tmp_path.iterdir()) == [other]


def test_a_build_beside_another_one_leaves_it_alone(tmp_path):
    url = f"duckdb:///{tmp_path}/w.duckdb"
    with started(url) as process:
        [held] = wait_for(lambda: list(tmp_path.glob(".*/lock")), process)
        target_of(url, force=False).check()
        assert held.exists()


@pytest.mark.parametrize(
    ("there", "url", "says"),
    [
        ("folder/important.txt", "{}/folder", "holds what is no world \\(important.txt\\)"),
        ("folder/prices.parquet", "{}/folder", "holds what is no world \\(prices.parquet\\)"),
        ("folder", "{}/folder", "is a file, not a folder"),
        ("w.duckdb/x", "duckdb:///{}/w.duckdb", "is a folder, not a DuckDB file"),
    ],
)
def test_force_replaces_worlds_and_nothing_else(tmp_path, there, url, says):
    path = tmp_path / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    with pytest.raises(InputError, match=says) as refused:
        target_of(url.format(tmp_path), force=True).check()
    assert refused.value.reason == "not_a_world"
    assert path.read_text() == "mine"


STATEMENT = """
import os, signal, sys, threading
import duckdb
from finassay.world._files import _do

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
with duckdb.connect(config={"threads": 1}) as connection:
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
    _do(connection, "CREATE TABLE t AS SELECT sum(a.range * b.range) FROM range(4000) a, range(50000) b")
    print("not stopped")
"""


def test_a_signal_during_a_statement_ends_the_build_after_it_and_is_no_failure_of_ours():
    """Without that DuckDB says "Query interrupted", and the exit that the handler raised is lost."""
    done = subprocess.run([sys.executable, "-c", STATEMENT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (143, "")
    assert "not stopped" not in done.stdout

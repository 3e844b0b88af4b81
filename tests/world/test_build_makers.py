"""Tables made by several processes are those made by one: the same rows in the same order, whoever made them."""

from __future__ import annotations

import os
import signal

import pyarrow as pa
import pytest

from finassay.core import InternalError
from finassay.executor import WorkerLostError, open_executor
from finassay.temporal import load_catalog
from finassay.world import _makers
from finassay.world._makers import made
from finassay.world._materialise import ContentHash, chunks
from finassay.world._tables import TABLES, View

CATALOG = load_catalog("gildata")
NAMES = ("secumain", "qt_dailyquote", "qt_performancedata", "us_macro_vintage", "us_yield_curve", "us_filing")


@pytest.fixture(scope="module")
def alone(world):
    """The tables as this process makes them."""
    view = View(world, CATALOG)
    return {name: pa.concat_tables(chunks(view, name)) for name in NAMES}


@pytest.fixture
def several():
    with open_executor("loky:2") as executor:
        yield executor


def taken(world, executor, content=None):
    with made(View(world, CATALOG), NAMES, content or ContentHash(), executor) as tables:
        return {name: pa.concat_tables(parts) for name, parts in tables}


@pytest.mark.parametrize("ahead", [1, _makers._AHEAD])
def test_they_are_the_same_rows_in_the_same_order(world, alone, several, serial, ahead, monkeypatch):
    """Also where a worker may be one part ahead at most."""
    monkeypatch.setattr(_makers, "_AHEAD", ahead)
    monkeypatch.setattr("finassay.world._materialise.CHUNK_ROWS", 1_000)
    content, expected = ContentHash(), ContentHash()
    found = taken(world, several, content)
    assert found.keys() == alone.keys()
    for name, table in alone.items():
        assert found[name].equals(table)
    taken(world, serial, expected)
    assert content.rows == {name: table.num_rows for name, table in alone.items()}
    assert content.hexdigest() == expected.hexdigest()


def made_by_nobody(message):
    def fail(_):
        raise message

    return fail


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        (ValueError("no such day"), InternalError, "ValueError: no such day"),
        (InternalError("gaps"), InternalError, "InternalError: gaps"),
        (OSError(28, "No space left on device"), OSError, "No space left"),
    ],
)
def test_what_a_worker_raises_is_raised_here(world, several, monkeypatch, raised, kind, message):
    monkeypatch.setitem(TABLES, "us_macro_vintage", made_by_nobody(raised))
    with pytest.raises(kind, match=message):
        taken(world, several)


def test_a_worker_that_is_killed_is_said(world, several, monkeypatch):
    monkeypatch.setitem(TABLES, "us_macro_vintage", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(WorkerLostError, match="died while it made tables"):
        taken(world, several)


def test_nothing_is_left_when_the_tables_are_not_wanted_any_more(world, several, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    def leave():
        with made(View(world, CATALOG), NAMES, ContentHash(), several) as tables:
            next(tables)
            assert [path.is_dir() for path in tmp_path.iterdir()] == [True]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()
    assert list(tmp_path.iterdir()) == []

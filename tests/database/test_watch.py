"""The clock of statements: it stops what runs too long, and costs a statement that does not nothing but a note."""

from __future__ import annotations

import os
import threading
import time

import pytest

from finassay.database import QueryPolicy, QueryTimeout, connect
from finassay.database._collect import Watch

ENDLESS = "SELECT count(*) FROM range(3000000000) a, range(1000) b WHERE a.range % 7 = b.range"


def test_each_of_several_at_once_is_stopped_at_its_own_time() -> None:
    """A later statement with a shorter limit wakes the clock before an earlier one with a longer limit."""
    stopped: dict[float, float] = {}

    def run(limit: float) -> None:
        began = time.monotonic()
        ended = threading.Event()
        with Watch(limit, ended.set) as watch:
            watch.running = True
            assert ended.wait(20)
            assert watch.expired
        stopped[limit] = time.monotonic() - began

    threads = [threading.Thread(target=run, args=(limit,)) for limit in (1.5, 0.2, 0.8)]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert set(stopped) == {1.5, 0.2, 0.8}
    assert all(limit <= seconds < limit + 5 for limit, seconds in stopped.items())
    assert sorted(stopped, key=stopped.__getitem__) == [0.2, 0.8, 1.5]


def test_an_interruption_is_repeated_until_the_statement_ends_and_not_after() -> None:
    calls: list[float] = []
    third = threading.Event()

    def interrupt() -> None:
        calls.append(time.monotonic())
        if len(calls) == 3:
            third.set()

    with Watch(60, interrupt) as watch:
        watch.cancel()
        time.sleep(0.3)
        assert not calls  # the engine has not begun
        watch.running = True
        assert third.wait(10)
    ended = len(calls)
    time.sleep(0.5)
    assert len(calls) == ended
    assert watch.cancelled
    assert not watch.expired


def test_statements_in_a_row_start_no_threads(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.csv").write_text("a\n1\n")
    with connect(tmp_path) as database:
        database.query("SELECT a FROM prices")
        started: list[threading.Thread] = []
        start = threading.Thread.start

        def counted(thread: threading.Thread) -> None:
            started.append(thread)
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", counted)
        for _ in range(20):
            database.query("SELECT a FROM prices")
        assert started == []
        with pytest.raises(QueryTimeout):
            database.query(ENDLESS, policy=QueryPolicy(timeout_s=0.3))
        assert len(started) == 1


def test_a_forked_process_has_a_clock_of_its_own() -> None:
    with Watch(60, lambda: None):
        child = os.fork()
        if child == 0:
            stopped = threading.Event()
            with Watch(0.1, stopped.set) as watch:
                watch.running = True
                os._exit(0 if stopped.wait(10) else 1)
        assert os.waitpid(child, 0)[1] == 0

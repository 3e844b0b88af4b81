"""A broker that works is waited for, however busy the machine; one that does nothing is given up."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import duckdb
import pytest

from finassay.core import InternalError
from finassay.execution import _broker


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _broker.Broker:
    """A broker that takes seconds to read its overlay, with the patience of one."""
    path = tmp_path / "core.duckdb"
    with duckdb.connect(str(path)) as own:
        own.execute("CREATE TABLE t AS SELECT 1 AS a")
    long = f"SELECT a FROM t WHERE a IN ({', '.join(map(str, range(20_000)))})"
    monkeypatch.setattr(_broker, "_START_S", 1.0)
    return _broker.Broker(f"duckdb:///{path}", socket_dir=tmp_path / "sockets", overlays={"t": long})


def test_it_is_waited_for_while_it_works(slow: _broker.Broker) -> None:
    with slow:
        assert slow.ready().schema


def test_it_is_given_up_once_it_does_nothing(slow: _broker.Broker) -> None:
    slow.start()
    try:
        assert slow._child is not None
        os.kill(slow._child._process.pid, signal.SIGSTOP)
        with pytest.raises(InternalError, match="did nothing for 1 s"):
            slow.ready()
        os.kill(slow._child._process.pid, signal.SIGCONT)
    finally:
        slow.close()

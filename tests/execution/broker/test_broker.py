"""The broker itself: the log, refusals, limits, and what happens when its process dies."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import signal
import threading
import time

import pytest

from finassay.core import InputError, InternalError
from finassay.database import QueryPolicy
from finassay.execution._broker import Broker
from finassay.execution._wire._backend import STUCK_STATUS

ENDLESS = "SELECT COUNT(*) FROM range(3000000000) a, range(1000) b WHERE a.range % 7 = b.range"

# For each of the letters RE2 reads all that follow, within one call of a function: minutes, which nothing interrupts.
UNSTOPPED = "SELECT length(regexp_replace(repeat('a', 200000), 'a*b|a', 'x', 'g'))"


def test_a_statement_is_logged_with_text_rows_bytes_and_time(broker, native) -> None:
    table = native.query("SELECT symbol, volume FROM prices ORDER BY symbol, day")
    (record,) = broker.records()
    assert (record.index, record.route, record.status) == (0, "connector", "ok")
    assert record.sql == "SELECT symbol, volume FROM prices ORDER BY symbol, day"
    assert record.rows == table.num_rows == 5
    assert record.bytes == pytest.approx(table.nbytes, abs=8)  # padding of buffers apart
    assert 0 < record.ms < 60_000
    assert record.t_ms >= 0
    assert record.error is None


def test_a_write_is_refused_with_the_reason_and_logged(broker, native) -> None:
    with pytest.raises(native.DatabaseError, match="only reads") as caught:
        native.query("DROP TABLE prices")
    assert caught.value.reason
    (record,) = broker.records()
    assert record.status == "refused"
    assert "only reads" in record.error


def test_an_error_is_the_engines_and_logged(broker, native) -> None:
    with pytest.raises(native.DatabaseError, match="nope"):
        native.query("SELECT nope FROM prices")
    (record,) = broker.records()
    assert record.status == "error"
    assert "nope" in record.error


def test_a_statement_over_its_time_is_stopped_and_the_next_one_runs(broker, native) -> None:
    began = time.monotonic()
    with pytest.raises(native.DatabaseError, match="longer than 2 seconds"):
        native.query(ENDLESS)
    assert time.monotonic() - began < 6
    assert native.query("SELECT 1 AS one").to_pylist() == [{"one": 1}]
    assert [record.status for record in broker.records()] == ["timeout", "ok"]


def test_a_statement_that_nothing_stops_ends_the_process_and_the_next_one_runs(
    tmp_path, duckdb_url, native
) -> None:
    with Broker(duckdb_url, socket_dir=tmp_path / "b", policy=QueryPolicy(timeout_s=0.5)) as impatient:
        os.environ["FINASSAY_SOCKETS"] = str(impatient.socket_dir)
        native._drop()
        process = impatient._child._process
        with pytest.raises(native.DatabaseError):
            native.query(UNSTOPPED)
        assert process.wait(10) == STUCK_STATUS
        assert native.query("SELECT 1 AS one").to_pylist() == [{"one": 1}]
        first, second = impatient.records()
        assert (first.status, second.status) == ("timeout", "ok")
        assert "longer than 0.5 seconds, the most that is allowed, and did not stop" in first.error
        assert 500 <= first.ms < 20_000


def test_a_result_over_the_cap_is_refused(tmp_path, duckdb_url, native) -> None:
    with Broker(duckdb_url, socket_dir=tmp_path / "capped", policy=QueryPolicy(max_rows=4)) as capped:
        os.environ["FINASSAY_SOCKETS"] = str(capped.socket_dir)
        native._drop()
        with pytest.raises(native.DatabaseError) as caught:
            native.query("SELECT * FROM prices")
        assert caught.value.reason == "too_many_rows"
        assert capped.records()[0].status == "refused"


def test_a_statement_of_a_client_that_left_is_stopped(tmp_path, duckdb_url, native) -> None:
    """Long before its time is over: nobody waits for it."""
    with Broker(duckdb_url, socket_dir=tmp_path / "patient", policy=QueryPolicy(timeout_s=50)) as patient:
        os.environ["FINASSAY_SOCKETS"] = str(patient.socket_dir)
        data = json.dumps({"op": "query", "sql": ENDLESS}).encode()
        with native.connect("native.sock") as client:
            client.sendall(len(data).to_bytes(4, "big") + data)
            time.sleep(0.5)
        deadline = time.monotonic() + 10
        while patient.records()[0].error == "still running":
            assert time.monotonic() < deadline, "the statement still runs"
            time.sleep(0.05)
        assert patient.records()[0].error == "The program ended, or hung up, before the statement did."


def test_a_result_stays_what_it_was_when_the_next_one_comes(broker, native) -> None:
    """Of 160 kB, 8 kB, 400 kB, 40 MB, 160 kB: written over each other, in no file, in a file of its own."""
    counts = [20_000, 1_000, 50_000, 5_000_000, 20_000]
    tables = [native.query(f"SELECT range + {n} AS a FROM range({n})") for n in counts]
    for n, table in zip(counts, tables, strict=True):
        assert table.num_rows == n
        assert (table["a"][0].as_py(), table["a"][-1].as_py()) == (n, 2 * n - 1)


def test_reset_begins_a_run_with_an_empty_log_and_other_overlays(broker, native) -> None:
    assert native.query("SELECT * FROM prices").num_rows == 5
    broker.reset(overlays={"prices": "SELECT * FROM prices WHERE symbol = 'AAA'"})
    assert broker.records() == []
    assert native.query("SELECT * FROM prices").num_rows == 3
    broker.reset()
    assert native.query("SELECT * FROM prices").num_rows == 5
    assert [record.rows for record in broker.records()] == [5]


def test_an_allocation_that_does_not_fit_is_an_error_and_the_next_statement_runs(
    tmp_path, duckdb_url, native
) -> None:
    """24 GB at once, of which DuckDB's own limit stopped none."""
    with Broker(duckdb_url, socket_dir=tmp_path / "small", memory=2 << 30) as small:
        os.environ["FINASSAY_SOCKETS"] = str(small.socket_dir)
        native._drop()
        with pytest.raises(native.DatabaseError):
            native.query("SELECT list(i) AS everything FROM range(3000000000) r(i)")
        assert native.query("SELECT 1 AS one").num_rows == 1
        first, second = small.records()
        assert first.status == "error"
        assert "the database process ran out of memory" in first.error
        assert second.status == "ok"


def test_the_log_survives_the_death_of_the_process(broker, native) -> None:
    """The kernel kills what takes too much memory: its clients hear of it, the log keeps all, a new process serves."""
    native.query("SELECT 1 AS before")
    process = broker._child._process.pid
    killer = threading.Timer(0.5, os.kill, (process, signal.SIGKILL))
    killer.start()
    with pytest.raises(native.DatabaseError, match="ended during this statement"):
        native.query(ENDLESS)
    assert native.query("SELECT 2 AS after").to_pylist() == [{"after": 2}]
    before, during, after = broker.records()
    assert [record.index for record in (before, during, after)] == [0, 1, 2]
    assert (before.sql, before.status) == ("SELECT 1 AS before", "ok")
    assert (during.sql, during.status) == (ENDLESS, "error")
    assert during.error == "the database process ran out of memory"
    assert (after.sql, after.status) == ("SELECT 2 AS after", "ok")
    assert broker._child._process.pid != process


def test_many_clients_at_once(broker, native) -> None:
    def work(number: int) -> int:
        data = json.dumps({"op": "query", "sql": f"SELECT {number} AS n"}).encode()
        with native.connect("native.sock") as client:
            client.sendall(len(data).to_bytes(4, "big") + data)
            head = client.recv(4, 0x100)  # MSG_WAITALL
            return json.loads(client.recv(int.from_bytes(head, "big"), 0x100))["ok"]

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        assert all(pool.map(work, range(200)))
    records = broker.records()
    assert sorted(record.sql for record in records) == sorted(
        f"SELECT {number} AS n" for number in range(200)
    )
    assert {record.status for record in records} == {"ok"}


def test_a_report_of_the_program_cannot_touch_other_records(broker, native) -> None:
    """Only the shim's own reports can be added to, and only by the connection that made them."""
    native.query("SELECT 1 AS one")
    reply = native.request({"op": "log", "sql": "SELECT 2"})
    native.request({"op": "log", "number": reply["number"], "status": "ok", "ms": 1.0})
    native.request({"op": "log", "number": 0, "rows": 999, "bytes": 999, "ms": 5.0})
    native.request({"op": "log", "number": reply["number"], "rows": 7, "bytes": 56, "ms": 5.0})
    odd_number = native.request({"op": "log", "sql": 3})["number"]
    native.request({"op": "log", "number": odd_number, "status": "fine", "ms": float(10**11), "rows": -5})
    native.request({"op": "log", "sql": "SELECT hang()"})
    real, reported, odd, hanging = broker.records()
    assert (real.route, real.rows) == ("connector", 1)
    assert (reported.route, reported.rows, reported.bytes, reported.ms) == ("duckdb", 7, 56, 6.0)
    assert (odd.route, odd.status, odd.sql, odd.rows) == ("duckdb", "error", "3", None)
    assert (hanging.sql, hanging.error) == ("SELECT hang()", "still running")


def test_a_database_that_cannot_be_opened_is_the_users_input(tmp_path) -> None:
    with (
        pytest.raises(InputError, match=r"absent\.duckdb"),
        Broker(f"duckdb:///{tmp_path}/absent.duckdb", socket_dir=tmp_path / "sockets"),
    ):
        pass
    assert list((tmp_path / "sockets").iterdir()) == []


def test_a_long_folder_name_is_no_obstacle(tmp_path, duckdb_url, native) -> None:
    """A socket address holds 107 bytes; a folder may have more."""
    folder = tmp_path / ("long" * 30) / "sockets"
    with Broker(duckdb_url, socket_dir=folder) as broker:
        os.environ["FINASSAY_SOCKETS"] = str(folder)
        native._drop()
        assert native.query("SELECT 1 AS one").num_rows == 1
        assert len(broker.records()) == 1


def test_a_broker_that_is_started_says_later_what_it_serves(tmp_path, duckdb_url) -> None:
    """Its sockets are there at once: who connects waits until it serves."""
    import duckdb

    broker = Broker(duckdb_url, socket_dir=tmp_path / "sockets", dialect="mysql")
    with contextlib.closing(broker):
        broker.start()
        assert {path.name for path in broker.socket_dir.iterdir()} == {
            "native.sock", "mysql.sock", "postgres.sock",
        }  # fmt: skip
        served = broker.ready()
        assert served == broker.ready()
    assert (served.url, served.dialect, served.schema) == (duckdb_url, "duckdb", "main")
    assert served.engine == f"DuckDB {duckdb.__version__}"


def test_a_broker_that_was_not_started_serves_nothing(tmp_path, duckdb_url) -> None:
    with pytest.raises(InternalError, match="not started"):
        Broker(duckdb_url, socket_dir=tmp_path / "sockets").ready()


def test_two_brokers_do_not_share_a_folder(broker, duckdb_url) -> None:
    with pytest.raises(InputError, match="another broker"), Broker(duckdb_url, socket_dir=broker.socket_dir):
        pass


def test_the_process_ends_with_the_broker(tmp_path, duckdb_url) -> None:
    with Broker(duckdb_url, socket_dir=tmp_path / "sockets") as broker:
        process = broker._child._process
    assert process.returncode == 0
    assert list((tmp_path / "sockets").iterdir()) == []
    assert broker.records() == []

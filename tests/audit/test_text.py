"""A certificate as text: its date, its replay, and nothing in it that could command a terminal."""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.audit.conftest import CATALOG
from typer.testing import CliRunner

from finassay.audit import Certificate, Verdict, certificate_text
from finassay.cli import app

Audited = Callable[..., Certificate]
LEAK = "SELECT FIRM, PROFIT FROM report"


def test_what_was_audited_at_no_date_says_which_was_asked_for(audited: Audited) -> None:
    text = certificate_text(audited("SELECT NOTHING FROM report"))
    assert "asked for as of end of 2024-06-30, audited at no date" in text
    assert "(no date)" not in text


def test_control_characters_are_escaped(audited: Audited) -> None:
    found = audited("SELECT '\x1b[2J\u202e' || FIRM AS FIRM, PROFIT FROM report")
    assert found.verdict is Verdict.FAIL
    assert "\x1b" in "".join(found.witnesses[0].missing)  # the certificate keeps what there is
    text = certificate_text(found)
    assert not any(c in text for c in "\x1b\u202e")
    assert r"\x1b[2J\u202e" in text


def test_a_replay_names_the_file_that_was_written(market: str, tmp_path: Path) -> None:
    (tmp_path / "leak.sql").write_text(LEAK)
    (tmp_path / "small.yaml").write_text(CATALOG)
    out = tmp_path / "my certificate.json"
    arguments = ["audit", str(tmp_path / "leak.sql"), "--db", market, "--as-of", "2024-06-30"]
    arguments += ["--catalog", str(tmp_path / "small.yaml")]
    run = CliRunner().invoke
    command = f"finassay verify '{out}' --witness 1 --catalog {tmp_path / 'small.yaml'}"
    assert command in run(app, [*arguments, "--out", str(out)]).output
    assert json.loads(out.read_text())["witnesses"][0]["replay"] == command
    page = run(app, [*arguments, "--out", str(out), "--force", "--format", "html"]).output
    assert f"<pre>replay: {html.escape(command)}</pre>" in page
    said = run(app, [*arguments, "--out", str(out), "--force", "--format", "json"]).output
    assert json.loads(said) == json.loads(out.read_text())
    shown = run(app, shlex.split(command)[1:])
    assert shown.exit_code == 0, shown.output


def test_without_a_file_a_replay_names_none(audited: Audited) -> None:
    found = audited(LEAK)
    assert found.witnesses[0].replay == "finassay verify CERTIFICATE --witness 1 --catalog CATALOG"
    assert "replay: finassay verify CERTIFICATE --witness 1" in certificate_text(found)


def test_a_folder_names_each_of_its_certificates(market: str, tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "leak.sql").write_text(LEAK)
    (tmp_path / "small.yaml").write_text(CATALOG)
    arguments = [
        "audit",
        str(tmp_path / "study"),
        "--db",
        market,
        "--as-of",
        "2024-06-30",
        "--executor",
        "serial",
    ]
    arguments += ["--catalog", str(tmp_path / "small.yaml"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, arguments)
    path = tmp_path / "out" / "leak.sql.certificate.json"
    assert path.exists(), done.output
    command = f"finassay verify {path} --witness 1 --catalog {tmp_path / 'small.yaml'}"
    assert json.loads(path.read_text())["witnesses"][0]["replay"] == command


WRITES = ("CREATE TABLE zz (a INTEGER)", "DELETE FROM report", "DROP TABLE price")


@pytest.mark.jail
@pytest.mark.parametrize("statement", WRITES)
def test_a_program_that_writes_through_a_connection_of_its_own_writes(
    audited: Audited, market: str, statement: str
) -> None:
    path = market.removeprefix("duckdb:///")
    program = f"import duckdb\nd = duckdb.connect({path!r})\nd.execute({statement!r})\n"
    found = audited(python=program + "result = d.sql('SELECT 1 AS a').df()")
    assert (found.verdict, found.reasons) == (Verdict.UNKNOWN, ["program_writes"]), found.notes


@pytest.mark.jail
def test_one_that_fails_after_a_temporary_table_does_not_write(audited: Audited, market: str) -> None:
    path = market.removeprefix("duckdb:///")
    program = (
        f"import duckdb\nd = duckdb.connect({path!r})\nd.execute('CREATE TEMP TABLE t AS SELECT 1 AS a')\n"
    )
    assert audited(python=program + "result = {}['x']").reasons == ["program_failed"]

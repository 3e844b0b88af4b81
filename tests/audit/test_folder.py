"""A folder of programs: each gets its own verdict, nothing is audited twice, and no program stops the others."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from finassay.audit import Audited, Certificate, Verdict, audit_folder, find_programs, read_certificate
from finassay.cli import app
from finassay.core import ExitCode, InputError
from finassay.executor import ResultCache, open_executor
from finassay.temporal import Catalog, Contract, catalog_yaml

LEAK = "SELECT FIRM, MAX(PROFIT) AS best FROM report WHERE PERIOD <= DATE '2024-06-30' GROUP BY FIRM"
MEAN = "SELECT FIRM, AVG(CLOSE) AS close FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"
FAR = "SELECT X FROM stranger"  # no catalog, so UNKNOWN at once
# Reads four tables: the order in which they are audited must not depend on the process
BUSY = "SELECT " + ", ".join(
    f"(SELECT COUNT(*) FROM {table}) > 0 AS {table}_there"
    for table in ("report", "price", "alert", "industry")
)
Audit = Callable[..., dict[str, Audited]]


def write(folder: Path, **programs: str) -> None:
    """Write ``leak_sql=...`` as ``leak.sql``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in programs.items():
        stem, _, kind = name.rpartition("_")
        (folder / f"{stem}.{kind}").write_text(text, encoding="utf-8")


@pytest.fixture
def run(tmp_path: Path, market: str, catalog: Catalog, contract: Contract) -> Audit:
    """Audit ``tmp_path / research`` with a cache beside it."""

    def call(executor: str = "serial", **changes: Any) -> dict[str, Audited]:
        terms = {"url": market, "catalog": catalog, "contract": contract} | changes
        with open_executor(executor) as workers:
            found = audit_folder(
                tmp_path / "research",
                terms["url"],
                terms["catalog"],
                executor=workers,
                cache=ResultCache(tmp_path / "cache"),
                contract=terms["contract"],
            )
        return {one.program: one for one in found}

    return call


def stored(tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "cache").rglob("*.result")}


def certificate(audited: Audited) -> Certificate:
    assert audited.certificate is not None, audited.error
    return audited.certificate


def test_what_is_a_program(tmp_path: Path) -> None:
    write(tmp_path, b_sql="SELECT 1", _helper_py="x = 1", note_txt="x", a_contract_yaml="x")
    write(tmp_path / "deep" / "er", a_ipynb="{}", task_json='{"mode": "sql"}', data_json="[1]", torn_json="{")
    write(tmp_path / ".hidden", x_sql="SELECT 1")
    write(tmp_path / "__pycache__", x_py="x = 1")
    write(tmp_path / "results", x_sql="SELECT 1")
    assert find_programs(tmp_path, leave_out=tmp_path / "results") == [
        "b.sql",
        "deep/er/a.ipynb",
        "deep/er/task.json",
    ]
    assert "results/x.sql" in find_programs(tmp_path)


def test_no_folder_and_no_program_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder"):
        find_programs(tmp_path / "none")
    with pytest.raises(InputError, match="no program"):
        find_programs(tmp_path)


def test_each_program_has_its_own_verdict_and_none_stops_the_others(tmp_path: Path, run: Audit) -> None:
    write(tmp_path / "research", leak_sql=LEAK, empty_sql=" ")
    write(tmp_path / "research" / "sub", mean_sql=MEAN, far_sql=FAR)
    found = run()
    assert list(found) == ["empty.sql", "leak.sql", "sub/far.sql", "sub/mean.sql"]
    assert {name: one.exit_code for name, one in found.items()} == {
        "empty.sql": ExitCode.BAD_INPUT,
        "leak.sql": ExitCode.FAILED,
        "sub/far.sql": ExitCode.UNKNOWN,
        "sub/mean.sql": ExitCode.OK,
    }
    assert "empty" in (found["empty.sql"].error or "")
    assert certificate(found["sub/mean.sql"]).program == "sub/mean.sql"


def test_workers_give_what_this_process_gives(
    tmp_path: Path, run: Audit, audited: Callable[..., Certificate]
) -> None:
    write(tmp_path / "research", busy_sql=BUSY, far_sql=FAR)
    found = run("loky:2")
    here = audited(BUSY)
    there = certificate(found["busy.sql"])
    assert [table.name for table in there.tables] == ["alert", "industry", "price", "report"]
    assert there.tables == here.tables
    assert there.scenarios == here.scenarios


def test_a_contract_beside_a_program_takes_the_place_of_the_common_one(tmp_path: Path, run: Audit) -> None:
    own = "contract: own\nas_of: {date: 2024-09-30}\n"
    write(tmp_path / "research", mean_sql=MEAN, other_sql=MEAN)
    (tmp_path / "research" / "mean.contract.yaml").write_text(own)
    found = run()
    assert certificate(found["mean.sql"]).as_of == ["2024-09-30"]
    assert certificate(found["other.sql"]).as_of == ["2024-06-30"]
    alone = run(contract=None)
    assert certificate(alone["mean.sql"]).contract == "own"
    assert "other.contract.yaml" in (alone["other.sql"].error or "")
    (tmp_path / "research" / "mean.contract.yaml").write_text("contract: own\nas_off: 1\n")
    assert run()["mean.sql"].exit_code is ExitCode.BAD_INPUT


def test_nothing_is_audited_twice_until_something_changes(
    tmp_path: Path, run: Audit, market: str, catalog: Catalog, contract: Contract
) -> None:
    write(tmp_path / "research", mean_sql=FAR)
    first = run()
    kept = stored(tmp_path)
    assert len(kept) == 1
    assert run() == first
    assert stored(tmp_path) == kept

    copy = tmp_path / "copy.duckdb"
    shutil.copy(market.removeprefix("duckdb:///"), copy)
    run(url=f"duckdb:///{copy}")
    changes: list[Callable[[], object]] = [
        lambda: run(catalog=catalog.model_copy(update={"version": "1.0.1"})),
        lambda: run(contract=contract.model_copy(update={"contract": "another"})),
        lambda: duckdb.connect(str(copy)).execute("DELETE FROM price WHERE FIRM = 3").close(),
        lambda: run(url=f"duckdb:///{copy}"),
        lambda: write(tmp_path / "research", mean_sql=FAR + " ORDER BY X"),
        run,
    ]
    counts = []
    for change in changes:
        change()
        counts.append(len(stored(tmp_path)))
    # Two were there; a change of the data or of the program is seen by the next run
    assert counts == [3, 4, 4, 5, 5, 6]


def test_an_audit_that_was_stopped_goes_on(tmp_path: Path, run: Audit) -> None:
    write(tmp_path / "research", leak_sql=FAR)
    before = run()["leak.sql"]
    [entry] = (tmp_path / "cache").rglob("*.result")
    stamp = entry.stat().st_mtime_ns
    write(tmp_path / "research", mean_sql=MEAN)
    found = run()
    assert found["leak.sql"] == before
    assert entry.stat().st_mtime_ns == stamp, "the finished one is not written again"
    assert certificate(found["mean.sql"]).verdict is Verdict.PASS


def test_a_program_that_cannot_be_audited_is_tried_again(
    tmp_path: Path, run: Audit, contract: Contract
) -> None:
    write(tmp_path / "research", leak_sql=LEAK, mean_sql=MEAN)
    lacking = contract.model_copy(update={"sources": ("nowhere",)})
    found = run(contract=lacking)
    assert {one.exit_code for one in found.values()} == {ExitCode.BAD_INPUT}
    assert "nowhere" in (found["leak.sql"].error or "")
    assert stored(tmp_path) == set()
    (tmp_path / "research" / "mean.contract.yaml").write_text("contract: own\nas_of: {date: 2024-06-30}\n")
    mixed = run(contract=lacking)
    assert mixed["leak.sql"].certificate is None
    assert certificate(mixed["mean.sql"]).verdict is Verdict.PASS


# The command


@pytest.fixture
def command(
    tmp_path: Path, market: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "small.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, date: str = "2024-06-30") -> Any:
        given = ["--db", market, "--catalog", "small.yaml", "--as-of", date]
        return CliRunner().invoke(app, ["audit", *arguments, *given])

    return call


SERIAL = ("--executor", "serial")


def test_the_command_leaves_one_certificate_each(tmp_path: Path, command: Callable[..., Any]) -> None:
    write(tmp_path / "research", far_sql=FAR)
    write(tmp_path / "research" / "sub", mean_sql=MEAN)
    done = command("research", "--out", "out", *SERIAL)
    assert done.exit_code == 3, done.output
    assert "2 program(s): 1 PASS, 0 FAIL, 1 UNKNOWN, 0 error" in done.output
    files = sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.json"))
    assert files == ["far.sql.certificate.json", "sub/mean.sql.certificate.json"]
    read = read_certificate((tmp_path / "out" / files[1]).read_text())
    assert (read.program, read.verdict) == ("sub/mean.sql", Verdict.PASS)
    verified = CliRunner().invoke(
        app, ["verify", str(tmp_path / "out" / files[0]), "--catalog", "small.yaml"]
    )
    assert verified.exit_code == 0, verified.output


def test_a_certificate_is_overwritten_only_where_that_is_asked_for(
    tmp_path: Path, command: Callable[..., Any]
) -> None:
    write(tmp_path / "research", mean_sql=MEAN)
    path = tmp_path / "out" / "mean.sql.certificate.json"
    assert command("research", "--out", "out", *SERIAL).exit_code == 0
    first = path.read_bytes()
    assert command("research", "--out", "out", *SERIAL).exit_code == 0, "the same certificate is no conflict"
    refused = command("research", "--out", "out", *SERIAL, date="2024-06-29")
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert path.read_bytes() == first
    assert command("research", "--out", "out", "--force", *SERIAL, date="2024-06-29").exit_code == 1
    assert read_certificate(path.read_text()).as_of == ["2024-06-29"]
    assert command("research", "--out", str(path), *SERIAL).exit_code == 2, "a file is no folder"


def test_the_worst_program_decides_the_exit_code(tmp_path: Path, command: Callable[..., Any]) -> None:
    """DESIGN.md, section 1: 4, else 2 if any input was bad, else 1, else 3, else 0."""
    research = tmp_path / "research"
    codes = []
    for programs in (
        {"mean_sql": MEAN},
        {"far_sql": FAR},
        {"leak_sql": LEAK},
        {"no_sql": " "},
    ):
        write(research, **programs)
        codes.append(command("research", *SERIAL).exit_code)
    assert codes == [0, 3, 1, 2]


def test_a_name_that_is_no_text_stops_nothing(tmp_path: Path, command: Callable[..., Any]) -> None:
    research = tmp_path / "research"
    write(research, far_sql=FAR)
    (research / os.fsdecode(b"\xff.sql")).write_text(FAR)
    for form in ("text", "json", "sarif", "html"):
        done = command("research", "--format", form, "--out", "out", *SERIAL)
        assert done.exit_code == 2, done.output
        assert "not UTF-8" in done.stdout
    assert (tmp_path / "out" / "far.sql.certificate.json").exists()


def test_no_name_passes_for_a_line_of_ours_or_commands_the_terminal(
    tmp_path: Path, command: Callable[..., Any]
) -> None:
    name = "\x1b[2J\u202e\nPASS     fine.sql"
    (tmp_path / "research").mkdir()
    (tmp_path / "research" / name).write_text(FAR)
    done = command("research", "--out", "out", *SERIAL)
    rows = done.stdout.splitlines()
    assert [row.split()[0] for row in rows[:2]] == ["verdict", "UNKNOWN"], done.stdout
    assert not any(row.startswith("PASS") for row in rows)
    assert not set("\x1b\u202e") & set(done.output)
    assert r"\x1b[2J\u202e\nPASS" in rows[1]
    alone = command(f"research/{name}").stdout
    assert alone.startswith(r"UNKNOWN  \x1b[2J\u202e\nPASS     fine.sql")
    again = CliRunner().invoke(
        app, ["verify", str(next((tmp_path / "out").iterdir())), "--catalog", "small.yaml"]
    )
    assert again.output.startswith(r"confirmed  UNKNOWN  \x1b[2J\u202e\nPASS     fine.sql")
    path = tmp_path / "out" / f"{name}.certificate.json"
    path.write_text("{}")
    kept = command("research", "--out", "out", *SERIAL)
    assert kept.exit_code == 2
    assert not set("\x1b\u202e") & set(kept.output)


def test_json_says_everything_the_table_says(tmp_path: Path, command: Callable[..., Any]) -> None:
    write(tmp_path / "research", leak_sql=LEAK, no_sql=" ")
    done = command("research", "--format", "json", "--out", "out", *SERIAL)
    told = json.loads(done.stdout)
    assert (told["schema_version"], told["exit_code"], done.exit_code) == (1, 2, 2)
    leak, none = told["programs"]
    assert (leak["program"], leak["verdict"], leak["certificate"]) == (
        "leak.sql",
        "FAIL",
        "out/leak.sql.certificate.json",
    )
    assert {(v["requirement"], v["table"], v["standing"]) for v in leak["violations"]} >= {
        ("A1", "report", "new")
    }
    assert (none["verdict"], none["certificate"]) == (None, None)
    assert "empty" in none["error"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("mean.sql", "--executor", "serial"), "for a folder"),
        (("mean.sql", "--baseline", "b.json"), "for a folder"),
        (("research", "--executor", "abacus"), "no executor 'abacus'"),
        (("research", "--update-baseline"), "--update-baseline needs --baseline"),
        (("research", "--baseline", "none.json", "--executor", "serial"), "--update-baseline"),
    ],
)
def test_options_that_do_not_fit_are_bad_input(
    tmp_path: Path, command: Callable[..., Any], arguments: tuple[str, ...], says: str
) -> None:
    write(tmp_path, mean_sql=MEAN)
    write(tmp_path / "research", mean_sql=MEAN)
    done = command(*arguments)
    assert done.exit_code == 2
    assert says in done.output

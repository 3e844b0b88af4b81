"""With a baseline only new violations fail, and a waiver needs a reason, an owner and an end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from finassay.audit import (
    Audited,
    Baseline,
    Certificate,
    Requirement,
    Standing,
    Verdict,
    Violation,
    Waiver,
    baseline_schema,
    baseline_text,
    judge,
    read_baseline,
    renewed_baseline,
)
from finassay.cli import app
from finassay.core import ExitCode, InputError
from finassay.temporal import Catalog, catalog_yaml

LEAK = "SELECT FIRM, MAX(PROFIT) AS best FROM report WHERE PERIOD <= DATE '2024-06-30' GROUP BY FIRM"
MEAN = "SELECT FIRM, AVG(CLOSE) AS close FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"
A1, A2, A3, _ = Requirement
DAY = date(2026, 3, 31)
BEFORE, AFTER = date(2026, 3, 30), date(2026, 4, 1)


def known(requirement: Requirement, table: str = "report", program: str = "leak.sql") -> Violation:
    return Violation(program=program, requirement=requirement, table=table)


def waiver(requirement: Requirement, **changes: Any) -> Waiver:
    values = {"reason": "the vendor's field is late", "owner": "Li Na", "expires": DAY} | changes
    return Waiver(program="leak.sql", requirement=requirement, table="report", **values)


@pytest.fixture(scope="module")
def leak(audited: Callable[..., Certificate]) -> Audited:
    """A program that violates A1 and A3 on the table report, and nothing else."""
    certificate = audited(LEAK)
    assert {(w.requirement, w.table) for w in certificate.witnesses} == {(A1, "report"), (A3, "report")}
    assert Verdict.UNKNOWN not in certificate.requirements.values()
    return Audited("leak.sql", certificate, exit_code=ExitCode.FAILED)


def standings(leak: Audited, baseline: Baseline | None, today: date = BEFORE) -> dict[Requirement, Standing]:
    [judged] = judge([leak], baseline, today)
    return {finding.violation.requirement: finding.standing for finding in judged.findings}


def code(leak: Audited, baseline: Baseline | None, today: date = BEFORE) -> ExitCode:
    [judged] = judge([leak], baseline, today)
    return judged.exit_code


def test_without_a_baseline_every_violation_is_new(leak: Audited) -> None:
    assert standings(leak, None) == {A1: Standing.NEW, A3: Standing.NEW}
    assert code(leak, None) is ExitCode.FAILED


def test_only_a_new_violation_fails(leak: Audited) -> None:
    half, both = Baseline(violations=(known(A1),)), Baseline(violations=(known(A1), known(A3)))
    assert standings(leak, half) == {A1: Standing.KNOWN, A3: Standing.NEW}
    assert code(leak, half) is ExitCode.FAILED
    assert code(leak, both) is ExitCode.OK


@pytest.mark.parametrize(
    "other", [known(A2), known(A1, table="alert"), known(A1, program="sub/leak.sql")], ids=lambda v: v.key[2]
)
def test_program_requirement_and_table_all_count(leak: Audited, other: Violation) -> None:
    assert standings(leak, Baseline(violations=(other,)))[A1] is Standing.NEW


def test_a_violation_stays_the_same_where_lines_move(
    leak: Audited, audited: Callable[..., Certificate]
) -> None:
    baseline = renewed_baseline([leak], None)
    moved = audited("-- a comment\n\n" + LEAK.replace(" FROM", "\n\n  FROM").replace("best", "top"))
    assert code(Audited("leak.sql", moved, exit_code=ExitCode.FAILED), baseline) is ExitCode.OK


def test_the_names_of_a_joint_violation_are_sorted(leak: Audited) -> None:
    assert leak.certificate is not None
    witness = leak.certificate.witnesses[0].model_copy(update={"table": "price, alert"})
    assert Violation.of("x.sql", witness).table == "alert, price"


def test_a_waiver_holds_to_the_end_of_its_last_day(leak: Audited) -> None:
    baseline = Baseline(violations=(known(A3),), waivers=(waiver(A1),))
    assert standings(leak, baseline, DAY) == {A1: Standing.WAIVED, A3: Standing.KNOWN}
    assert code(leak, baseline, DAY) is ExitCode.OK
    assert standings(leak, baseline, AFTER)[A1] is Standing.EXPIRED
    assert code(leak, baseline, AFTER) is ExitCode.FAILED


def test_an_expired_waiver_fails_even_where_the_violation_is_listed_too(leak: Audited) -> None:
    baseline = Baseline(violations=(known(A1), known(A3)), waivers=(waiver(A1),))
    assert code(leak, baseline, AFTER) is ExitCode.FAILED


def test_what_could_not_be_decided_does_not_pass_with_the_known(leak: Audited) -> None:
    assert leak.certificate is not None
    verdicts = leak.certificate.requirements | {A2: Verdict.UNKNOWN}
    half = Audited(
        "leak.sql", leak.certificate.model_copy(update={"requirements": verdicts}), exit_code=ExitCode.FAILED
    )
    assert code(half, Baseline(violations=(known(A1), known(A3)))) is ExitCode.UNKNOWN


@pytest.mark.parametrize("exit_code", [ExitCode.BAD_INPUT, ExitCode.INTERNAL])
def test_a_program_without_a_certificate_keeps_its_code(exit_code: ExitCode) -> None:
    failed = Audited("leak.sql", error="why", exit_code=exit_code)
    assert code(failed, Baseline(violations=(known(A1),))) is exit_code


# Renewing


def test_a_renewed_baseline_knows_all_that_was_found(leak: Audited) -> None:
    baseline = renewed_baseline([leak], None)
    assert baseline.violations == (known(A1), known(A3))
    assert code(leak, baseline) is ExitCode.OK


def test_what_was_mended_or_is_gone_is_dropped(leak: Audited) -> None:
    before = Baseline(violations=(known(A1), known(A2), known(A1, program="gone.sql")))
    assert renewed_baseline([leak], before).violations == (known(A1), known(A3))


def test_what_could_not_be_decided_stays_known(leak: Audited) -> None:
    before = Baseline(violations=(known(A1), known(A2)))
    failed = Audited("leak.sql", error="why", exit_code=ExitCode.BAD_INPUT)
    assert renewed_baseline([failed], before).violations == before.violations
    assert leak.certificate is not None
    verdicts = dict.fromkeys(Requirement, Verdict.UNKNOWN)
    open_ = leak.certificate.model_copy(update={"requirements": verdicts, "witnesses": []})
    undecided = Audited("leak.sql", open_, exit_code=ExitCode.UNKNOWN)
    assert renewed_baseline([undecided], before).violations == before.violations


def test_a_waiver_is_never_renewed_nor_made_a_known_violation(leak: Audited) -> None:
    before = Baseline(violations=(known(A1),), waivers=(waiver(A1),))
    after = renewed_baseline([leak], before)
    assert after == Baseline(violations=(known(A3),), waivers=(waiver(A1),))
    assert code(leak, after, AFTER) is ExitCode.FAILED


# The file


def test_a_baseline_comes_back_from_its_file(tmp_path: Path, leak: Audited) -> None:
    baseline = Baseline(violations=(known(A3),), waivers=(waiver(A1, owner="李娜"),))
    path = tmp_path / "pit-baseline.json"
    path.write_text(baseline_text(baseline), encoding="utf-8")
    assert read_baseline(path) == baseline
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), baseline_schema())


GOOD = {
    "program": "a.sql",
    "requirement": "A1",
    "table": "t",
    "reason": "why",
    "owner": "who",
    "expires": "2026-03-31",
}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"reason": None}, "waivers.0.reason"),
        ({"owner": None}, "waivers.0.owner"),
        ({"expires": None}, "waivers.0.expires"),
        ({"reason": "  "}, "waivers.0.reason"),
        ({"owner": ""}, "waivers.0.owner"),
        ({"expires": "31.03.2026"}, "waivers.0.expires"),
        ({"expires": "2026-02-30"}, "waivers.0.expires"),
        ({"expires": 1774915200}, "waivers.0.expires"),
        ({"expires": "2026-03-31T00:00:00"}, "waivers.0.expires"),
        ({"requirement": "A9"}, "waivers.0.requirement"),
        ({"tabel": "t"}, "waivers.0.tabel"),
    ],
    ids=str,
)
def test_a_waiver_that_says_too_little_is_refused(
    tmp_path: Path, changes: dict[str, Any], place: str
) -> None:
    waiver = {name: value for name, value in (GOOD | changes).items() if value is not None}
    path = tmp_path / "b.json"
    path.write_text(json.dumps({"version": "1.0", "waivers": [waiver]}))
    with pytest.raises(InputError, match=rf"b\.json is not accepted: {place}"):
        read_baseline(path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": "2.0"}'])
def test_what_is_no_baseline_is_bad_input(tmp_path: Path, text: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(InputError, match="not accepted"):
        read_baseline(path)


def test_a_violation_stands_once_in_each_list(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text(json.dumps({"waivers": [GOOD, GOOD | {"expires": "2030-01-01"}]}))
    with pytest.raises(InputError, match=r"a\.sql A1 t twice"):
        read_baseline(path)


def test_the_baseline_of_the_documentation_is_accepted(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "audit.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "pit-baseline.json"
    path.write_text(shown, encoding="utf-8")
    baseline = read_baseline(path)
    assert (len(baseline.violations), len(baseline.waivers)) == (1, 1)
    jsonschema.validate(json.loads(shown), baseline_schema())


# The command


def test_the_command_fails_on_new_violations_only(
    tmp_path: Path, market: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    own, path, research = tmp_path / "small.yaml", tmp_path / "pit-baseline.json", tmp_path / "research"
    own.write_text(catalog_yaml(catalog), encoding="utf-8")
    research.mkdir()
    (research / "leak.sql").write_text(LEAK)
    (research / "mean.sql").write_text(MEAN)
    arguments = ["audit", "research", "--db", market, "--catalog", "small.yaml", "--as-of", "2024-06-30"]
    arguments += ["--executor", "serial", "--baseline", "pit-baseline.json"]

    def run(*more: str) -> Any:
        return CliRunner().invoke(app, [*arguments, *more])

    assert run().exit_code == 2, "a baseline that is not there is not made up"
    assert not path.exists()

    written = run("--update-baseline")
    assert written.exit_code == 0
    assert "now lists 2 known violation(s): 2 added, 0 dropped" in written.stderr
    before = path.read_bytes()

    assert run().exit_code == 0
    assert path.read_bytes() == before, "it is written only where that is asked for"

    (research / "mean.sql").write_text(MEAN.replace("WHERE DAY <= DATE '2024-06-30' ", ""))
    failed = run()
    assert failed.exit_code == 1
    assert "A1 price: rows not yet known are removed (new)" in failed.output
    assert "3 violation(s): 1 new, 2 known, 0 waived, 0 expired" in failed.output

    document = json.loads(before)
    waiver = {"program": "mean.sql", "requirement": "A1", "table": "price", "reason": "r", "owner": "Li Na"}
    for expires, exit_code, word in (("9999-12-31", 0, "waived"), ("2000-01-01", 1, "expired")):
        path.write_text(json.dumps(document | {"waivers": [waiver | {"expires": expires}]}))
        done = run()
        assert done.exit_code == exit_code, done.output
        assert f"({word}, Li Na, {expires}: r)" in done.output

    (research / "mean.sql").write_text(MEAN)
    assert "1 line(s) of the baseline were not found again" in run().output

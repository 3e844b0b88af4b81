"""Audits as SARIF 2.1.0: the structure that its readers require, and nothing that a row could smuggle in."""

from __future__ import annotations

import json
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
    Verdict,
    Violation,
    Waiver,
    judge,
    sarif_log,
    visible,
)
from finassay.cli import app
from finassay.core import ExitCode
from finassay.temporal import Catalog, catalog_yaml

LEAK = "-- best so far\nSELECT FIRM, MAX(PROFIT) AS best\nFROM report WHERE PERIOD <= DATE '2024-06-30' GROUP BY FIRM"
TODAY = date(2026, 3, 31)


def obj(required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def some(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


TEXT: dict[str, Any] = {"type": "string"}
MESSAGE = obj("text", text={"type": "string", "minLength": 1})
LEVEL = {"enum": ["none", "note", "warning", "error"]}
# SARIF 2.1.0, 3.28 to 3.30: a location is a file, by a URI reference, and a region of it from line 1 on
LOCATION = obj(
    "physicalLocation",
    physicalLocation=obj(
        "artifactLocation",
        artifactLocation=obj("uri", uri={"type": "string", "pattern": r"^[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$"}),
        region=obj(
            "startLine",
            startLine={"type": "integer", "minimum": 1},
            startColumn={"type": "integer", "minimum": 1},
        ),
    ),
)
RULE = obj("id", id=TEXT, name=TEXT, shortDescription=MESSAGE, defaultConfiguration=obj("", level=LEVEL))
RESULT = obj(
    "message ruleId locations",  # of these the format requires the message, code review the others
    ruleId={"enum": ["A1", "A2", "A3", "A4"]},
    ruleIndex={"type": "integer", "minimum": 0},
    kind={"enum": ["pass", "open", "informational", "notApplicable", "review", "fail"]},
    level=LEVEL,
    message=MESSAGE,
    locations=some(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
    suppressions=some(
        obj(
            "kind",
            kind={"enum": ["inSource", "external"]},
            status={"enum": ["accepted", "underReview", "rejected"]},
            justification=TEXT,
        )
    ),
    properties={"type": "object"},
)
LOG = obj(
    "version runs",
    **{"$schema": TEXT},
    version={"const": "2.1.0"},
    runs=some(
        obj(
            "tool",
            tool=obj("driver", driver=obj("name", name=TEXT, version=TEXT, rules=some(RULE))),
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            invocations=some(
                obj(
                    "executionSuccessful",
                    executionSuccessful={"type": "boolean"},
                    toolExecutionNotifications=some(
                        obj("message", message=MESSAGE, level=LEVEL, locations=some(LOCATION))
                    ),
                )
            ),
            results=some(RESULT),
        )
    ),
)


@pytest.fixture(scope="module")
def certificate(audited: Callable[..., Certificate]) -> Certificate:
    return audited(LEAK)


def leak(certificate: Certificate, program: str = "leak.sql") -> Audited:
    return Audited(program, certificate, exit_code=ExitCode.FAILED)


def run_of(*found: Audited, baseline: Baseline | None = None, root: str = "") -> dict[str, Any]:
    """Return the only run of a log, which must follow the format."""
    log = sarif_log(judge(found, baseline, TODAY), root, baseline=baseline is not None)
    jsonschema.validate(json.loads(json.dumps(log)), LOG)
    [run] = log["runs"]
    for result in run["results"]:
        # 3.27.9 and 3.27.10: a level other than none belongs to what fails; an index points at its own rule
        assert (result["kind"] == "fail") == (result["level"] != "none")
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run  # type: ignore[no-any-return]


def test_there_is_a_rule_per_requirement(certificate: Certificate) -> None:
    driver = run_of(leak(certificate))["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["A1", "A2", "A3", "A4"]


def test_a_violation_is_a_result_with_its_witness_where_the_table_is_named(certificate: Certificate) -> None:
    results = run_of(leak(certificate), root="research")["results"]
    assert [result["ruleId"] for result in results] == [w.requirement for w in certificate.witnesses]
    first, witness = results[0], certificate.witnesses[0]
    assert first["kind"] == "fail"
    assert first["properties"]["witness"] == witness.model_dump(mode="json")
    assert witness.says in first["message"]["text"]
    where = first["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == "research/leak.sql"
    assert where["region"] == {"startLine": 3, "startColumn": 6}, "FROM report"
    plain = certificate.model_copy(update={"obligations": []})
    where = run_of(leak(plain))["results"][0]["locations"][0]["physicalLocation"]
    assert where["region"] == {"startLine": 3}, "the line that names the table, where its text tells no more"
    held = certificate.subject.model_copy(update={"cells": [LEAK]})
    where = run_of(leak(certificate.model_copy(update={"subject": held})))["results"][0]["locations"][0]
    assert where["physicalLocation"]["region"] == {"startLine": 1}, (
        "lines of a notebook are not lines of its file"
    )


def test_what_the_text_says_of_a_violation_is_in_the_message(certificate: Certificate) -> None:
    violated = [one for one in certificate.obligations if one.status == "violated"]
    assert [(one.requirement, one.table) for one in violated] == [(Requirement.DISCLOSURE, "report")]
    first, second = (result["message"]["text"] for result in run_of(leak(certificate))["results"])
    assert first.endswith(violated[0].why)
    assert violated[0].why not in second


def test_a_name_of_a_file_becomes_a_uri(certificate: Certificate) -> None:
    """RFC 3986: a blank and what is not ASCII are written in percent, of UTF-8; a colon would begin a scheme."""
    results = run_of(leak(certificate, "因子/a b:c.sql"), root="../re search/.")["results"]
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "../re%20search/%E5%9B%A0%E5%AD%90/a%20b%3Ac.sql"
    )


def test_a_fingerprint_is_the_violation_and_not_its_line(
    certificate: Certificate, audited: Callable[..., Certificate]
) -> None:
    def prints(found: Certificate) -> list[str]:
        return [r["partialFingerprints"]["violation/v1"] for r in run_of(leak(found))["results"]]

    moved = audited("\n\n" + LEAK)
    assert prints(moved) == prints(certificate)
    assert len(set(prints(certificate))) == len(certificate.witnesses)


def test_what_could_not_be_decided_is_open(certificate: Certificate) -> None:
    undecided = certificate.model_copy(
        update={
            "requirements": dict.fromkeys(Requirement, Verdict.UNKNOWN),
            "witnesses": [],
            "reasons": ["low_power"],
            "notes": ["1 of 3 guards."],
        }
    )
    results = run_of(Audited("x.sql", undecided, exit_code=ExitCode.UNKNOWN))["results"]
    assert [(r["ruleId"], r["kind"]) for r in results] == [
        (code, "open") for code in ("A1", "A2", "A3", "A4")
    ]
    assert results[0]["message"]["text"] == "UNKNOWN: 1 of 3 guards."


def test_a_program_that_could_not_be_audited_is_a_notification() -> None:
    run = run_of(Audited("x.sql", error="x.sql is empty.", exit_code=ExitCode.BAD_INPUT))
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "x.sql is empty."
    assert run["results"] == []


def test_a_baseline_tells_the_new_from_the_known_and_the_waived(certificate: Certificate) -> None:
    a1, a3 = (
        Violation(program="leak.sql", requirement=r, table="report")
        for r in (Requirement.DISCLOSURE, Requirement.VERSION)
    )
    plain = run_of(leak(certificate))["results"]
    assert not any({"baselineState", "suppressions"} & set(result) for result in plain)

    waiver = Waiver(**a3.model_dump(), reason="late field", owner="Li Na", expires=TODAY)
    states = run_of(leak(certificate), baseline=Baseline(violations=(a1,), waivers=(waiver,)))["results"]
    assert [result["baselineState"] for result in states] == ["unchanged", "unchanged"]
    assert "suppressions" not in states[0]
    assert states[1]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "late field (Li Na, until 2026-03-31)"}
    ]
    gone = waiver.model_copy(update={"expires": date(2026, 3, 30)})
    [new, expired] = run_of(leak(certificate), baseline=Baseline(waivers=(gone,)))["results"]
    assert new["baselineState"] == "new"
    assert expired["suppressions"][0]["status"] == "rejected"


def test_a_row_cannot_make_a_link_a_placeholder_or_hide(certificate: Certificate) -> None:
    """3.11.5 and 3.11.6: in a message ``[text](uri)`` is a link and ``{0}`` an argument unless escaped."""
    witness = certificate.witnesses[0]
    evil = witness.model_copy(
        update={"row": {"NAME": "[free](https://evil.example) {0} \u202e\x1b[2J\\"}, "shown": ["NAME"]}
    )
    found = leak(certificate.model_copy(update={"witnesses": [evil]}))
    text = run_of(found)["results"][0]["message"]["text"]
    assert (r"\[free\](https://evil.example) {{0}} \\u202e\\u001b\[2J\\.") in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("基金 ok\n\tnext", "基金 ok\n\tnext"),
        ("a\x00b", r"a\u0000b"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\ud800", r"\ud800"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
    ],
)
def test_what_is_invisible_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_the_command_writes_sarif_for_a_program_and_for_a_folder(
    tmp_path: Path, market: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")
    (tmp_path / "research").mkdir()
    (tmp_path / "research" / "far.sql").write_text("SELECT X FROM stranger")
    for what in (["research/far.sql"], ["research", "--executor", "serial"], [str(tmp_path / "research")]):
        given = ["--db", market, "--catalog", "small.yaml", "--as-of", "2024-06-30", "--format", "sarif"]
        done = CliRunner().invoke(app, ["audit", *what, *given])
        assert done.exit_code == 3, done.output
        log = json.loads(done.stdout)
        jsonschema.validate(log, LOG)
        uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri == ("far.sql" if what[0].startswith("/") else "research/far.sql")
        assert str(tmp_path) not in done.stdout, "no path of this machine"

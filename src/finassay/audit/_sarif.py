"""Audits as SARIF 2.1.0, the format of code review: one rule per requirement, one result per violation."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from finassay.audit._baseline import Standing
from finassay.audit._types import Requirement, Verdict
from finassay.core import hash_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from finassay.audit._baseline import Finding, Judged, Violation
    from finassay.audit._certificate import Certificate, Obligation

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULES = {
    Requirement.DISCLOSURE: ("Disclosure", "Nothing that was disclosed after the cut-off is used."),
    Requirement.STATE: ("State", "No state of today stands in for the state at the cut-off."),
    Requirement.VERSION: ("Version", "The version, and the interval, that counted at the cut-off is used."),
    Requirement.OMISSION: ("Omission", "Every source that the task requires is used."),
}


def visible(text: str) -> str:
    """Write out control and formatting characters by their code, so that none hides a text or turns it around."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c)[0] == "C" and c not in "\n\t" else c for c in text
    )


def sarif_log(judged: Sequence[Judged], root: str = "", *, baseline: bool = False) -> dict[str, Any]:
    """Return audits as one SARIF log.

    A violation is a result that fails. What could not be decided is a result of the kind ``open``; a program that
    could not be audited is a notification. A known violation is ``unchanged``, a waived one is suppressed.

    Parameters
    ----------
    judged : sequence of Judged
        The programs.
    root : str
        The folder of their paths, relative to the repository; empty for none.
    baseline : bool
        Whether they were held against a baseline, so that what is new can be told.

    Returns
    -------
    dict
        JSON-ready. It holds neither a time nor a path of this machine.
    """
    import finassay

    results = [result for one in judged for result in _results(one, root, baseline=baseline)]
    notes = [
        {
            "level": "error",
            "message": _message(one.audited.error or ""),
            "locations": [_location(root, one.audited.program, 1)],
        }
        for one in judged
        if one.audited.certificate is None
    ]
    driver = {
        "name": "finassay",
        "version": finassay.__version__,
        "rules": [_rule(requirement) for requirement in Requirement],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not notes, "toolExecutionNotifications": notes}],
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(requirement: Requirement) -> dict[str, Any]:
    name, says = RULES[requirement]
    return {
        "id": requirement.value,
        "name": name,
        "shortDescription": {"text": says},
        "defaultConfiguration": {"level": "error"},
    }


def _results(judged: Judged, root: str, *, baseline: bool) -> Iterator[dict[str, Any]]:
    certificate = judged.audited.certificate
    if certificate is None:
        return
    for finding in judged.findings:
        yield _violation(finding, certificate, root, baseline=baseline)
    program = judged.audited.program
    for requirement, verdict in certificate.requirements.items():
        if verdict is Verdict.UNKNOWN:
            why = " ".join(dict.fromkeys(certificate.notes)) or "It could not be decided."
            yield {
                **_ruled(requirement),
                "kind": "open",
                "level": "none",
                "message": _message(f"UNKNOWN: {why}"),
                "locations": [_location(root, program, 1)],
                "properties": {"reasons": certificate.reasons},
            }


def _violation(finding: Finding, certificate: Certificate, root: str, *, baseline: bool) -> dict[str, Any]:
    witness, violation = finding.witness, finding.violation
    told = _obligation(certificate, violation)
    why = f" {told.why}" if told is not None else ""
    result: dict[str, Any] = {
        **_ruled(violation.requirement),
        "kind": "fail",
        "level": "error",
        "message": _message(sentence(finding) + why),
        "locations": [_location(root, violation.program, *_place(certificate, violation.table, told))],
        "partialFingerprints": {"violation/v1": hash_json(violation.model_dump(mode="json"))},
        "properties": {"table": violation.table, "witness": witness.model_dump(mode="json")},
    }
    if baseline:
        result["baselineState"] = "new" if finding.standing is Standing.NEW else "unchanged"
    if finding.waiver is not None:
        waiver = finding.waiver
        accepted = finding.standing is Standing.WAIVED
        result["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted" if accepted else "rejected",
                "justification": visible(
                    f"{waiver.reason} ({waiver.owner}, {'until' if accepted else 'expired'} {waiver.expires})"
                ),
            }
        ]
    return result


def sentence(finding: Finding) -> str:
    """Return a violation in a sentence or two: what was altered, and the row."""
    witness = finding.witness
    text = f"{witness.table}, as of {witness.as_of}: {witness.says}, and {witness.effect}."
    if witness.row is not None:
        text += " Row: " + ", ".join(f"{name} {witness.row[name]}" for name in witness.shown) + "."
    return text


def _ruled(requirement: Requirement) -> dict[str, Any]:
    return {"ruleId": requirement.value, "ruleIndex": list(Requirement).index(requirement)}


def _message(text: str) -> dict[str, str]:
    """Return a message; brackets would make a link of what a row says, and braces a placeholder (SARIF, 3.11)."""
    escaped = re.sub(r"([\\\[\]])", r"\\\1", visible(text))
    return {"text": escaped.replace("{", "{{").replace("}", "}}")}


def _location(root: str, program: str, line: int, column: int | None = None) -> dict[str, Any]:
    path = posixpath.normpath(posixpath.join(root, program))
    uri = quote(path.encode("utf-8", "surrogateescape"))  # a name that is not UTF-8 has its bytes
    region = {"startLine": line} | ({"startColumn": column} if column else {})
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _obligation(certificate: Certificate, violation: Violation) -> Obligation | None:
    """Return what the program's text says of a violation, the surest first."""
    names = violation.table.lower().split(", ")
    found = [
        one
        for one in certificate.obligations
        if one.requirement is violation.requirement
        and one.table.lower() in names
        and one.status != "discharged"
    ]
    return min(found, key=lambda one: one.status != "violated", default=None)


def _place(certificate: Certificate, tables: str, told: Obligation | None) -> tuple[int, int | None]:
    """Return the line and column of an obligation, or of where the program names the table.

    The first line stands for the whole of a file that is not the program itself, or names none.
    """
    subject = certificate.subject
    if subject.cells or certificate.program.endswith(".json"):
        return 1, None
    if told is not None and told.line is not None:
        return told.line, told.column
    lines = (subject.sql_code or subject.python_code or "").split("\n")
    names = map(re.escape, tables.split(", "))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", re.IGNORECASE)
    return next((number for number, line in enumerate(lines, 1) if pattern.search(line)), 1), None

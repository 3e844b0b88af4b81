"""`finassay audit FOLDER`: every program of a folder, against a baseline."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.cli._output import write_message
from finassay.core import ExitCode, InputError, printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from finassay.audit import Audited, Baseline, Judged
    from finassay.database import Dialect
    from finassay.execution import Submission
    from finassay.temporal import Catalog, Contract

_WIDTH = 120


def audit_programs(
    folder: Path,
    db: str,
    catalog: Catalog,
    contract: Contract | None,
    dialect: Dialect | None,
    *,
    reference: Submission | None,
    impact: bool,
    timeout: float | None,
    executor: str,
    named: str,
    out: Path | None,
    force: bool,
) -> tuple[Audited, ...]:
    """Audit a folder by a catalog, named so; leave one certificate each under `out`."""
    from finassay.audit import audit_folder, find_programs
    from finassay.executor import ResultCache, open_executor

    if out is not None:
        _check_folder(out, find_programs(folder, leave_out=out))
    with open_executor(executor) as workers:
        found = audit_folder(
            folder,
            db,
            catalog,
            executor=workers,
            cache=ResultCache(_cache_folder()),
            contract=contract,
            reference=reference,
            impact=impact,
            dialect=dialect,
            timeout=timeout,
            leave_out=out,
        )
    found = tuple(_at(one, out, named) for one in found)
    if out is not None:
        _write(found, out, force=force)
    return found


def _at(one: Audited, out: Path | None, named: str) -> Audited:
    if one.certificate is None:
        return one
    file = None if out is None else _certificate_file(out, one.program)
    return replace(one, certificate=one.certificate.at(file, named))


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "finassay" / "audits"


def _certificate_file(out: Path, program: str) -> Path:
    return out / f"{program}.certificate.json"


def _check_folder(out: Path, programs: list[str]) -> None:
    """Say before anything is run what cannot be written after it."""
    blocked = next((path for path in (out, *out.parents) if path.exists() and not path.is_dir()), None)
    taken = [path for program in programs if (path := _certificate_file(out, program)).is_dir()]
    if blocked is not None or taken:
        raise InputError(
            f"Expected a folder for --out, but {blocked or taken[0]} is in the way.",
            hint="Choose another one.",
            reason="output_exists",
        )


def _write(found: Sequence[Audited], out: Path, *, force: bool) -> None:
    """Write the certificates; one that is there and says something else is kept unless `force`."""
    other = []
    for one in found:
        if one.certificate is None:
            continue
        path = _certificate_file(out, one.program)
        text = one.certificate.model_dump_json(indent=2) + "\n"
        if path.exists() and not force:
            if path.read_bytes() != text.encode():
                other.append(path)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if other:
        raise InputError(
            f"{len(other)} file(s) say something else than this audit and were kept, the first is {other[0]}.",
            hint="Give --force to overwrite them: nothing is audited twice.",
            reason="output_exists",
        )


def held_against(
    found: Sequence[Audited], path: Path | None, *, update: bool
) -> tuple[tuple[Judged, ...], Baseline | None]:
    """Judge programs by today's date; write the baseline anew where that is asked for, and say so."""
    from finassay.audit import baseline_text, judge, read_baseline, renewed_baseline

    if path is None:
        if update:
            raise InputError("--update-baseline needs --baseline FILE.", reason="no_baseline")
        return judge(found, None, _today()), None
    before = read_baseline(path) if path.exists() or not update else None
    baseline = before
    if update:
        baseline = renewed_baseline(found, before)
        path.write_text(baseline_text(baseline), encoding="utf-8")
        old = {one.key for one in before.violations} if before else set()
        new = {one.key for one in baseline.violations}
        write_message(
            f"finassay: {path} now lists {len(new)} known violation(s): {len(new - old)} added, "
            f"{len(old - new)} dropped; {len(baseline.waivers)} waiver(s) kept as they are."
        )
    return judge(found, baseline, _today()), baseline


def _today() -> date:
    """Return the date where the user is: the only clock of an audit, and only waivers ask for it."""
    return datetime.now().astimezone().date()


def as_json(judged: Sequence[Judged], code: ExitCode, out: Path | None) -> dict[str, Any]:
    """Return a folder's audit for machines."""
    return {
        "schema_version": 1,
        "exit_code": int(code),
        "programs": [_entry(one, out) for one in judged],
    }


def _entry(judged: Judged, out: Path | None) -> dict[str, Any]:
    one, certificate = judged.audited, judged.audited.certificate
    return {
        "program": one.program,
        "exit_code": int(judged.exit_code),
        "verdict": certificate.verdict if certificate else None,
        "requirements": certificate.requirements if certificate else {},
        "reasons": certificate.reasons if certificate else [],
        "error": one.error,
        "violations": [
            {
                "requirement": finding.violation.requirement,
                "table": finding.violation.table,
                "standing": finding.standing,
                "waiver": finding.waiver.model_dump(mode="json", include={"reason", "owner", "expires"})
                if finding.waiver
                else None,
            }
            for finding in judged.findings
        ],
        "certificate": _certificate_file(out, one.program).as_posix() if out and certificate else None,
    }


def as_text(judged: Sequence[Judged], baseline: Baseline | None, out: Path | None) -> str:
    """Return a folder's audit as a table and a line that sums it up, without escape codes."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("verdict", "program", "findings"):
        table.add_column(name, overflow="fold")
    for one in judged:
        certificate = one.audited.certificate
        verdict = certificate.verdict.value if certificate else "error"
        findings = printable(_findings(one, baseline))
        table.add_row(*map(Text, (verdict, printable(one.audited.program, keep=""), findings)))
    buffer = io.StringIO()
    Console(file=buffer, width=_WIDTH, color_system=None).print(table)
    rows = [line.rstrip() for line in buffer.getvalue().splitlines()]
    return "\n".join([*rows, "", *_sums(judged, baseline, out)])


def _findings(judged: Judged, baseline: Baseline | None) -> str:
    certificate = judged.audited.certificate
    if certificate is None:
        return judged.audited.error or ""
    if not judged.findings:
        return "\n".join(dict.fromkeys(certificate.notes)) or ", ".join(certificate.reasons)
    lines = []
    for finding in judged.findings:
        waiver = finding.waiver
        told = f", {waiver.owner}, {waiver.expires}: {waiver.reason}" if waiver else ""
        standing = f" ({finding.standing}{told})" if baseline is not None else ""
        violation = finding.violation
        lines.append(f"{violation.requirement} {violation.table}: {finding.witness.says}{standing}")
    return "\n".join(lines)


def _sums(judged: Sequence[Judged], baseline: Baseline | None, out: Path | None) -> list[str]:
    words = [one.audited.certificate.verdict if one.audited.certificate else "error" for one in judged]
    counts = ", ".join(f"{words.count(word)} {word}" for word in ("PASS", "FAIL", "UNKNOWN", "error"))
    lines = [f"{len(judged)} program(s): {counts}"]
    if baseline is not None:
        found = [finding for one in judged for finding in one.findings]
        standings = [finding.standing.value for finding in found]
        told = ", ".join(f"{standings.count(s)} {s}" for s in ("new", "known", "waived", "expired"))
        lines.append(f"{len(found)} violation(s): {told}")
        here = {finding.violation.key for finding in found}
        gone = sum(one.key not in here for one in (*baseline.violations, *baseline.waivers))
        if gone:
            lines.append(f"{gone} line(s) of the baseline were not found again")
    if out is not None:
        lines.append(printable(f"Certificates are in {out}.", keep=""))
    return lines

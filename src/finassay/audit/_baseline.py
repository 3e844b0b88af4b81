"""The baseline of a folder: violations that are known, and waivers with a reason, an owner and an end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from finassay.audit._documents import parse_document, read_text
from finassay.audit._types import Requirement, Verdict
from finassay.core import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.audit._certificate import Witness
    from finassay.audit._folder import Audited


def _iso_date(value: Any) -> Any:
    if not isinstance(value, date) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(value)):
        raise ValueError(f"a date is written 2024-12-24, not {value!r}")
    return value


_Day = Annotated[date, BeforeValidator(_iso_date)]
_Name = Annotated[str, StringConstraints(min_length=1)]
_Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Violation(BaseModel):
    """What makes two violations the same, whatever else changes in a program: lines may move, rows may differ.

    Attributes
    ----------
    program : str
        Its path in the folder, with slashes.
    requirement : Requirement
        What it violates.
    table : str
        The table; several, sorted, where only all of them together show it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    program: _Name
    requirement: Requirement
    table: _Name

    @classmethod
    def of(cls, program: str, witness: Witness) -> Violation:
        """Return the violation that a witness shows."""
        return cls(
            program=program,
            requirement=witness.requirement,
            table=", ".join(sorted(witness.table.split(", "))),
        )

    @property
    def key(self) -> tuple[str, Requirement, str]:
        """Return the three, to compare and to sort by."""
        return (self.program, self.requirement, self.table)


class Waiver(Violation):
    """Why a violation may stay for a while.

    Attributes
    ----------
    reason : str
        Why; not empty.
    owner : str
        Who answers for it; not empty.
    expires : date
        The last day that it holds.
    """

    reason: _Said
    owner: _Said
    expires: _Day


class Baseline(BaseModel):
    """The violations of a folder that do not fail (``docs/schemas/baseline.json``).

    Attributes
    ----------
    version : "1.0"
        Of this format.
    violations : tuple of Violation
        Those that were there when the baseline was written; finassay writes them.
    waivers : tuple of Waiver
        Those that somebody answers for; people write them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal["1.0"] = "1.0"
    violations: tuple[Violation, ...] = ()
    waivers: tuple[Waiver, ...] = Field(default=(), description="Each holds until the end of its last day.")

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for name, listed in (("violations", self.violations), ("waivers", self.waivers)):
            keys = [one.key for one in listed]
            twice = next((key for key in keys if keys.count(key) > 1), None)
            if twice is not None:
                raise ValueError(f"'{name}' has {' '.join(twice)} twice")
        return self


class Standing(StrEnum):
    """What a baseline says of a violation; ``new`` and ``expired`` fail."""

    NEW = "new"
    KNOWN = "known"
    WAIVED = "waived"
    EXPIRED = "expired"

    @property
    def fails(self) -> bool:
        """Whether it counts."""
        return self in {Standing.NEW, Standing.EXPIRED}


@dataclass(frozen=True)
class Finding:
    """A violation, its evidence, and what the baseline says of it.

    Attributes
    ----------
    violation : Violation
        Which one.
    witness : Witness
        The evidence.
    standing : Standing
        Without a baseline all are new.
    waiver : Waiver or None
        The waiver, also one that has expired.
    """

    violation: Violation
    witness: Witness
    standing: Standing
    waiver: Waiver | None = None


@dataclass(frozen=True)
class Judged:
    """A program of a folder, judged against a baseline.

    Attributes
    ----------
    audited : Audited
        What became of it.
    findings : tuple of Finding
        One per witness.
    """

    audited: Audited
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> ExitCode:
        """1 where a violation counts; where none does, 3 if something of the program could not be decided."""
        if any(finding.standing.fails for finding in self.findings):
            return ExitCode.FAILED
        certificate = self.audited.certificate
        if certificate is None or not self.findings:
            return self.audited.exit_code
        undecided = Verdict.UNKNOWN in certificate.requirements.values()
        return ExitCode.UNKNOWN if undecided else ExitCode.OK


def judge(audited: Iterable[Audited], baseline: Baseline | None, today: date) -> tuple[Judged, ...]:
    """Hold the violations of programs against a baseline.

    Parameters
    ----------
    audited : iterable of Audited
        What was found.
    baseline : Baseline or None
        What need not fail.
    today : date
        The day to judge at: a waiver holds to the end of its last day. An expired one fails even where the violation
        is also listed as known.
    """
    return tuple(Judged(one, _findings(one, baseline or Baseline(), today)) for one in audited)


def _findings(audited: Audited, baseline: Baseline, today: date) -> tuple[Finding, ...]:
    if audited.certificate is None:
        return ()
    known = {one.key for one in baseline.violations}
    waivers = {one.key: one for one in baseline.waivers}
    found = []
    for witness in audited.certificate.witnesses:
        violation = Violation.of(audited.program, witness)
        waiver = waivers.get(violation.key)
        if waiver is not None:
            standing = Standing.WAIVED if today <= waiver.expires else Standing.EXPIRED
        else:
            standing = Standing.KNOWN if violation.key in known else Standing.NEW
        found.append(Finding(violation, witness, standing, waiver))
    return tuple(found)


def renewed_baseline(audited: Iterable[Audited], baseline: Baseline | None) -> Baseline:
    """Return a baseline of what was found: all violations are known, but those that have a waiver.

    Waivers stay as they are: one that has expired goes on failing until somebody changes it. Known violations that
    were not found stay where this audit could not decide; where it could, or the program is gone, they are dropped.
    """
    before = baseline or Baseline()
    waived = {one.key for one in before.waivers}
    results = list(audited)
    found = {
        violation.key: violation
        for one in results
        if one.certificate is not None
        for violation in (Violation.of(one.program, witness) for witness in one.certificate.witnesses)
    }
    undecided = {one.program: one for one in results}
    kept = {one.key: one for one in before.violations if _open(undecided.get(one.program), one)}
    every = {**kept, **found}
    return Baseline(
        violations=tuple(every[key] for key in sorted(every) if key not in waived),
        waivers=before.waivers,
    )


def _open(audited: Audited | None, violation: Violation) -> bool:
    """Whether an audit left it undecided if a program still violates."""
    if audited is None:
        return False
    if audited.certificate is None:
        return True
    return audited.certificate.requirements.get(violation.requirement) is Verdict.UNKNOWN


def read_baseline(path: Path) -> Baseline:
    """Read a baseline from its file.

    Raises
    ------
    InputError
        If it cannot be read or does not follow the format; the message names the field. A waiver without a reason, an
        owner or an end is refused.
    """
    name = f"The baseline {path}"
    text = read_text(
        path, name, hint="Write one with --update-baseline.", missing="no_baseline", reason="bad_baseline"
    )
    return parse_document(
        Baseline,
        text,
        f"{name} is not accepted",
        hint="A waiver has program, requirement, table, reason, owner and expires (2025-03-31).",
        reason="bad_baseline",
    )


def baseline_text(baseline: Baseline) -> str:
    """Return a baseline as its file holds it: sorted, one field a line, so that a diff can be reviewed."""
    return baseline.model_dump_json(indent=2) + "\n"


def baseline_schema() -> dict[str, Any]:
    """Return the JSON Schema of the baseline (``docs/schemas/baseline.json``)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Baseline.model_json_schema()}

"""The point-in-time audit: PASS, FAIL or UNKNOWN for a program, with a witness; see pit_audit.md, 2."""

from __future__ import annotations

from finassay.audit._audit import audit
from finassay.audit._certificate import (
    Certificate,
    ScenarioRun,
    Survivor,
    TableRead,
    Witness,
    certificate_schema,
)
from finassay.audit._prompt import Instruction, lint_prompt
from finassay.audit._replay import Replay, read_certificate, replay
from finassay.audit._subject import Subject
from finassay.audit._text import certificate_text
from finassay.audit._types import Family, Requirement, Verdict

__all__ = [
    "Certificate",
    "Family",
    "Instruction",
    "Replay",
    "Requirement",
    "ScenarioRun",
    "Subject",
    "Survivor",
    "TableRead",
    "Verdict",
    "Witness",
    "audit",
    "certificate_schema",
    "certificate_text",
    "lint_prompt",
    "read_certificate",
    "replay",
]

"""The point-in-time audit: PASS, FAIL or UNKNOWN for a program, with a witness; see pit_audit.md, 2."""

from __future__ import annotations

from finassay.audit._audit import audit
from finassay.audit._baseline import (
    Baseline,
    Finding,
    Judged,
    Standing,
    Violation,
    Waiver,
    baseline_schema,
    baseline_text,
    judge,
    read_baseline,
    renewed_baseline,
)
from finassay.audit._certificate import (
    Certificate,
    Obligation,
    ScenarioRun,
    Survivor,
    TableRead,
    Witness,
    certificate_schema,
)
from finassay.audit._folder import Audited, audit_folder, contract_beside, find_programs, reference_beside
from finassay.audit._html import html_page
from finassay.audit._prompt import Instruction, lint_prompt
from finassay.audit._replay import (
    Replay,
    WitnessReplay,
    load_certificate,
    read_certificate,
    replay,
    replay_witness,
)
from finassay.audit._sarif import sarif_log, visible
from finassay.audit._static import static_obligations
from finassay.audit._subject import Output, Runner, Subject
from finassay.audit._text import certificate_text
from finassay.audit._types import Family, Requirement, Verdict

__all__ = [
    "Audited",
    "Baseline",
    "Certificate",
    "Family",
    "Finding",
    "Instruction",
    "Judged",
    "Obligation",
    "Output",
    "Replay",
    "Requirement",
    "Runner",
    "ScenarioRun",
    "Standing",
    "Subject",
    "Survivor",
    "TableRead",
    "Verdict",
    "Violation",
    "Waiver",
    "Witness",
    "WitnessReplay",
    "audit",
    "audit_folder",
    "baseline_schema",
    "baseline_text",
    "certificate_schema",
    "certificate_text",
    "contract_beside",
    "find_programs",
    "html_page",
    "judge",
    "lint_prompt",
    "load_certificate",
    "read_baseline",
    "read_certificate",
    "reference_beside",
    "renewed_baseline",
    "replay",
    "replay_witness",
    "sarif_log",
    "static_obligations",
    "visible",
]

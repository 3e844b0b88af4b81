"""Traps found in published code, rebuilt over the real data: the audit finds each, and passes its repaired twin.

The data are not ours to ship: a case is skipped where they are not shared. `corpus/real/README.md` says more.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
import yaml

from finassay.audit import Subject, Verdict, audit
from finassay.execution import load_submission
from finassay.temporal import load_catalog, load_contract

REAL = Path(__file__).resolve().parent.parent.parent / "corpus" / "real"
CASES = sorted(path.parent.name for path in REAL.glob("*/case.yaml"))


def audited(folder: Path, program: str, url: str):
    [path] = folder.glob(f"{program}.*")
    subject = Subject(load_submission(path), url)
    return audit(subject, load_catalog(str(folder / "catalog.yaml")), load_contract(folder / "contract.yaml"))


@pytest.mark.shared
@pytest.mark.jail
@pytest.mark.parametrize("case", CASES)
def test_the_trap_is_found_and_its_repair_passes(case, shared, tmp_path):
    folder, data = REAL / case, shared("data")
    with duckdb.connect(str(tmp_path / "real.duckdb")) as database:
        database.execute((folder / "load.sql").read_text(encoding="utf-8").replace("{shared}", str(data)))
    url = f"duckdb:///{tmp_path / 'real.duckdb'}"
    said = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    leak, repaired = audited(folder, "leak", url), audited(folder, "repaired", url)
    assert leak.verdict is Verdict.FAIL
    assert leak.requirements[said["requirement"]] is Verdict.FAIL
    assert leak.witnesses[0].missing or leak.witnesses[0].added
    assert repaired.verdict is Verdict.PASS, repaired.notes


def test_every_case_names_its_trap(shared):
    import json

    lines = shared("data/traps_in_the_wild.jsonl").read_text(encoding="utf-8").splitlines()
    known = {json.loads(line)["id"] for line in lines}
    assert len(CASES) >= 8
    assert set(CASES) <= known

"""Go on with a run: what is scored stays, what broke or is missing is run again in a log beside the first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError
from finassay.harness._log import header_of

if TYPE_CHECKING:
    from finassay.harness._evaluate import EvaluationPlan


def check_same(plan: EvaluationPlan, folder: Path) -> None:
    """Refuse to go on with a run of another plan.

    Raises
    ------
    InputError
        ``no_run``: there is none in the folder; ``other_plan``.
    """
    from finassay.harness._evaluate import as_json

    try:
        kept = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"There is no run in {folder} to go on with.", reason="no_run") from error
    asked = as_json(plan)
    free = {"run", "folder", "jobs", "retries", "seconds", "messages", "tokens", "cost", "prices", "cache"}
    differ = sorted(name for name in asked if name not in free and kept.get(name) != asked[name])
    if differ:
        told = ", ".join(f"{name} was {kept.get(name)!r}, is {asked[name]!r}" for name in differ)
        raise InputError(
            f"{folder} holds a run of another plan: {told}.", hint="Give another folder.", reason="other_plan"
        )


def unfinished(logs: Path) -> tuple[list[Path], set[str]]:
    """Return the last log of each shard that has something to run again, and the shards that have a log."""
    from finassay.harness._ingest import read_eval_rows

    last: dict[str, Path] = {}
    for path in sorted(logs.glob("*.eval")):
        try:
            header = header_of(path)
        except InputError:  # cut off: its shard is run again, unless another log of it is whole
            continue
        last[str((header.eval.metadata or {}).get("shard"))] = path
    broken = []
    for path in last.values():
        rows = {(row.sample, row.epoch): row for row in read_eval_rows(path)}
        if any(row.is_expected or row.outcome == "error" for row in rows.values()):
            broken.append(path)
    return broken, set(last)

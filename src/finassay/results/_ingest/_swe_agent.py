"""Runs of the released BuySideFlow agent: `preds.json`, and per task a folder with its .traj and .pred."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finassay.core import InputError, as_float
from finassay.results._ingest._build import RunFacts, build_row
from finassay.results._ingest._fields import columns_of, need_sample
from finassay.results._ingest._files import as_object, read_json, read_text
from finassay.results._store import Placed

SOURCE = "swe_agent"
PREDICTIONS, STATUSES = "preds.json", "run_batch_exit_statuses.yaml"
SEPARATOR = "<<<SWE_AGENT_ACTION_SEPARATOR>>>"
SUBMITTED, INCOMPLETE = "submitted", "incomplete"
_TOOL = re.compile(r"\s*([A-Za-z_]\w*)")
_SKIPPED = re.compile(r"^skipped \((.*)\)$")  # by a run that was taken up again
_UNCAUGHT = re.compile(r"^Uncaught (.+)$")
_MODEL = re.compile(r"__(?P<model>.+?)(?:__t-[^_]*__p-[^_]*__c-[^_]*)?___")  # <config>__<model>___<source>
_STATS = {"tokens_sent": "tokens_in", "tokens_received": "tokens_out", "instance_cost": "cost_usd"}

Tell = Callable[[str], None]


@dataclass
class _Parts:
    """What there is of a task."""

    prediction: dict[str, Any] | None = None
    own: dict[str, Any] | None = None
    trajectory: dict[str, Any] | None = None
    status: str | None = None
    log_sha256: str | None = None


def is_run(path: Path) -> bool:
    """Tell whether a folder is laid out as a run."""
    return (path / PREDICTIONS).is_file() or any(_is_task(one) for one in path.iterdir())


def run_rows(path: Path, facts: RunFacts, tell: Tell) -> Iterator[Placed]:
    """Yield a row per task of a run.

    Parameters
    ----------
    path : Path
        The folder of a run, or a ``preds.json`` alone.
    facts : RunFacts
        Of the run; its model and name are by default read from the folder's name.
    tell : callable
        Takes a line for each task of which a part is missing.

    Raises
    ------
    InputError
        A file that is not JSON; ``parts_contradict``: two parts of a task hold different submissions.
    """
    folder = path if path.is_dir() else path.parent
    whole = path.is_dir()
    predictions, sha256 = _predictions(folder / PREDICTIONS if whole else path)
    told = _told_statuses(folder / STATUSES) if whole else {}
    folders = {one.name: one for one in sorted(folder.iterdir()) if _is_task(one)} if whole else {}
    named = facts.named(folder.resolve().name or SOURCE)
    for sample in sorted({*predictions, *told, *folders}):
        prediction = predictions.get(sample)
        parts = _Parts(
            prediction=prediction, log_sha256=sha256 if prediction else None, status=told.get(sample)
        )
        where = str(folders.get(sample, f"{path}, {sample}"))
        if sample in folders:
            _read_folder(folders[sample], parts)
        missing = _missing(parts, whole=whole, any_predictions=bool(predictions))
        if missing:
            tell(f"{sample}: no {', no '.join(missing)}")
        yield Placed(build_row(named, _columns(sample, parts, missing, where), where), where)


def _is_task(folder: Path) -> bool:
    """Tell whether a folder is of a task: it holds files that are named for it, a log of its attempt at least."""
    return folder.is_dir() and any(one.name.startswith(f"{folder.name}.") for one in folder.iterdir())


def _predictions(path: Path) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Read a preds.json in its form of a dict or of a list, by sample."""
    if not path.is_file():
        return {}, None
    value, sha256 = read_json(path, unique=True)
    if isinstance(value, dict):
        found = {sample: as_object(record, f"{path}, {sample}") for sample, record in value.items()}
        for sample, record in found.items():
            if record.get("instance_id", sample) != sample:
                raise InputError(
                    f"{path} holds {record['instance_id']!r} under the name {sample!r}.",
                    reason="parts_contradict",
                )
        return found, sha256
    if not isinstance(value, list):
        raise InputError(f"{path} is neither an object nor a list.", reason="not_an_object")
    listed: dict[str, dict[str, Any]] = {}
    for number, item in enumerate(value, 1):
        where = f"{path}, item {number}"
        record = as_object(item, where)
        sample = need_sample(columns_of(record, where), where)
        if sample in listed:
            raise InputError(
                f"{where} is of {sample!r}, and so is an item before it.",
                hint="Keep one of the two, or ingest them as two runs.",
                reason="duplicate_key",
            )
        listed[sample] = record
    return listed, sha256


def _told_statuses(path: Path) -> dict[str, str]:
    """Return how each task ended as the runner's own report has it: tasks that crashed left no other trace."""
    import yaml

    if not path.is_file():
        return {}
    try:
        value = yaml.safe_load(read_text(path)[0])
        ended = value["instances_by_exit_status"]
        return {
            str(sample): _SKIPPED.sub(r"\1", status)
            for status, samples in ended.items()
            if isinstance(status, str)  # null: a task without an end
            for sample in samples
        }
    except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} does not list instances_by_exit_status.", hint="Take it away to read the run without it."
        ) from error


def _read_folder(folder: Path, parts: _Parts) -> None:
    own, trajectory = folder / f"{folder.name}.pred", folder / f"{folder.name}.traj"
    if own.is_file():
        value, parts.log_sha256 = read_json(own)
        parts.own = as_object(value, str(own))
    if trajectory.is_file():
        value, parts.log_sha256 = read_json(trajectory)
        parts.trajectory = as_object(value, str(trajectory))


def _missing(parts: _Parts, *, whole: bool, any_predictions: bool) -> list[str]:
    """Name the parts of a task that a run has and this one lacks."""
    if not whole:
        return []
    found = {
        ".traj": parts.trajectory is not None,
        "info in the .traj": parts.trajectory is None or bool(parts.trajectory.get("info")),
        "steps in the .traj": parts.trajectory is None
        or isinstance(parts.trajectory.get("trajectory"), list),
        ".pred": parts.own is not None,
        PREDICTIONS: parts.prediction is not None or not any_predictions,
    }
    return [name for name, there in found.items() if not there]


def _columns(sample: str, parts: _Parts, missing: list[str], where: str) -> dict[str, Any]:
    info = _info(parts, where)
    submission = _submission(parts, info, where)
    extra: dict[str, Any] = {}
    columns: dict[str, Any] = {
        "sample": sample,
        "source": SOURCE,
        "agent": SOURCE,
        "submission": submission,
        "status": _status(parts, info),
        "log_sha256": parts.log_sha256,
        "extra": extra,
    }
    for record in (parts.prediction, parts.own):
        if record:
            model = str(record.get("model_name_or_path") or "")
            columns["model"] = _model(model) or columns.get("model")
            known = {"instance_id", "model_patch", "model_name_or_path"}
            extra.update({name: value for name, value in record.items() if name not in known})
            extra["model_name_or_path"] = model
    if parts.trajectory is not None:
        _add_steps(columns, parts.trajectory, where)
        _add_info(columns, info, where)
    if missing:
        extra["missing_parts"] = missing
    if uncaught := _UNCAUGHT.match(columns["status"]):
        columns["error_class"] = uncaught[1]
    return columns


def _info(parts: _Parts, where: str) -> dict[str, Any]:
    return as_object((parts.trajectory or {}).get("info") or {}, f"{where}: info of the trajectory")


def _status(parts: _Parts, info: dict[str, Any]) -> str:
    """Return how the task ended: by its trajectory, else by the runner's report, else by what was handed in."""
    said = info.get("exit_status") or parts.status
    if said:
        return str(said)
    return INCOMPLETE if parts.trajectory is not None or not (parts.prediction or parts.own) else SUBMITTED


def _submission(parts: _Parts, info: dict[str, Any], where: str) -> str | None:
    """Return the submission that all parts hold; none and an empty one are the same."""
    said = {
        PREDICTIONS: parts.prediction and parts.prediction.get("model_patch"),
        ".pred": parts.own and parts.own.get("model_patch"),
        ".traj": info.get("submission"),
    }
    given = {name: _as_text(value) for name, value in said.items() if value}
    if len(set(given.values())) > 1:
        raise InputError(
            f"{where}: {' and '.join(given)} hold different submissions.",
            hint="They are of two attempts: take away the part that is not of this run.",
            reason="parts_contradict",
        )
    return next(iter(given.values()), None)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _model(name: str) -> str | None:
    """Return the model in the name of a run's folder, or the name itself."""
    found = _MODEL.search(name)
    return found["model"].replace("--", "/") if found else name or None


def _add_steps(columns: dict[str, Any], trajectory: dict[str, Any], where: str) -> None:
    steps = trajectory.get("trajectory")
    if not isinstance(steps, list):
        return
    taken = [
        as_object(step, f"{where}: step {number} of the trajectory") for number, step in enumerate(steps, 1)
    ]
    columns["steps"] = len(taken)
    columns["tool_calls"] = dict(
        Counter(name for step in taken for name in tools_of(str(step.get("action") or "")))
    )
    columns["extra"]["execution_seconds"] = sum(as_float(step.get("execution_time")) or 0.0 for step in taken)


def tools_of(action: str) -> list[str]:
    """Return the names of the tools that a step calls: its actions are joined by a separator."""
    return [found[1] for part in action.split(SEPARATOR) if (found := _TOOL.match(part))]


def _add_info(columns: dict[str, Any], info: dict[str, Any], where: str) -> None:
    stats = as_object(info.get("model_stats") or {}, f"{where}: model_stats of the trajectory")
    columns.update({column: stats[name] for name, column in _STATS.items() if stats.get(name) is not None})
    columns["extra"].update({name: value for name, value in stats.items() if name not in _STATS})
    known = {"submission", "exit_status", "model_stats"}
    rest = {
        name: value
        for name, value in info.items()
        if name not in known and not name.startswith("edited_files")
    }
    columns["extra"].update(rest)

"""The names under which sources give the columns of a row."""

from __future__ import annotations

from typing import Any

from finassay.core import InputError
from finassay.results._row import ResultRow

ALIASES = {
    "sample": ("sample", "id", "instance_id", "sample_id", "question_id", "qid"),
    "submission": ("submission", "prediction", "predict_result", "model_patch"),
    "model": ("model", "model_name_or_path"),
    "tokens_in": ("tokens_in", "input_tokens", "prompt_tokens", "tokens_sent"),
    "tokens_out": ("tokens_out", "output_tokens", "completion_tokens", "tokens_received"),
    "tokens_cached": ("tokens_cached", "cached_tokens"),
    "cost_usd": ("cost_usd", "cost", "instance_cost"),
}
OURS = frozenset({"submission_sha256", "log_sha256", "extra", "source"})  # what a source cannot say
_NAMES = {
    **{name: name for name in ResultRow.model_fields if name not in OURS},
    **{alias: column for column, aliases in ALIASES.items() for alias in aliases},
}


def columns_of(record: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the columns that a record names, and under ``extra`` all that it has besides; null is not said.

    Raises
    ------
    InputError
        ``said_twice``: two of its names are of one column.
    """
    columns: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in record.items():
        column = _NAMES.get(name)
        if column is None:
            extra[name] = value
        elif value is not None:
            if column in columns:
                names = [other for other in record if _NAMES.get(other) == column]
                raise InputError(
                    f"{where} gives {column} twice: as {' and as '.join(names)}.", reason="said_twice"
                )
            columns[column] = value
    return {**columns, "extra": extra}


def need_sample(columns: dict[str, Any], where: str) -> str:
    """Return the id of the sample as text.

    Raises
    ------
    InputError
        ``no_sample``: there is none.
    """
    sample = columns.get("sample")
    if isinstance(sample, str | int) and not isinstance(sample, bool) and str(sample).strip():
        return str(sample)
    raise InputError(
        f"{where} does not say which sample it is of.",
        hint=f"Give one of {', '.join(ALIASES['sample'])}.",
        reason="no_sample",
    )

"""The temporal contract of a task: which dates it decides at, and what it may use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PrivateAttr, field_validator, model_validator

from finassay.core import InputError
from finassay.temporal._as_of import VersionRule  # noqa: TC001 - pydantic reads annotations
from finassay.temporal._catalog import validated
from finassay.temporal._column import Strict
from finassay.temporal._cutoff import Boundary, Cutoff
from finassay.temporal._yaml import DocumentError, Source, parse

Frequency = Literal["day", "week", "month_end", "quarter_end", "year_end", "event"]


class ContractError(DocumentError):
    """A contract that does not follow its format or contradicts itself; names file, line and field."""

    reason = "bad_contract"


def _iso_date(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        raise ValueError(f"a date is written 2024-12-24, not {value!r}")
    return value


Day = Annotated[date, BeforeValidator(_iso_date)]


class AsOfDate(Strict):
    """The date of the whole task, and its boundary."""

    date: Day
    boundary: Boundary = "eod"


class Decisions(Strict):
    """The dates at which the task decides, each with its own cutoff.

    Attributes
    ----------
    dates : tuple of date
        The dates themselves, if they are stated.
    every : str or None
        Or their rhythm between `start` and `end`: ``day``, ``week``, ``month_end``, ``quarter_end``, ``year_end``
        (trading days), ``event`` (the days of an event study).
    start, end : date or None
        Keys ``from`` and ``to``: the first and last possible date.
    column : str or None
        The output column that carries the decision date: an output row may depend on nothing after its own date.
    boundary : {"eod", "pre"}
        The boundary at each date.
    """

    dates: tuple[Day, ...] = ()
    every: Frequency | None = None
    start: Day | None = Field(default=None, alias="from")
    end: Day | None = Field(default=None, alias="to")
    column: str | None = None
    boundary: Boundary = "eod"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.dates) == bool(self.every):
            raise ValueError("state either 'dates' or 'every'")
        if list(self.dates) != sorted(set(self.dates)):
            raise ValueError("'dates' must ascend, each once")
        if self.start and self.end and self.start > self.end:
            raise ValueError("'from' is after 'to'")
        return self


class Life(Strict):
    """Where the life of the task's entities is written: one that has not begun or has ended is outside the universe."""

    table: str
    start: str = Field(alias="from")
    end: str | None = Field(default=None, alias="to")


class Mark(Strict):
    """How sure a drafted field is, and why.

    Attributes
    ----------
    field : str
        The field: ``as_of.date``, ``recording_proxies``.
    mark : {"sure", "confirm"}
        ``confirm`` must be looked at by a person, who then changes it to ``sure``.
    because : str
        What it was read from.
    """

    field: str = Field(min_length=1)
    mark: Literal["sure", "confirm"]
    because: str = ""


class Contract(Strict):
    """The temporal contract of a task.

    Attributes
    ----------
    contract : str
        Its id: the task's.
    format : int
        Version of this format: 1.
    as_of : AsOfDate or None
        One date for the whole task.
    decisions : Decisions or None
        Or a sequence of dates. Both may be stated: the as-of date then bounds what is requested, and each decision has
        its own cutoff.
    sources : tuple of str
        Historical tables the task requires. An audit disturbs them even where the program does not read them.
    version : {"latest", "first"}
        Which version of a report counts.
    version_of : mapping of str to str
        Tables with another rule than `version`.
    history : tuple of str
        Tables whose superseded or ended rows are used legitimately: no finding of A3 on them.
    recording_proxies : tuple of str
        Recording columns that may stand in for a disclosure, as ``table.COLUMN``.
    life : Life or None
        Where the life of the entities is written.
    labels : tuple of str
        Output columns that hold later outcomes: they may depend on what came after, and nothing else may on them.
    marks : tuple of Mark
        How sure each field of a draft is. A field without a mark was written by a person.
    """

    contract: str = Field(min_length=1)
    format: Literal[1] = 1
    as_of: AsOfDate | None = None
    decisions: Decisions | None = None
    sources: tuple[str, ...] = ()
    version: VersionRule = "latest"
    version_of: dict[str, VersionRule] = Field(default_factory=dict)
    history: tuple[str, ...] = ()
    recording_proxies: tuple[str, ...] = ()
    life: Life | None = None
    labels: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    _source: Source = PrivateAttr(default_factory=lambda: Source("<contract>"))

    @field_validator("recording_proxies")
    @classmethod
    def _qualified(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not re.fullmatch(r"[^.]+\.[^.]+", name):
                raise ValueError(f"a recording proxy is written table.COLUMN, not {name!r}")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        unconfirmed = any(mark.mark == "confirm" for mark in self.marks)
        if self.as_of is None and self.decisions is None and not unconfirmed:
            raise ValueError("state 'as_of', 'decisions' or both: without a date nothing can be audited")
        return self

    @property
    def unconfirmed(self) -> tuple[Mark, ...]:
        """The fields that nobody has confirmed: with any of them a verdict may be UNKNOWN, never PASS."""
        return tuple(mark for mark in self.marks if mark.mark == "confirm")

    @property
    def cutoff(self) -> Cutoff | None:
        """The cutoff of the whole task, or None if it has decision dates only."""
        return Cutoff(self.as_of.date, self.as_of.boundary) if self.as_of else None

    @property
    def decision_cutoffs(self) -> tuple[Cutoff, ...]:
        """The cutoffs of stated decision dates, ascending; empty for a rhythm, whose dates the calendar knows."""
        if self.decisions is None:
            return ()
        return tuple(Cutoff(day, self.decisions.boundary) for day in self.decisions.dates)

    def proxies(self, table: str) -> frozenset[str]:
        """Return the recording columns of a table that are allowed as availability."""
        pairs = [name.split(".", 1) for name in self.recording_proxies]
        return frozenset(column for owner, column in pairs if owner.lower() == table.lower())

    def rule(self, table: str) -> VersionRule:
        """Return the version rule of a table."""
        lower = {name.lower(): rule for name, rule in self.version_of.items()}
        return lower.get(table.lower(), self.version)


def contract_at(
    day: date, *, boundary: Boundary = "eod", labels: Sequence[str] = (), name: str = "as-of"
) -> Contract:
    """Return the contract of a lone date.

    Parameters
    ----------
    day : date
        The as-of date.
    boundary : {"eod", "pre"}
        Whether the day itself counts.
    labels : sequence of str
        Output columns that hold later outcomes.
    name : str
        The contract's id.
    """
    as_of = AsOfDate.model_validate({"date": day, "boundary": boundary})
    return Contract(contract=name, as_of=as_of, labels=tuple(labels))


def load_contract(path: str | Path) -> Contract:
    """Read a contract from a YAML or JSON file.

    Raises
    ------
    ContractError
        If it does not follow the format. The message names the file, the line and the field.
    InputError
        If the file cannot be read.
    """
    try:
        return parse_contract(Path(path).read_text(encoding="utf-8"), str(path))
    except OSError as error:
        hint = "Draft one with `finassay contract propose`."
        raise InputError(f"The contract {path} cannot be read: {error.strerror}.", hint=hint) from error
    except UnicodeDecodeError as error:
        raise ContractError(f"{path} is not UTF-8 text.", hint="Save it as UTF-8.") from error


def parse_contract(text: str, name: str = "<contract>") -> Contract:
    """Read a contract from text; see `load_contract`."""
    values, source = parse(text, name)
    contract = validated(Contract, values, source, ContractError)
    contract._source = source  # noqa: SLF001 - a private attribute of our own model, which is frozen otherwise
    return contract


def contract_schema() -> dict[str, Any]:
    """Return the JSON Schema of the contract format (``docs/schemas/contract.json``)."""
    schema = Contract.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}

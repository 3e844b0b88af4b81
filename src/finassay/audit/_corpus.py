"""The corpus of programs whose truth is known (``corpus/``): read, checked, counted, and split in two halves."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from finassay.core import InputError, hash_bytes, hash_json
from finassay.temporal import Decisions, DocumentError, load_contract
from finassay.temporal._catalog import validated
from finassay.temporal._yaml import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from finassay.database import Dialect
    from finassay.temporal import Contract

Domain = Literal["stock", "fund", "bond", "macro"]
Code = Literal["A1", "A2", "A3", "A4", "omission"]
Mechanism = Literal[
    "disclosure_after_effective",
    "recorded_after_cutoff",
    "listing_status",
    "later_membership",
    "missing_latest_replaced",
    "expired_name",
    "later_prices",
]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)
CODES: tuple[Code, ...] = get_args(Code)
Half = Literal["tuned", "held-out"]
Mode = Literal["sql", "python", "notebook"]

_MODES: dict[str, Mode] = {".sql": "sql", ".py": "python", ".ipynb": "notebook"}
_Document = TypeVar("_Document", bound=BaseModel)
_HINT = "The format is in corpus/README.md."


class CorpusError(DocumentError):
    """A corpus that does not follow its format; names the file and the field."""

    reason = "bad_corpus"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Instruction(_Model):
    """What the author of a program was told, in both languages."""

    zh: str = Field(min_length=1)
    en: str = Field(min_length=1)


class TaskFile(_Model):
    """``task.yaml``: what is asked."""

    id: str = Field(description="The name of the task's folder.")
    domain: Domain
    family: str = Field(description="The family of tasks it belongs to, such as S01.")
    as_of: date | None = Field(default=None, description="The date of the whole task, where it has one.")
    decisions: Decisions | None = Field(
        default=None,
        description="Or the dates at which it decides; those of the contract, without the column.",
    )
    dialect: Literal["mysql", "duckdb", "postgres"] = Field(
        default="mysql", description="What its SQL is written in, where a program does not say otherwise."
    )
    inputs: dict[str, int | str | list[int | str]] = Field(
        default_factory=dict, description="Codes of the database that the instruction speaks of in words."
    )
    instruction: Instruction


class Truth(_Model):
    """One entry of ``truth.yaml``: what is known of a program, from the rules of its task and not from the data."""

    violates: tuple[Code, ...] = Field(
        description="Empty for a valid program; `omission`: a required source is not consulted."
    )
    mechanism: Mechanism | None = Field(
        default=None, description="Of a violation, the mechanism of Table 10 of the BuySideFlow paper."
    )
    reason: str = Field(min_length=10, description="Why, for a reviewer who knows the tables.")
    style: tuple[str, ...] = Field(default=(), description="How it is written, in tags.")
    dialect: Literal["mysql", "duckdb", "postgres"] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.violates and self.mechanism is None:
            raise ValueError("a violation has a 'mechanism'")
        if not self.violates and self.mechanism is not None:
            raise ValueError("a valid program has no 'mechanism'")
        return self

    @property
    def codes(self) -> frozenset[str]:
        """The requirements that it violates, as a certificate names them: an omission is A4."""
        return frozenset("A4" if code == "omission" else code for code in self.violates)


class TruthFile(RootModel[dict[str, Truth]]):
    """``truth.yaml``: the truth of each program of a task, by its file name."""


@dataclass(frozen=True)
class Task:
    """A task of the corpus.

    Attributes
    ----------
    folder : Path
        Where it lies.
    says : TaskFile
        What is asked.
    contract : Contract
        Its dates, sources and version rule.
    reference : Path
        A valid program.
    """

    folder: Path
    says: TaskFile
    contract: Contract
    reference: Path


@dataclass(frozen=True)
class Labelled:
    """A program of the corpus and what is known of it.

    Attributes
    ----------
    task : Task
        What it was written for.
    path : Path
        Its file.
    truth : Truth
        What is known of it.
    """

    task: Task
    path: Path
    truth: Truth

    @property
    def id(self) -> str:
        """Task and file, with a slash: what it is called everywhere."""
        return f"{self.task.says.id}/{self.path.name}"

    @property
    def violating(self) -> bool:
        return bool(self.truth.violates)

    @property
    def dialect(self) -> Dialect:
        return self.truth.dialect or self.task.says.dialect

    @property
    def mode(self) -> Mode:
        return _MODES[self.path.suffix]

    @cached_property
    def half(self) -> Half:
        return half_of(self.id)


@dataclass(frozen=True)
class Corpus:
    """Tasks and their programs, both in the order of their names."""

    tasks: tuple[Task, ...]
    programs: tuple[Labelled, ...]


def half_of(program: str) -> Half:
    """Return the half that a program belongs to: by a hash of its name, so that nobody chooses.

    Parameters
    ----------
    program : str
        ``task/file name``.
    """
    last = hashlib.sha256(program.encode()).hexdigest()[-1]
    return "held-out" if int(last, 16) % 2 == 0 else "tuned"


def read_corpus(folder: Path) -> Corpus:
    """Read a corpus and check it.

    Parameters
    ----------
    folder : Path
        What holds ``tasks/``.

    Raises
    ------
    CorpusError
        If something does not follow the format. All problems of the corpus are listed, each with its file.
    """
    place = folder / "tasks"
    if not place.is_dir():
        raise CorpusError(f"{folder} is no corpus: it has no folder tasks/.", hint=_HINT)
    tasks: list[Task] = []
    programs: list[Labelled] = []
    problems: list[str] = []
    for one in sorted(path for path in place.iterdir() if path.is_dir() and not path.name.startswith(".")):
        try:
            task = _task(one)
        except InputError as error:
            problems.append(str(error))
            continue
        tasks.append(task)
        found, wrong = _programs(task)
        programs += found
        problems += wrong
    if problems:
        many = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise CorpusError(f"{folder} has {many}:\n" + "\n".join(problems), hint=_HINT)
    if not programs:
        raise CorpusError(f"{folder} has no program.", hint=_HINT)
    return Corpus(tuple(tasks), tuple(programs))


def _task(folder: Path) -> Task:
    says = _read(TaskFile, folder / "task.yaml")
    if says.id != folder.name:
        raise CorpusError(f"{folder / 'task.yaml'}: id says {says.id!r}, the folder is {folder.name!r}.")
    contract = load_contract(folder / "contract.yaml")
    stated = contract.as_of.date if contract.as_of else None
    if says.as_of is not None and stated is not None and says.as_of != stated:
        raise CorpusError(f"{folder}: task.yaml says as of {says.as_of}, contract.yaml {stated}.")
    if says.decisions is not None and _dates(says.decisions) != _dates(contract.decisions):
        raise CorpusError(f"{folder}: task.yaml and contract.yaml decide at different dates.")
    reference = folder / "reference.sql"
    if not reference.is_file():
        raise CorpusError(f"{folder} has no reference.sql.")
    return Task(folder, says, contract, reference)


def _dates(decisions: Decisions | None) -> tuple[object, ...] | None:
    return (decisions.dates, decisions.every, decisions.start, decisions.end) if decisions else None


def _programs(task: Task) -> tuple[list[Labelled], list[str]]:
    """Return the programs of a task with their truth, and what is wrong with them."""
    place, file = task.folder / "programs", task.folder / "truth.yaml"
    paths = sorted(p for p in place.glob("*") if p.is_file() and not p.name.startswith((".", "_")))
    odd = [f"{path} is no program: {', '.join(_MODES)} are." for path in paths if path.suffix not in _MODES]
    try:
        truths = _read(TruthFile, file).root
    except InputError as error:
        return [], [*odd, str(error)]
    names = [path.name for path in paths if path.suffix in _MODES]
    wrong = [f"{file} has no entry for {name}." for name in names if name not in truths]
    wrong += [
        f"{file} has an entry for {name}, which is not in programs/." for name in truths if name not in names
    ]
    found = [Labelled(task, place / name, truths[name]) for name in names if name in truths]
    return found, [*odd, *wrong]


def _read(model: type[_Document], path: Path) -> _Document:
    values, source = parse(_text(path), str(path))
    return validated(model, values, source, CorpusError)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror}.", hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path} is not UTF-8 text.", hint="Save it as UTF-8.") from error


def counts_of(programs: Iterable[Labelled]) -> dict[str, Mapping[str, int]]:
    """Count programs by all that a figure may be broken down by."""
    listed = list(programs)
    violating = [one for one in listed if one.violating]
    return {
        "truth": {"valid": len(listed) - len(violating), "violating": len(violating)},
        "half": _counted(one.half for one in listed),
        "domain": _counted(one.task.says.domain for one in listed),
        "family": _counted(one.task.says.family for one in listed),
        "mode": _counted(one.mode for one in listed),
        "type": _counted(code for one in violating for code in one.truth.violates),
        "mechanism": _counted(one.truth.mechanism or "" for one in violating),
        "style": _counted(tag for one in listed for tag in one.truth.style),
    }


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def task_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``task.yaml`` (``docs/schemas/corpus-task.json``)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **TaskFile.model_json_schema()}


def truth_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``truth.yaml`` (``docs/schemas/corpus-truth.json``)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **TruthFile.model_json_schema()}


def corpus_hash(programs: Iterable[Labelled]) -> str:
    """Return the SHA-256 of programs, their truth, their contracts and references."""
    return hash_json(
        {
            one.id: [
                hash_bytes(one.path.read_bytes()),
                one.truth.model_dump(mode="json", include={"violates", "mechanism", "dialect"}),
                one.task.contract.model_dump(mode="json", by_alias=True),
                hash_bytes(one.task.reference.read_bytes()),
            ]
            for one in programs
        }
    )

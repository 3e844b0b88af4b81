"""A suite: research tasks over one database, with its catalog, its background files and its reference answers."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from finassay.core import InputError, hash_json
from finassay.grading import OutputContract

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.temporal import Catalog

Language = Literal["zh", "en"]
SMOKE = Path(__file__).with_name("smoke")


class Program(BaseModel):
    """A reference program, in the form of a submission."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["sql", "python", "sql+python"]
    sql_code: str | None = None
    python_code: str | None = None
    result_vars: tuple[str, ...] = ()


class ResearchTask(BaseModel):
    """A question over the suite's database, and what counts as its answer.

    Attributes
    ----------
    id : str
        Its name in the suite.
    language : {"zh", "en"}
        The language of the instruction, and of the prompt around it.
    as_of : date
        What was known by the end of that day may be used.
    instruction : str
        The question.
    output : OutputContract
        The columns of the answer and how they are compared.
    expected : tuple of rows
        The reference answer, in the order of the contract's columns; cells are text, as a person writes them.
    program : Program or None
        A program that computes it; never shown to an agent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    language: Language
    as_of: date
    instruction: str = Field(min_length=1)
    output: OutputContract
    expected: tuple[tuple[str | int | float | None, ...], ...] = ()
    program: Program | None = None

    def reference(self) -> pa.Table:
        """Return the reference answer as a table of text."""
        import pyarrow as pa

        names = [column.name for column in self.output.columns]
        columns = list(zip(*self.expected, strict=True)) or [()] * len(names)
        cells = [[None if cell is None else str(cell) for cell in column] for column in columns]
        return pa.table([pa.array(column, pa.string()) for column in cells], names=names)


@dataclass(frozen=True)
class Suite:
    """Tasks over one database.

    Attributes
    ----------
    name, version : str
        Runs are compared only where both are equal.
    tasks : tuple of ResearchTask
    url : str
        The database, as `finassay.database.connect` takes it.
    catalog : Catalog
        What its columns mean.
    background : mapping of str to tuple of str
        Texts of background knowledge by language, with the parts that are point-in-time guidance marked; see `guided`.
    calendar : str
        A statement that lists the trading days from ``{first}`` to ``{last}``.
    sha256 : str
        Of all that makes the suite: tasks, references, database, catalog, background.
    """

    name: str
    version: str
    tasks: tuple[ResearchTask, ...]
    url: str
    catalog: Catalog
    background: dict[str, tuple[str, ...]]
    calendar: str
    sha256: str

    def trading_days(self, first: date, last: date) -> str:
        """Return the statement that lists the trading days from one day to another, both included."""
        return self.calendar.format(first=first, last=last)

    def task(self, name: str) -> ResearchTask:
        """Return a task by its id.

        Raises
        ------
        InputError
            If the suite has no such task.
        """
        for task in self.tasks:
            if task.id == name:
                return task
        known = ", ".join(task.id for task in self.tasks[:20])
        raise InputError(
            f"The suite {self.name} has no task {name!r}.", hint=f"It has: {known}.", reason="unknown_task"
        )


def _smoke() -> Suite:
    return read_suite(SMOKE)


_SUITES: dict[str, Callable[[], Suite]] = {"smoke": _smoke}


def suites() -> tuple[str, ...]:
    """Return the names of the suites."""
    return tuple(_SUITES)


@cache
def load_suite(name: str) -> Suite:
    """Return a suite by its name; its database is made once per process.

    Raises
    ------
    InputError
        If there is no suite of that name.
    """
    if name not in _SUITES:
        raise InputError(
            f"There is no suite {name!r}.", hint=f"Suites: {', '.join(suites())}.", reason="unknown_suite"
        )
    return _SUITES[name]()


def read_suite(folder: Path) -> Suite:
    """Read a suite of plain files: ``suite.yaml``, the tasks, the SQL script of the database, the catalog.

    Raises
    ------
    InputError
        If the number of tasks is not the one that ``suite.yaml`` states.
    """
    from finassay.temporal import load_catalog

    head: dict[str, Any] = yaml.safe_load((folder / "suite.yaml").read_text(encoding="utf-8"))
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted([*folder.glob("*.*"), *folder.glob("tasks/*.yaml")])
    }
    tasks = tuple(
        ResearchTask.model_validate({"id": path.stem, **yaml.safe_load(texts[path.name])})
        for path in sorted(folder.glob("tasks/*.yaml"))
    )
    if len(tasks) != head["tasks"]:
        raise InputError(f"Expected {head['tasks']} tasks in {folder}, but there are {len(tasks)}.")
    return Suite(
        name=head["suite"],
        version=head["version"],
        tasks=tasks,
        url=f"duckdb:///{_build(texts[head['database']])}",
        catalog=load_catalog(folder / head["catalog"]),
        background={
            language: tuple(texts[name] for name in names) for language, names in head["background"].items()
        },
        calendar=head["trading_days"],
        sha256=hash_json(texts),
    )


def _build(script: str) -> Path:
    """Make the database in a folder that goes with this process."""
    import duckdb

    folder = Path(tempfile.mkdtemp(prefix="finassay-suite-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)  # the jail's user reads it
    path = folder / "smoke.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
    path.chmod(0o644)
    return path

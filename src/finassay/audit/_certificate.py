"""The certificate of an audit: what was audited, what was tried, what was found, and what is assumed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from finassay.audit._types import Requirement, Verdict
from finassay.core import hash_json

if TYPE_CHECKING:
    from pathlib import Path

    from finassay.database import Dialect
    from finassay.execution import Submission


UNNAMED = "CERTIFICATE"  # in a command, of a certificate that was not written to a file
_CATALOG = "CATALOG"  # in a command, of a catalog that is not shipped and of which no file was named
_LOGIN = "USER:PASSWORD@"  # in a command, of a server: a certificate holds neither
_NO_LOGIN = "***@"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Program(_Model):
    """The program, whole, so that another person can run it again."""

    mode: Literal["sql", "python", "sql+python"]
    sql_code: str | None
    python_code: str | None
    cells: list[str]
    result_vars: list[str]
    dialect: Literal["duckdb", "mysql", "postgres"] | None = Field(description="Null: the engine's own.")
    function: bool = Field(
        default=False,
        description="A Python function that was called where it lives: what it needs beside its text is not here, so "
        "the certificate cannot be replayed.",
    )

    @classmethod
    def of(cls, submission: Submission, dialect: Dialect | None, *, function: bool = False) -> Program:
        """Return a submission as a certificate holds it."""
        return cls(
            mode=submission.mode,
            sql_code=submission.sql_code,
            python_code=submission.python_code,
            cells=list(submission.cells),
            result_vars=list(submission.result_vars),
            dialect=dialect,
            function=function,
        )

    def submission(self, source: str) -> Submission:
        """Return it as something that can be run."""
        from finassay.execution import Submission

        return Submission(
            self.mode,
            sql_code=self.sql_code,
            python_code=self.python_code,
            result_vars=tuple(self.result_vars),
            source=source,
            cells=tuple(self.cells),
        )

    def digest(self) -> str:
        """Return its SHA-256."""
        return hash_json(self.model_dump(mode="json", exclude=None if self.function else {"function"}))


class Hashes(_Model):
    """SHA-256 of what the verdict depends on."""

    program: str
    database: str = Field(description="Of the content of the tables audited, in whatever order and file.")
    tables: dict[str, str] = Field(default_factory=dict, description="Of the content of each of them.")
    catalog: str
    contract: str
    output: str | None = Field(description="Of the program's tables over the unaltered database.")
    engine: str = Field(
        default="",
        description="Of the versions of finassay, the libraries, Python and the database engine; "
        "another one is told by `verify` and refuses nothing.",
    )
    reference: str | None = Field(default=None, description="Of the reference program, where there is one.")


class TableRead(_Model):
    """A table that the program reads or the contract requires."""

    name: str
    required: bool = Field(description="The contract names it as a source.")
    read: bool = Field(description="The program reads it.")
    families: list[str] = Field(description="The families of scenarios that apply to it.")
    live: bool = Field(description="The output reacted to some alteration of it.")


class ScenarioRun(_Model):
    """One run of the program over altered tables; `outcome` is ``crashed`` where that says nothing."""

    as_of: str = Field(description="The date at which the tables were altered.")
    family: str
    requirement: Requirement
    tables: list[str]
    outcome: Literal["held", "differs", "crashed"]
    stress: bool = Field(default=False, description="Level L3: a difference is only a warning.")


class Use(_Model):
    """An output row over the unaltered data, and a row that went into it and must not have."""

    output: str
    row: dict[str, str | None] = Field(description="What tells which row it is, and its dates.")
    says: str


class Provenance(_Model):
    """Rows that went into the output as it is, followed by rewriting the statement; evidence, not the verdict."""

    status: Literal["traced", "not_rewritten"]
    why: str | None = Field(description="Why the statement was not rewritten.")
    rows: int = Field(description="Output rows that use such a row, as far as FROM, JOIN and GROUP BY tell.")
    uses: list[Use] = Field(description="Up to five of them.")


class Tried(_Model):
    """What was run over altered tables, in numbers."""

    scenarios: int
    held: int
    differs: int
    crashed: int
    tables: int
    live: int = Field(description="Tables to which the output reacted.")
    seeds: list[int] = Field(description="Of random choices; the scenarios make none: they alter all rows.")


class Witness(_Model):
    """A counterexample: one row, how it was altered, and what that did to the output."""

    as_of: str = Field(description="The as-of date, or the decision, that it shows a violation at.")
    requirement: Requirement
    family: str
    table: str
    says: str
    row: dict[str, str | None] | None = Field(description="The row, where the table numbers its rows.")
    shown: list[str] = Field(
        description="The columns that tell a person which row it is and when it was known."
    )
    altered: dict[str, str | None] | None = Field(description="Its columns that were altered; null: removed.")
    missing: list[str] = Field(description="Output rows that are gone, or that the normal form has.")
    added: list[str] = Field(description="Output rows that are new.")
    overlay: str = Field(
        description="The SELECT that takes the table's place: run the program over it to see."
    )
    instead: str | None = Field(
        default=None,
        description="The SELECT over which the output must be the same; null: the table as it is.",
    )
    replay: str = Field(
        default="",
        description="The command that shows it again; `CERTIFICATE` stands for a file that is not written yet. Empty "
        "of a function, which only a call of it shows again.",
    )
    level: Literal["L0", "L1", "L2"] = Field(
        description="L0: the data as they are show it; L1: the like occurs in the table; L2: the catalog allows it."
    )
    provenance: Provenance | None = None

    @property
    def effect(self) -> str:
        """What follows from the alteration, in words."""
        if self.requirement is Requirement.OMISSION:
            return "the reference's output changes, and the program's does not"
        return "the output changes"


class Survivor(_Model):
    """A guard of the program whose removal no scenario noticed: it is redundant, or the scenarios have a hole."""

    guard: str
    line: int | None


class Power(_Model):
    """The share of the program's own guards whose removal was noticed; without any, of the tables it reacts to."""

    of: Literal["guards", "tables"] = "guards"
    guards: int = Field(description="How many of these were tried.")
    noticed: int
    redundant: list[Survivor] = Field(description="Guards that only contradictory data could make matter.")
    survivors: list[Survivor]


class TrapRun(_Model):
    """What was known of a table was altered, and whose output changed."""

    as_of: str
    family: str
    table: str
    reference: Literal["moved", "held", "crashed", "not asked"] = Field(
        description="Asked where the program's output did not change."
    )
    program: Literal["moved", "held", "crashed"]


class ReferenceCheck(_Model):
    """The differential check: the reference, whole, and where the program follows it."""

    source: str = Field(description="The name of the reference's file.")
    program: Program
    traps: list[TrapRun]
    differences: list[str] = Field(
        description="How the program's answers differ from the reference's otherwise; they decide nothing."
    )


class CellChange(_Model):
    """A cell of the output, by the key of its row."""

    row: str
    before: str | None
    after: str | None


class ColumnChange(_Model):
    """How many cells of a column change, and the one that changes most."""

    column: str
    cells: int
    largest: CellChange


class OutputImpact(_Model):
    """How one table of the output changes over the snapshot of one cutoff."""

    as_of: str
    output: str
    key: list[str] = Field(
        description="The columns that tell rows apart; empty: none do, and whole rows are compared."
    )
    rows_before: int
    rows_after: int
    both: int = Field(description="Rows that are in both.")
    changed: int = Field(description="Of these, rows with another cell.")
    dropped: int
    added: int
    columns: list[ColumnChange]
    dropped_rows: list[str] = Field(description="Up to five.")
    added_rows: list[str] = Field(description="Up to five.")

    @property
    def same(self) -> bool:
        """Whether nothing changes."""
        return not (self.changed or self.dropped or self.added)


class Impact(_Model):
    """The answer over tables that hold only what counted at the cutoff, as it read then, beside the answer as it is."""

    outputs: list[OutputImpact]
    failures: list[str] = Field(description="Where the program failed over the snapshot.")
    unchanged_tables: list[str] = Field(description="Tables that the catalog cannot judge, left as they are.")


class Obligation(_Model):
    """What a statement has to do with a table, and whether its text does it.

    ``violated`` only where the text itself proves it; ``open`` where it cannot be told from the text.
    """

    table: str = Field(description="Empty where it concerns the whole statement.")
    requirement: Requirement
    rule: Literal[
        "availability",
        "clock",
        "current_state",
        "end",
        "rank",
        "source",
        "stage",
        "start",
        "unreadable",
        "version",
    ]
    status: Literal["discharged", "violated", "open"]
    line: int | None = Field(description="From 1, with `column`, in the program's text.")
    column: int | None
    text: str
    why: str


class Certificate(_Model):
    """The result of an audit."""

    version: Literal["1.0"] = "1.0"
    finassay: str
    verdict: Verdict
    reasons: list[str] = Field(description="Stable words for why; see docs/reference/reasons.md.")
    notes: list[str] = Field(description="The same for people, one line each.")
    requirements: dict[Requirement, Verdict]
    sequence: Verdict | None = Field(
        default=None, description="Whether each decision keeps to its own date; null without decision dates."
    )
    label: Verdict | None = Field(
        default=None,
        description="Whether what is no label depends on nothing that came after; null where the output has no label.",
    )
    program: str
    subject: Program
    database: str
    engine: str
    catalog: str
    contract: str
    terms: dict[str, Any] = Field(description="The contract, whole.")
    as_of: list[str] = Field(description="The dates audited: the as-of date, and decisions.")
    boundary: Literal["eod", "pre"]
    labels: list[str] = Field(description="Output columns of later outcomes, which were not compared.")
    hashes: Hashes
    tables: list[TableRead]
    tried: Tried
    scenarios: list[ScenarioRun]
    slice: str | None = Field(
        default=None,
        description="Of tables of many rows: the entities that scenarios ran on first. What differed there was "
        "confirmed on all the data.",
    )
    witnesses: list[Witness]
    power: Power | None
    reference: ReferenceCheck | None = None
    impact: Impact | None = Field(default=None, description="Of an audit with --impact.")
    obligations: list[Obligation] = Field(
        default_factory=list,
        description="What the text of its statements discharges, violates or leaves open.",
    )
    warnings: list[str] = Field(
        default_factory=list,
        description="Obligations that are not discharged and that no witness confirms; differences of level L3.",
    )
    assumptions: list[str]
    digest: str = Field(default="", description="SHA-256 of all the rest in canonical JSON.")

    def at(self, file: Path | None = None, catalog: str | None = None) -> Certificate:
        """Return the certificate as it is written to a file: its commands name it.

        Parameters
        ----------
        file : Path, optional
            Where it is written to; by default nowhere.
        catalog : str, optional
            The shipped catalog's name, or the file, that was given for the audit.
        """
        from finassay.temporal import shipped_catalogs

        name = _word(UNNAMED if file is None else str(file))
        own = catalog or (_CATALOG if self.catalog.rpartition(" ")[0] not in shipped_catalogs() else None)
        where = None if own is None or own in shipped_catalogs() else _word(own)
        witnesses = [
            witness.model_copy(
                update={
                    "replay": ""
                    if self.subject.function
                    else replay_command(name, number, where, self.with_login())
                }
            )
            for number, witness in enumerate(self.witnesses, 1)
        ]
        named = self.model_copy(update={"witnesses": witnesses})
        return named.model_copy(update={"digest": named.content_digest()})

    def with_login(self) -> str | None:
        """Return the database's URL with places for a user and a password, or None where it had neither."""
        return self.database.replace(f"://{_NO_LOGIN}", f"://{_LOGIN}", 1) if self.lacks_login else None

    @property
    def lacks_login(self) -> bool:
        """Whether the database was asked as a user whom the certificate does not name."""
        return f"://{_NO_LOGIN}" in self.database

    def content_digest(self) -> str:
        """Return the SHA-256 of everything but the digest itself."""
        return hash_json(self.model_dump(mode="json", exclude={"digest"}))


def without_login(url: str) -> str:
    """Return a database's URL without the user and the password in it, of which it shows that there was one."""
    scheme, found, rest = url.partition("://")
    place, slash, name = rest.partition("/")
    if not found or "@" not in place:
        return url
    return f"{scheme}://{_NO_LOGIN}{place.rpartition('@')[2]}{slash}{name}"


def replay_command(file: str, number: int, catalog: str | None = None, db: str | None = None) -> str:
    """Return the command that shows a witness of a certificate again, by its number from 1."""
    words = ["finassay", "verify", file, "--witness", str(number)]
    words += ["--catalog", catalog] if catalog is not None else []
    return shlex.join([*words, "--db", db] if db is not None else words)


def _word(path: str) -> str:
    """Return a path as an argument of a command: no option, and without halves of characters, which JSON lacks."""
    name = path.encode("utf-8", "backslashreplace").decode()
    return f"./{name}" if name.startswith("-") else name


def certificate_schema() -> dict[str, Any]:
    """Return the JSON Schema of the certificate (``docs/schemas/certificate.json``)."""
    schema = Certificate.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}

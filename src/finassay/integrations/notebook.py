"""The notebook magic: ``%load_ext finassay.integrations.notebook``, then ``%%pit 2024-12-24`` over a cell."""

from __future__ import annotations

import html
import shlex
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from finassay.core import FinassayError, InputError
from finassay.integrations._cells import submission_of

if TYPE_CHECKING:
    from finassay.audit import Certificate
    from finassay.execution import Submission
    from finassay.temporal import Boundary, Contract

_CATALOG = "gildata"  # until another one is named
_USAGE = (
    "%%pit DATE [--db URL] [--catalog NAME|FILE] [--contract FILE] [--label COLUMN]… [--boundary eod|pre] "
    "[--dialect duckdb|mysql|postgres]"
)


def load_ipython_extension(shell: Any) -> None:
    """Register the magic; IPython calls this."""
    magic = PitMagic(shell)
    shell.register_magic_function(magic.run, magic_kind="cell", magic_name="pit")


@dataclass(frozen=True)
class Shown:
    """A certificate, as text in a terminal and as a page in a notebook; ``certificate`` is the thing itself."""

    certificate: Certificate

    def __repr__(self) -> str:
        from finassay.audit import certificate_text

        return certificate_text(self.certificate)

    def _repr_html_(self) -> str:
        from finassay.audit import Audited, html_page, judge

        found = self.certificate
        audited = Audited(found.program, found, exit_code=found.verdict.exit_code)
        page = html_page(judge((audited,), None, date.min), found.program)
        # A frame without scripts, and without the notebook's rights: the page shows the program's own texts.
        return (
            f'<iframe sandbox="" title="{html.escape(found.verdict)}" style="width:100%;height:28em;border:0" '
            f'srcdoc="{html.escape(page)}"></iframe>'
        )


class PitMagic:
    """``%%pit``: runs the cell as ever, then audits it with what it needs of the cells before."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._db: str | None = None
        self._catalog = _CATALOG

    def run(self, line: str, cell: str) -> Shown | None:
        """Run and audit a cell; ``--db`` and ``--catalog`` may be left out once they were given."""
        try:
            terms = read_line(line)
            self._db = terms.db or self._db
            self._catalog = terms.catalog or self._catalog
            if self._db is None:
                raise InputError(
                    "There is no database to audit over.", hint="%%pit 2024-12-24 --db duckdb:///core.duckdb"
                )
            submission = submission_of(cell, self._history())
            if submission.mode == "python" and not self._ran(cell):
                return None  # IPython has shown why
            return Shown(_audited(submission, self._db, self._catalog, terms))
        except FinassayError as error:
            print(f"finassay: {error}")  # noqa: T201 - a notebook's way to say it; a traceback would bury it
            return None

    def _ran(self, cell: str) -> bool:
        hook = self._shell.displayhook
        outer = hook.exec_result  # a cell in a cell forgets where the outer one's result goes
        done = self._shell.run_cell(cell)
        hook.exec_result = outer
        return bool(done.success)

    def _history(self) -> list[str]:
        return [text for text in self._shell.user_ns.get("In", [])[:-1] if text]


@dataclass(frozen=True)
class Terms:
    """The words after ``%%pit``."""

    day: date | None
    db: str | None
    catalog: str | None
    contract: Path | None
    labels: tuple[str, ...]
    boundary: Boundary
    dialect: Any


def read_line(line: str) -> Terms:
    """Read the words after ``%%pit``.

    Raises
    ------
    InputError
        If they are not what the usage says.
    """
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise InputError(f"%%pit: {message}.", hint=_USAGE, reason="bad_magic")

    parser = Parser(prog="%%pit", add_help=False)
    parser.add_argument("day", nargs="?", metavar="DATE")
    parser.add_argument("--db")
    parser.add_argument("--catalog")
    parser.add_argument("--contract", type=Path)
    parser.add_argument("--label", action="append", default=[])
    parser.add_argument("--boundary", choices=["eod", "pre"], default="eod")
    parser.add_argument("--dialect", choices=["duckdb", "mysql", "postgres"])
    try:
        found = parser.parse_args(shlex.split(line))
        day = date.fromisoformat(found.day) if found.day else None
    except ValueError as error:
        raise InputError(f"%%pit: {error}.", hint=_USAGE, reason="bad_magic") from error
    if (day is None) == (found.contract is None):
        raise InputError("%%pit takes a date, or a contract that states it.", hint=_USAGE, reason="bad_magic")
    return Terms(
        day, found.db, found.catalog, found.contract, tuple(found.label), found.boundary, found.dialect
    )


def _audited(submission: Submission, db: str, catalog: str, terms: Terms) -> Certificate:
    from finassay.audit import Subject, audit
    from finassay.temporal import load_catalog

    return audit(Subject(submission, db, terms.dialect), load_catalog(catalog), _contract(terms))


def _contract(terms: Terms) -> Contract:
    from finassay.temporal import contract_at, load_contract

    if terms.contract is not None:
        return load_contract(terms.contract)
    assert terms.day is not None  # noqa: S101 - `read_line` takes one of the two
    return contract_at(terms.day, boundary=terms.boundary, labels=terms.labels, name="notebook")

"""The pytest plugin: ``@pytest.mark.pit(as_of="2024-12-24")`` and the fixture ``pit``."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from finassay.audit import Certificate, Subject
    from finassay.temporal import Contract

_MARK = "pit"
_SAYS = (
    "pit(as_of, labels=[], boundary='eod', contract=None, db=None, catalog=None, dialect=None): audit what the test "
    "gives to the fixture `pit` for point-in-time validity."
)
_KNOWN = {"as_of", "labels", "boundary", "contract", "db", "catalog", "dialect"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add where the data and the catalog are."""
    parser.addini(
        "pit_db", "Database that marked tests audit over: duckdb:///file, mysql://…, postgresql://…."
    )
    parser.addini("pit_catalog", "A shipped catalog's name, or a YAML file.", default="gildata")
    group = parser.getgroup("finassay", "point-in-time audits")
    group.addoption("--pit-db", help="Takes the place of pit_db.")
    group.addoption(
        "--pit-certificates", type=Path, metavar="FOLDER", help="Leave each certificate there, as JSON."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", _SAYS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a mark that would do nothing, or that says what nobody understands."""
    for item in items:
        mark = item.get_closest_marker(_MARK)
        if mark is None:
            continue
        if "pit" not in getattr(item, "fixturenames", ()):
            raise pytest.UsageError(
                f"{item.nodeid} is marked pit and does not take the fixture pit, so nothing would be audited: "
                "write `def test_…(pit): pit.check(function or file)`."
            )
        strange = sorted(set(mark.kwargs) - _KNOWN)
        if mark.args or strange:
            raise pytest.UsageError(
                f"{item.nodeid}: pit takes keywords ({', '.join(sorted(_KNOWN))}), and was given "
                f"{', '.join(map(repr, mark.args)) or ', '.join(strange)}."
            )


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Fail a marked test that audited nothing."""
    result = yield
    pit = pyfuncitem.funcargs.get("pit")
    if isinstance(pit, Pit) and not pit.certificates:
        pytest.fail(
            "The test is marked pit and audited nothing: call pit.check(function or file).", pytrace=False
        )
    return result


@pytest.fixture
def pit(request: pytest.FixtureRequest) -> Pit:
    """Audit a function or a program's file under the terms of the mark ``pit``."""
    mark = request.node.get_closest_marker(_MARK)
    if mark is None:
        raise pytest.UsageError(
            f"{request.node.nodeid} takes pit and is not marked: @pytest.mark.pit(as_of=…)."
        )
    return Pit(request.node, mark.kwargs)


class Pit:
    """What a marked test audits with.

    Attributes
    ----------
    certificates : list of Certificate
        Of what was audited so far.
    """

    def __init__(self, item: pytest.Item, terms: dict[str, Any]) -> None:
        self._item, self._terms = item, terms
        self.certificates: list[Certificate] = []

    def check(self, program: Callable[..., Any] | str | Path) -> Certificate:
        """Audit, and fail the test unless the verdict is PASS; see `audit`."""
        from finassay.audit import Verdict, certificate_text

        found = self.audit(program)
        if found.verdict is not Verdict.PASS:
            pytest.fail(certificate_text(found), pytrace=False)
        return found

    def audit(self, program: Callable[..., Any] | str | Path) -> Certificate:
        """Audit, whatever the verdict.

        Parameters
        ----------
        program : callable, str or Path
            A function of a connection or of tables, called in this process; or the file of a program (from the folder
            of the ini-file), which runs in the jail.

        Raises
        ------
        InputError
            If there is no date, no database, no such file, no jail.
        """
        from finassay.audit import audit
        from finassay.temporal import load_catalog

        catalog = str(self._terms.get("catalog") or self._near("pit_catalog"))
        found = audit(self._subject(program), load_catalog(catalog), self._contract()).at(catalog=catalog)
        self.certificates.append(found)
        self._leave(found, catalog)
        return found

    def _subject(self, program: Callable[..., Any] | str | Path) -> Subject:
        from finassay.audit import Subject
        from finassay.core import InputError
        from finassay.execution import load_submission
        from finassay.integrations._function import function_subject

        option = self._item.config.getoption("--pit-db")
        url = self._terms.get("db") or option or self._item.config.getini("pit_db")
        if not url:
            raise InputError(
                "There is no database to audit over.",
                hint="Set pit_db in the ini-file, give --pit-db, or db= in the mark.",
                reason="no_database",
            )
        dialect = self._terms.get("dialect")
        if callable(program):
            return function_subject(program, url, dialect)
        return Subject(load_submission(self._item.config.rootpath / program), url, dialect)

    def _contract(self) -> Contract:
        from finassay.core import InputError
        from finassay.temporal import contract_at, load_contract

        as_of, path = self._terms.get("as_of"), self._terms.get("contract")
        if path is not None:
            task = load_contract(self._item.config.rootpath / path)
            if as_of is not None or "labels" in self._terms or "boundary" in self._terms:
                raise InputError(
                    "The mark gives a contract, and as_of, labels or boundary as well.",
                    hint="State them in the contract.",
                    reason="contradiction",
                )
            return task
        if as_of is None:
            raise InputError("The mark gives no date.", hint="@pytest.mark.pit(as_of='2024-12-24').")
        terms = {key: self._terms[key] for key in ("boundary", "labels") if key in self._terms}
        return contract_at(_day(as_of), **terms, name=self._item.name)

    def _near(self, ini: str) -> str:
        """Return a setting; a file lies beside the ini-file."""
        name = str(self._item.config.getini(ini))
        beside = self._item.config.rootpath / name
        return str(beside) if beside.is_file() else name

    def _leave(self, found: Certificate, catalog: str) -> None:
        folder = self._item.config.getoption("--pit-certificates")
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        number = len(self.certificates)
        stem = "".join(c if c.isalnum() or c in "-_." else "_" for c in self._item.nodeid)
        path = folder / f"{stem}{f'.{number}' if number > 1 else ''}.json"
        path.write_text(found.at(path, catalog).model_dump_json(indent=2) + "\n", encoding="utf-8")


def _day(value: Any) -> date:
    from finassay.core import InputError

    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise InputError(
            f"as_of is a date such as '2024-12-24', not {value!r}.",
            hint="Correct the mark.",
            reason="bad_date",
        ) from error

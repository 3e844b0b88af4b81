"""What a lint of a catalog against data finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from finassay.core import Place

Severity = Literal["error", "warning", "known", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "known", "info")


@dataclass(frozen=True)
class Finding:
    """One thing that the data and the catalog say differently.

    Attributes
    ----------
    severity : {"error", "warning", "known", "info"}
        ``known`` is a defect listed in the table's ``known_issues``.
    check : str
        The check, a snake_case word.
    table : str
        The catalog's table.
    columns : tuple of str
        The columns concerned.
    message : str
        What was expected and what was found.
    count, total : int
        Rows (or, for overlaps, pairs of neighbours) at fault, of how many.
    example : dict
        One row at fault, or empty.
    place : Place or None
        The line of the catalog that is contradicted.
    """

    severity: Severity
    check: str
    table: str
    columns: tuple[str, ...]
    message: str
    count: int = 0
    total: int = 0
    example: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None


@dataclass(frozen=True)
class Lag:
    """Days from one date of a row to another: rows with both, least, mean, greatest, and how many are negative."""

    earlier: str
    later: str
    rows: int
    least: int
    mean: float
    greatest: int
    negative: int


@dataclass(frozen=True)
class TableFacts:
    """What was measured on a table: its rows, the NULLs of each catalogued column, lags between its dates."""

    table: str
    rows: int
    nulls: dict[str, int]
    lags: tuple[Lag, ...]


@dataclass(frozen=True)
class LintReport:
    """The result of a lint.

    Attributes
    ----------
    catalog, url : str
        What was checked against what.
    findings : tuple of Finding
        In the order of the catalog, errors first within a table.
    tables : tuple of TableFacts
        The tables that were measured.
    """

    catalog: str
    url: str
    findings: tuple[Finding, ...]
    tables: tuple[TableFacts, ...]

    @property
    def clean(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity == "error" for finding in self.findings)

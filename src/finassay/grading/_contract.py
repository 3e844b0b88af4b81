"""The output contract: what a table must hold, column by column, for two tables to be called equal."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from finassay.core import InputError
from finassay.grading._enumerations import parse_enumeration
from finassay.grading._table_units import is_unit
from finassay.grading._unparsed import Unparsed

ColumnType = Literal[
    "number", "integer", "text", "date", "datetime", "period", "code", "enumeration", "boolean"
]
Layout = Literal["transposed", "long", "wide"]

_RELATIVE = 1e-9
NUMERIC_TYPES: frozenset[str] = frozenset({"number", "integer"})


def fold_name(name: str) -> str:
    """Return a column name as it is compared: NFKC, no case, no spaces, no underscores or hyphens."""
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFKC", name)).casefold()


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ColumnContract(_Strict):
    """One column of an output contract.

    Attributes
    ----------
    name : str
        The name in the reference table.
    aliases : tuple of str
        Other accepted names, in any language. Names are compared after Unicode NFKC, without case, spaces or a unit
        in brackets.
    type : str
        ``number``, ``integer``, ``text``, ``date``, ``datetime``, ``period``, ``code``, ``enumeration`` or ``boolean``.
    unit : str or None
        The unit of the stored number (``"CNY"``, ``"%"``, ``"亿元"``). A cell or a header that states another unit of
        the same kind is converted; nothing is ever rescaled by guess.
    decimals : int or None
        Declared precision: two numbers are equal when they differ by at most half a unit of this decimal.
    relative : float
        Tolerance where `decimals` is not declared, of the reference's size. Default 1e-9: float noise and nothing else.
        Numbers of opposite signs are never equal there.
    values : mapping of str to list of str
        For ``enumeration``: each canonical value with its synonyms.
    fiscal_year_end : int or None
        For ``period``: the month (1 to 12) at whose end the fiscal year ends; without it "FY2021" cannot be read.
        Two periods are equal when their first and last days are.
    empties : {"missing", "distinct", "forbidden"}
        ``missing``: NULL, NaN, blank text and (outside text and code columns) marks such as ``n/a`` or ``-`` are one
        missing value, equal to itself only. ``distinct``: NULL, NaN and blank text are three values. ``forbidden``:
        as ``missing``, and a candidate that leaves a cell empty is wrong there.
    """

    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    type: ColumnType = "text"
    unit: str | None = None
    decimals: int | None = Field(default=None, ge=0, le=18)
    relative: float = Field(default=_RELATIVE, ge=0, lt=1)
    values: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    fiscal_year_end: int | None = Field(default=None, ge=1, le=12)
    empties: Literal["missing", "distinct", "forbidden"] = "missing"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.unit is not None and self.type not in NUMERIC_TYPES:
            raise ValueError(
                f"column {self.name!r}: 'unit' belongs to a number or integer, not to {self.type}"
            )
        if self.unit is not None and not is_unit(self.unit):
            raise ValueError(f"column {self.name!r}: {self.unit!r} is not a known unit")
        if self.decimals is not None and self.type != "number":
            raise ValueError(f"column {self.name!r}: 'decimals' belongs to a number, not to {self.type}")
        if self.relative != _RELATIVE and (self.type != "number" or self.decimals is not None):
            other = "'decimals'" if self.type == "number" else f"type {self.type}"
            raise ValueError(f"column {self.name!r}: 'relative' has no meaning beside {other}")
        if (self.type == "enumeration") != bool(self.values):
            raise ValueError(f"column {self.name!r}: 'values' and type enumeration go together")
        for name in (self.name, *self.aliases):
            if not fold_name(name):
                raise ValueError(f"'name' or 'aliases' of column {self.name!r}: {name!r} is blank")
        _check_choices(self)
        return self


def _check_choices(column: ColumnContract) -> None:
    for choice in column.values:
        try:
            parse_enumeration(choice, column.values)
        except Unparsed as error:
            raise ValueError(f"column {column.name!r}: 'values' has the blank choice {choice!r}") from error
        except InputError as error:
            raise ValueError(f"column {column.name!r}: 'values': {error}") from error


class OrderColumn(_Strict):
    """A column the rows must be sorted by."""

    column: str
    descending: bool = False


class OutputContract(_Strict):
    """What a candidate's table must hold: columns, keys, order, layouts.

    Attributes
    ----------
    version : int
        Version of this format: 1.
    columns : tuple of ColumnContract
        The columns, in the order of the reference.
    key : tuple of str
        Columns that say which row is which. Empty: rows are compared whole. Rows with the same key are kept, each of
        them must be there.
    order_by : tuple of OrderColumn
        Columns the candidate's rows must be sorted by; empty: any order. Numbers that differ by no more than their
        tolerance may stand either way; text is ordered by code point; missing values stand at either end.
    ties : {"any", "reference"}
        Rows equal in every column of `order_by` may stand in any order, or must follow the reference. To break ties by
        another column, add it to `order_by`. With an empty `order_by`, ``reference`` demands the reference's order.
    column_order : {"free", "declared"}
        Whether the candidate's columns may be in another order.
    extra_columns : {"forbidden", "ignored"}
        Whether columns that the contract does not name make the verdict false or are listed in its notes.
    layouts : tuple of str
        Other layouts that are accepted: ``transposed`` (fields in the first column, one column per row), ``long`` (key
        columns, a column that names the field, a column with its value), ``wide`` (one key column of the contract
        spread over the headers).
    """

    version: Literal[1] = 1
    columns: tuple[ColumnContract, ...] = Field(min_length=1)
    key: tuple[str, ...] = ()
    order_by: tuple[OrderColumn, ...] = ()
    ties: Literal["any", "reference"] = "any"
    column_order: Literal["free", "declared"] = "free"
    extra_columns: Literal["forbidden", "ignored"] = "forbidden"
    layouts: tuple[Layout, ...] = ()

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        names = [column.name for column in self.columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"columns declared twice: {', '.join(twice)}")
        owner: dict[str, str] = {}
        for column in self.columns:
            for name in (column.name, *column.aliases):
                other = owner.setdefault(fold_name(name), column.name)
                if other != column.name:
                    raise ValueError(
                        f"the name {name!r} belongs to two columns, {other!r} and {column.name!r}"
                    )
        used = [("key", name) for name in self.key] + [("order_by", o.column) for o in self.order_by]
        for where, name in used:
            if name not in names:
                raise ValueError(f"{where} names {name!r}, which is not a column of the contract")
            if used.count((where, name)) > 1:
                raise ValueError(f"{where} names {name!r} twice")
        return self

    def column(self, name: str) -> ColumnContract:
        """Return the column of that name.

        Raises
        ------
        InputError
            The contract has no such column.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(
            f"the contract has no column {name!r}", hint=f"It has: {', '.join(c.name for c in self.columns)}."
        )

    @classmethod
    def load(cls, path: str | Path) -> OutputContract:
        """Read a contract from a YAML or JSON file.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        InputError
            The file is missing, is not YAML, or is not a contract; the message names the field.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the output contract {path}: {error}") from error
        return cls.parse(text, source=str(path))

    @classmethod
    def parse(cls, text: str, source: str = "<contract>") -> OutputContract:
        """Read a contract from YAML or JSON text; `source` names it in messages.

        Raises
        ------
        InputError
            The text is not YAML, or not a contract; the message names the field.
        """
        try:
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise InputError(f"{source} is not YAML or JSON: {error}") from error
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the whole"
            raise InputError(
                f"{source} is not an output contract: {where}: {first['msg']}",
                hint="The format is documented in docs/reference/grading.md and docs/schemas/output-contract.json.",
            ) from error

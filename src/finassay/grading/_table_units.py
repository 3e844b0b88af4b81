"""Units that a header states, turned into one factor for a whole column; cells that state their own."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from finassay.core import InputError
from finassay.grading._numbers import Quantity, parse_quantity
from finassay.grading._units import conversion_factor, parse_unit, resolve_sign
from finassay.grading._unparsed import Unparsed
from finassay.grading._vocabulary import CALENDAR_WORDS


@lru_cache(maxsize=1024)
def is_unit(text: str) -> bool:
    """Say whether the text alone is a unit or a scale: ``"亿元"``, ``"USD millions"``, ``"%"``."""
    try:
        unit = parse_unit(text)
    except InputError:
        return False
    return unit.unit is not None or unit.scale_stated


@lru_cache(maxsize=1024)
def unit_factor(stated: str, wanted: str) -> Decimal | None:
    """Return what a number in the stated unit is multiplied by to be in the wanted one; None if they differ in kind."""
    source, target = parse_unit(stated), parse_unit(wanted)
    unit = (
        resolve_sign(source.unit, target.unit) or target.unit
    )  # "in millions" alone: of what the contract says
    if unit is None or target.unit is None:
        return source.scale / target.scale if unit == target.unit else None
    try:
        return source.scale * conversion_factor(unit, target.unit) / target.scale
    except InputError:
        return None


def in_unit(raw: str, stated: str | None, wanted: str | None) -> Decimal:
    """Read one cell as a number in the wanted unit; the cell's own unit wins over the header's.

    Raises
    ------
    Unparsed
        Not a number, or in a unit where the contract declares none.
    UnitMismatch
        In a unit of another kind.
    """
    default = _default(stated, wanted)
    if wanted is not None and stated is None:
        declared = wanted if default in CALENDAR_WORDS.values() else None  # 3年 is a duration where one is
        return _in_unit_of_contract(parse_quantity(raw, default_unit=declared), default, wanted)
    quantity = parse_quantity(raw, default_unit=default)
    if wanted is None:
        if quantity.unit is not None:
            raise Unparsed(
                "a plain number", raw, "unit_undeclared", "the contract declares no unit to convert to"
            )
        return quantity.magnitude
    return replace(quantity, unit=resolve_sign(quantity.unit, parse_unit(wanted).unit)).to(wanted)


def _in_unit_of_contract(quantity: Quantity, default: str | None, wanted: str) -> Decimal:
    """Take a bare number as in the contract's unit and scale; a stated scale or unit is completed by the unit alone."""
    if quantity.unit is None and quantity.scale == 1:
        return quantity.value
    return replace(quantity, unit=resolve_sign(quantity.unit, default) or default).to(wanted)


@lru_cache(maxsize=1024)
def _default(stated: str | None, wanted: str | None) -> str | None:
    """Return what completes a cell: the header's unit and scale; of the contract its unit alone.

    A cell that states its unit but no scale ("50000元" under 万元) is in that unit: the header completes bare numbers.
    """
    unit = parse_unit(wanted).unit if wanted is not None else None
    if stated is None:
        return unit
    return stated if unit is None or parse_unit(stated).unit is not None else f"{stated} {unit}"

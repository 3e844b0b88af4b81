"""What one column of a catalogued table means."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from finassay.temporal._formats import DateFormat  # noqa: TC001 - pydantic reads annotations

Role = Literal[
    "key",
    "period_end",
    "disclosure",
    "effective_from",
    "effective_to",
    "recorded",
    "updated",
    "market_date",
    "current_state",
    "payload",
    "presentation",
]
ROLES: tuple[Role, ...] = get_args(Role)
DATE_ROLES: frozenset[Role] = frozenset(
    {
        "period_end",
        "disclosure",
        "effective_from",
        "effective_to",
        "recorded",
        "updated",
        "market_date",
    }
)


class Strict(BaseModel):
    """A part of a public document: frozen, and nothing in it that the format does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True)


class Described(Strict):
    """Something with a description in English and Chinese.

    Attributes
    ----------
    en, zh : str
        What it holds, in one sentence; empty where nobody has written it yet.
    """

    en: str = ""
    zh: str = ""


class Column(Described):
    """The meaning of one column.

    Attributes
    ----------
    role : str
        ``key`` (identifies, joins, classifies a row), ``period_end`` (end of the period described), ``disclosure``
        (when it became public), ``effective_from`` and ``effective_to`` (when a state holds), ``recorded`` (when the
        vendor inserted the row), ``updated`` (last touch: never a time of availability), ``market_date`` (day of a
        quote or a fixing), ``current_state`` (true at the snapshot, not in the past), ``payload``, or ``presentation``
        (names and texts without history: printed as stored, never tested).
    type : str or None
        The SQL type that the vendor declares, as MySQL writes it: ``decimal(19,4)``, ``varchar(100)``, ``datetime``.
    format : str
        How dates are written: ``native`` (DATE, TIMESTAMP, DATETIME), ``integer_date`` (20241224), ``text_date``
        ("20241224"), ``iso_text`` ("2024-12-24", with or without a time), ``integer_month`` (202412), ``text_month``
        ("2024-12"), ``text_quarter`` ("2024q4"), ``other``. Months and quarters stand for their last day;
        ``other`` is no date of any of these, and cannot be compared.
    unit : str or None
        The unit of the stored number: ``CNY``, ``%``, ``亿元``.
    codes : str or mapping or None
        The values that occur, each with its meaning; a string names an entry of the catalog's ``code_lists``.
    min, max : float or None
        Least and greatest value.
    max_null : float or None
        Greatest share of NULLs, 0 to 1; 0 means never NULL.
    disclosed_by : str or None
        The date column before which this value is not there yet: in a row that fills in stages, each stage's columns
        name the date that disclosed them. It may be the column itself.
    decide : bool
        A draft that `finassay catalog propose` could not settle; `reason` says why.
    reason : str or None
        Why it is undecided, or why it was decided so.
    """

    role: Role
    type: str | None = None
    format: DateFormat = "native"
    unit: str | None = None
    codes: str | dict[str, Described] | None = None
    min: float | None = None
    max: float | None = None
    max_null: float | None = Field(default=None, ge=0, le=1)
    disclosed_by: str | None = None
    decide: bool = False
    reason: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _role_alone(cls, value: Any) -> Any:
        # `ID: key` is short for `ID: {role: key}`.
        return {"role": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is greater than max {self.max:g}")
        if self.decide and not self.reason:
            raise ValueError("'decide: true' needs a 'reason': what is open, and what would settle it")
        return self

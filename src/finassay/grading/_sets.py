"""Sets: precision, recall and F1 of what was named, and whether the two sets are the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from finassay.core import InputError, Undefined, shown
from finassay.grading._missing import is_missing
from finassay.grading._unparsed import raw_text


@dataclass(frozen=True)
class SetVerdict:
    """How a candidate's set compares with the reference.

    Attributes
    ----------
    equal : bool
        Strict: the same members.
    precision, recall, f1 : float or None
        None where undefined: precision of an empty candidate, recall of an empty reference; F1 of two empty sets.
    missing, extra : tuple
        Members the candidate lacks, and those it should not have, sorted by their text.
    """

    equal: bool
    precision: float | None
    recall: float | None
    f1: float | None
    missing: tuple[Hashable, ...]
    extra: tuple[Hashable, ...]


def compare_sets(reference: Iterable[Hashable], candidate: Iterable[Hashable]) -> SetVerdict:
    """Compare two sets; repeats are ignored (for multiplicity compare tables).

    Parameters
    ----------
    reference, candidate : iterable of hashable
        Members, already read as typed values (codes, dates, canonical names).

    Returns
    -------
    SetVerdict

    Raises
    ------
    Undefined
        ``missing_member``: a member is None or NaN, which names nothing. ``unhashable_member``: a list, a mapping.
    InputError
        A side is no series of members.
    """
    gold, found = set(members(reference)), set(members(candidate))
    if any(is_missing(member) and not isinstance(member, str) for member in gold | found):
        raise Undefined("a member of a set is missing (None or NaN)", reason="missing_member")
    hits = len(gold & found)
    total = len(gold) + len(found)
    return SetVerdict(
        equal=gold == found,
        precision=hits / len(found) if found else None,
        recall=hits / len(gold) if gold else None,
        f1=2 * hits / total if total else None,
        missing=tuple(sorted(gold - found, key=raw_text)),
        extra=tuple(sorted(found - gold, key=raw_text)),
    )


def members(values: Iterable[Hashable]) -> list[Hashable]:
    """Return the members as a list; what cannot be a member of a set is refused."""
    try:
        listed = list(values)
    except TypeError:
        raise InputError(f"Expected a series of members, got {shown(values)}.") from None
    for member in listed:
        try:
            hash(member)
        except TypeError:
            raise Undefined(
                f"{shown(member)} is no single value, so it cannot be a member; read it as a typed value",
                reason="unhashable_member",
            ) from None
    return listed

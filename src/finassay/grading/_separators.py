"""Digits with separators, in every grouping whose reading is certain; the rules are in docs/reference/values.md."""

from __future__ import annotations

from finassay.grading._unparsed import Refusal

_MARKS = ".,' "


def read_separators(digits: str) -> tuple[str, int]:
    """Return the number with a point and no other separator, and its printed decimals.

    Parameters
    ----------
    digits : str
        ASCII digits with ``.``, ``,``, ``'`` or a space between them.

    Raises
    ------
    Refusal
        ``ambiguous_separator``, ``malformed_number`` or ``leading_zeros``.
    """
    whole, fraction = _split_decimals(digits)
    if any(mark in whole for mark in _MARKS):
        whole = _join_groups(whole)
    if len(whole) > 1 and whole[0] == "0":
        raise Refusal("leading_zeros", f"{digits} is printed as a code, not as a number")
    return f"{whole or 0}.{fraction}" if fraction else whole, len(fraction)


def _split_decimals(digits: str) -> tuple[str, str]:
    used = [mark for mark in _MARKS if mark in digits]
    if used == ["."] and digits.count(".") == 1:
        whole, _, fraction = digits.partition(".")
        return whole, fraction
    if used == [","] and digits.count(",") == 1:
        return _split_single_comma(digits)
    if len(used) < 2:
        return digits, ""
    decimal_mark = max(".,", key=digits.rfind)
    whole, _, fraction = digits.rpartition(decimal_mark)
    if len(used) > 2 or decimal_mark in whole or not fraction.isdigit():
        raise Refusal("malformed_number", f"the separators of {digits} contradict each other")
    return whole, fraction


def _split_single_comma(digits: str) -> tuple[str, str]:
    whole, _, rest = digits.partition(",")
    if whole == "0":  # no group of thousands is a lone zero: this comma can only be decimal
        return whole, rest
    if len(rest) == 3 and len(whole) <= 3:
        return digits, ""
    raise Refusal("ambiguous_separator", f"the comma of {digits} may be decimal, or a misplaced separator")


def _join_groups(whole: str) -> str:
    mark = next(mark for mark in _MARKS if mark in whole)
    first, *groups = whole.split(mark)
    western = 1 <= len(first) <= 3 and all(len(group) == 3 for group in groups)
    indian = (
        mark == ","
        and 1 <= len(first) <= 2
        and len(groups[-1]) == 3
        and all(len(g) == 2 for g in groups[:-1])
    )
    if not (western or indian):
        raise Refusal(
            "malformed_number", f"the groups of {whole} are neither of three digits nor Indian (12,34,567)"
        )
    return first + "".join(groups)

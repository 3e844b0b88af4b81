"""Orders and rankings: exact, Kendall's tau-b, overlap of the first k, rank-biased overlap, NDCG."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence

from finassay.core import InputError, Undefined, as_float, finite_number
from finassay.grading._sets import members
from finassay.grading._unparsed import raw_text

_LEAST_PERSISTENCE = 1e-9


def order_equal(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> bool:
    """Say whether two sequences hold the same members in the same order."""
    return list(reference) == list(candidate)


def kendall_tau(reference: Mapping[Hashable, float], candidate: Mapping[Hashable, float]) -> float:
    """Return Kendall's tau-b between two rankings of the same members; ties are corrected for on both sides.

    Parameters
    ----------
    reference, candidate : mapping of member to rank or score
        The same members in both; equal numbers are ties. Whether low or high is best must be the same in both.

    Returns
    -------
    float
        In [-1, 1].

    Raises
    ------
    Undefined
        ``different_members``; ``too_few_members`` under two; ``not_a_number``; ``all_tied`` where a side has no order.
    InputError
        A side is no mapping: a list of names states no ranks.
    """
    from scipy.stats import kendalltau

    if not (isinstance(reference, Mapping) and isinstance(candidate, Mapping)):
        raise InputError("Kendall's tau takes a mapping of member to rank or score on both sides.")
    if set(reference) != set(candidate):
        odd = sorted(map(raw_text, set(reference) ^ set(candidate)))
        raise Undefined(
            f"Kendall's tau needs the same members on both sides; only one side has {', '.join(odd[:5])}",
            reason="different_members",
        )
    if len(reference) < 2:
        raise Undefined("Kendall's tau needs at least two members", reason="too_few_members")
    read = [[as_float(ranking[member]) for member in reference] for ranking in (reference, candidate)]
    sides = [[number for number in side if number is not None and not math.isnan(number)] for side in read]
    if sides != read:
        raise Undefined("a rank is not a number", reason="not_a_number")
    if any(len(set(side)) == 1 for side in sides):
        raise Undefined("all members of one side are tied, so it orders nothing", reason="all_tied")
    return float(kendalltau(*sides, variant="b").statistic)


def top_k_overlap(reference: Sequence[Hashable], candidate: Sequence[Hashable], k: int) -> float:
    """Return the share of the reference's first k members that are among the candidate's first k.

    Raises
    ------
    Undefined
        ``too_few_members`` where the reference has fewer than k members; ``repeated_member``.
    InputError
        k is no whole number from 1 on.
    """
    _check(reference, candidate)
    k = _depth(k)
    if len(reference) < k:
        raise Undefined(
            f"the reference has {len(reference)} members, fewer than k = {k}", reason="too_few_members"
        )
    return len(set(reference[:k]) & set(candidate[:k])) / k


def rank_biased_overlap(
    reference: Sequence[Hashable], candidate: Sequence[Hashable], p: float = 0.9
) -> float:
    """Return the extrapolated rank-biased overlap of two rankings without ties, which may differ in length and members.

    Parameters
    ----------
    reference, candidate : sequence
        Members, best first.
    p : float
        Persistence, in (0, 1): the weight of depth d falls as p ** (d - 1).

    Returns
    -------
    float
        In [0, 1]; 1 for identical rankings.

    Raises
    ------
    Undefined
        ``empty`` ranking; ``repeated_member``.
    InputError
        p outside (0, 1), or below 1e-9, where only the first member would count.

    Notes
    -----
    RBO_EXT of Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings", equation 32.
    """
    _check(reference, candidate)
    p = finite_number("p", p)
    if not _LEAST_PERSISTENCE <= p < 1:
        raise InputError(f"p must be between 0 and 1, got {p}")
    if not reference or not candidate:
        raise Undefined("a ranking is empty", reason="empty")
    short, long = sorted((list(reference), list(candidate)), key=len)
    s, n = len(short), len(long)
    overlap = [len(set(short[:depth]) & set(long[:depth])) for depth in range(1, n + 1)]
    at_s, at_n = overlap[s - 1], overlap[-1]
    total = math.fsum(overlap[depth - 1] / depth * p**depth for depth in range(1, n + 1))
    total += math.fsum(at_s * (depth - s) / (s * depth) * p**depth for depth in range(s + 1, n + 1))
    return (1 - p) / p * total + ((at_n - at_s) / n + at_s / s) * p**n


def ndcg(relevance: Mapping[Hashable, float], candidate: Sequence[Hashable], k: int | None = None) -> float:
    """Return the normalised discounted cumulative gain of a ranking, with linear gain and log2 discount.

    Parameters
    ----------
    relevance : mapping of member to gain
        Gains of at least zero; a member that is not in it gains nothing.
    candidate : sequence
        Members, best first; members left out simply do not contribute.
    k : int, optional
        Depth; by default the number of members with a relevance.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    Undefined
        ``no_relevance`` where no member gains anything; ``negative_gain``; ``repeated_member``.
    InputError
        A gain is no finite number, or k no whole number from 1 on.
    """
    _check(candidate)
    gains = {member: finite_number("a gain", gain) for member, gain in relevance.items()}
    if any(gain < 0 for gain in gains.values()):
        raise Undefined("a gain is negative", reason="negative_gain")
    depth = len(gains) if k is None else _depth(k)
    most = max(gains.values(), default=0.0)
    if not most > 0:
        raise Undefined("no member has a positive relevance", reason="no_relevance")
    share = {
        member: gain / most for member, gain in gains.items()
    }  # a sum of large gains would leave float64
    ideal = _discounted(sorted(share.values(), reverse=True)[:depth])
    return _discounted([share.get(member, 0.0) for member in candidate[:depth]]) / ideal


def _depth(k: object) -> int:
    if isinstance(k, bool) or not isinstance(k, numbers.Integral) or k < 1:
        raise InputError("k must be a whole number of at least 1")
    return int(k)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def _check(*rankings: Sequence[Hashable]) -> None:
    for ranking in rankings:
        if len(set(members(ranking))) != len(ranking):
            raise Undefined("a ranking names a member twice", reason="repeated_member")

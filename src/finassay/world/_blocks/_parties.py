"""The parties of a company: who is behind its controlling group, what it owns, and from whom it buys.

Everything follows from fixed draws per company, party and year, so that reports, trades and lists agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._holders import PERSON, group_name, holder_names
from finassay.world._blocks._industries import SECTORS
from finassay.world._draws import uniform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

Flags = npt.NDArray[np.bool_]
Names = npt.NDArray[Any]

# Kinds of relation; the last two are of holders alone
CONTROLLING, CONTROLLER, SUBSIDIARY, ASSOCIATE, SISTER, LARGE_HOLDER, BEHIND = 1, 2, 3, 4, 5, 6, 7
# The parties of a company by their place: the group, who is behind it, subsidiaries, associates, sisters
KINDS = (CONTROLLING, CONTROLLER, *[SUBSIDIARY] * 4, *[ASSOCIATE] * 2, *[SISTER] * 2)
GROUP_PLACE, SISTER_PLACE = 0, 8
SUPPLIER, CUSTOMER = 1, 2
TOP = 5
_LASTING = (0, 1, 2, 6, 8)  # the others are founded and leave
_STATE = 0.35  # of groups belong to a province
_SEED = 1
_FIRST_NUMBER = 40_000_000
_PROVINCES = ("东华", "南岭", "西源", "北川")
_TAILS = ("", "", "科技", "材料", "贸易", "装备", "服务", "能源", "物流", "置业")
_PLACES = ("锦城", "临江", "云阳", "海曲", "平原", "望山", "清河", "石桥", "双湖", "青岭")
_TRADES = ("实业", "商贸", "科技", "物资", "电子", "化工", "机电", "材料", "供应链", "装备")


def is_state(company: Ints) -> Flags:
    """Return whether the groups that control companies belong to a province."""
    return np.asarray(uniform(_SEED, company, 31) < _STATE)


def share_of_group(company: Ints) -> Floats:
    """Return the share of the group that belongs to the controller: all of a province's, 51 to 99% of a person's."""
    own = 0.51 + np.floor(uniform(_SEED, company, 32) * 49) / 100.0
    share: Floats = np.where(is_state(company), 1.0, own)
    return share


def is_there(company: Ints, place: int, year: Ints) -> Flags:
    """Return whether a party exists at the end of a year."""
    if place in _LASTING:
        return np.ones(company.size, dtype=bool)
    key = company * 16 + place
    first = 2005 + np.floor(uniform(_SEED, key, 33) * 18).astype(np.int64)
    length = 3 + np.floor(uniform(_SEED, key, 34) * 18).astype(np.int64)
    return np.asarray((first <= year) & (year < first + length))


def party_numbers(company: Ints, place: int) -> Ints:
    """Return the vendor's numbers of the parties at a place, (N,); persons have none."""
    numbers: Ints = _FIRST_NUMBER + company * 16 + place
    return numbers


def party_names(issuers: Sequence[Issuer], company: Ints, place: int) -> Names:
    """Return the names of the parties at a place, (N,); `issuers` are all companies."""
    if place == 1:
        person = holder_names(issuers, company, np.full_like(company, PERSON))
        provinces = np.array([f"{name}省国有资产监督管理委员会" for name in _PROVINCES], dtype=object)
        return np.where(is_state(company), provinces[company % len(_PROVINCES)], person)
    if place == GROUP_PLACE:
        names = [group_name(issuer) for issuer in issuers]
    else:
        tail = _TAILS[place]
        sisters = KINDS[place] == SISTER
        names = [
            f"{i.abbreviation[:2]}{'集团' if sisters else SECTORS[i.sector]}{tail}有限公司" for i in issuers
        ]
    return np.array(names, dtype=object)[company]


def top_five(company: Ints, period: Ints, relation: int) -> Floats:
    """Return the shares of the five largest suppliers or customers in a year's cost or revenue, (N, 5), falling.

    Together 11 to 73% (assumed): a company's concentration stays, and moves by a tenth from year to year.
    """
    firm = company * 4 + relation
    whole = 0.12 + 0.55 * uniform(_SEED, firm, 35) ** 2
    whole = whole * (0.9 + 0.2 * uniform(_SEED, firm * 64 + period, 36))
    place = np.arange(TOP)
    part = 0.85 + 0.3 * uniform(_SEED, ((firm * 64 + period) * 8)[:, None] + place, 37)
    weight = np.array([1.0, 0.62, 0.39, 0.24, 0.15]) * part
    shares: Floats = whole[:, None] * weight / np.sum(weight, axis=1)[:, None]
    return shares


def trades_with(company: Ints, period: Ints, place: int, kind: int) -> Flags:
    """Return whether a company trades with a party in a year: most keep at it, one in seven pauses."""
    key = (company * 16 + place) * 4 + kind
    steady = uniform(_SEED, key, 38) < 0.5
    return np.asarray(steady & (uniform(_SEED, key * 64 + period, 39) < 0.86))


def is_in_top_five(company: Ints, period: Ints, relation: int) -> Flags:
    """Return whether a related party is among the five: the group the third supplier, a sister the second customer."""
    chosen = uniform(_SEED, company * 4 + relation, 40) < (0.5 if relation == SUPPLIER else 0.3)
    place = GROUP_PLACE if relation == SUPPLIER else SISTER_PLACE
    return np.asarray(chosen & trades_with(company, period, place, relation))


RELATED_RANK = {SUPPLIER: 2, CUSTOMER: 1}  # counted from 0


def partner(company: Ints, period: Ints, relation: int, rank: int) -> Ints:
    """Return a number for who a supplier or customer is; it changes every three to four years."""
    key = (company * 4 + relation) * 8 + rank
    years = (period + 4 * np.floor(uniform(_SEED, key, 41) * 4).astype(np.int64)) // 14
    drawn = np.floor(uniform(_SEED, key * 64 + years, 42) * (1 << 24)).astype(np.int64)
    numbers: Ints = drawn * 8 + rank
    return numbers


def partner_names(number: Ints) -> Names:
    """Return the names of suppliers and customers that are not listed."""
    names = np.array([f"{a}{b}{c}" for a in _PLACES for b in "鑫恒正友联博" for c in _TRADES], dtype=object)
    return np.asarray(names[number * 7919 % names.size] + "有限公司", dtype=object)


def conceals(company: Ints, relation: int) -> Flags:
    """Return whether a company gives its suppliers or customers numbers for names."""
    return np.asarray(uniform(_SEED, company * 4 + relation, 43) < 0.4)

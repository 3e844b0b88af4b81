"""The holders of a company: the group that controls it, institutions that hold many, and people.

A pool of holders per company, large ones steady, small ones with a new stake each half year. All hangs on company and
half year alone, so lists, plans to buy or sell, and the chain of owners say the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._draws import uniform
from finassay.world._numerics import exp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

POOL = 16  # holders that a company's list draws from
LISTED = 10
GROUP = 0  # the place of the controlling group in the pool
SHARED = (
    "香港中央结算有限公司",
    "中央汇金资产管理有限责任公司",
    "中国证券金融股份有限公司",
    "全国社保基金组合",
)
PERSON = 1 + len(SHARED)  # the first place of a person: whoever is behind a private group
_STEADY = 3
_SEED = 1  # equal companies have equal holders in every world
_FAMILY = "王李张刘陈杨赵黄周吴徐孙胡朱高林"
_GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超霞平刚"
_GROUPS = ("控股集团", "实业集团", "投资集团", "产业集团")


def stakes(company: Ints, period: Ints, kind: int) -> Floats:
    """Return the share of the capital of each holder of the pools, (N, 16); they do not reach 1.

    Parameters
    ----------
    company, period : numpy.ndarray of int64
        (N,), positions among all companies, and quarters.
    kind : int
        1 of all holders, 2 of those of tradable shares.
    """
    place = np.arange(POOL)
    firm = company.astype(np.int64)[:, None]
    base = exp(-1.6 - 0.42 * place)[None, :] * (0.5 + uniform(_SEED, firm * POOL + place, 23))
    half = period[:, None] // 2 if kind == 1 else period[:, None] // 2 + 40
    moved = 0.55 + 0.9 * uniform(_SEED, (firm * 128 + half) * POOL + place, 24)
    weight: Floats = base * np.where(place < _STEADY, 1.0, moved) * (0.9 if kind == 2 else 1.0)
    return weight


def holder_numbers(company: Ints, place: Ints) -> Ints:
    """Return the vendor's numbers of holders by company and place in its pool; institutions have one everywhere."""
    number: Ints = np.where(is_shared(place), 600_000 + place, 700_000 + company * POOL + place)
    return number


def holder_names(issuers: Sequence[Issuer], company: Ints, place: Ints) -> npt.NDArray[Any]:
    """Return the names of holders, by company and place in its pool; `issuers` are all companies."""
    people = np.array([f + g for f in _FAMILY for g in _GIVEN], dtype=object)
    names = people[holder_numbers(company, place) * 7919 % people.size]
    common = np.array(["", *SHARED, *[""] * (POOL - PERSON)], dtype=object)
    groups = np.array([group_name(issuer) for issuer in issuers], dtype=object)
    names = np.where(is_shared(place), common[place], names)
    return np.where(place == GROUP, groups[company], names)


def is_shared(place: Ints) -> npt.NDArray[np.bool_]:
    """Return whether the holders at places are institutions that hold many companies."""
    return np.asarray((place > GROUP) & (place < PERSON))


def group_name(issuer: Issuer) -> str:
    """Return the name of the group that controls a company."""
    return f"{issuer.abbreviation[:2]}{_GROUPS[issuer.entity % len(_GROUPS)]}有限公司"

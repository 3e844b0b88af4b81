"""The coefficients of one set of ratings side by side, so that none is read alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.core import Undefined
from finassay.statistics._arguments import check_confidence
from finassay.statistics._bootstrap import CONFIDENCE
from finassay.statistics._gwet import gwet_ac
from finassay.statistics._kappa import cohen_kappa, fleiss_kappa
from finassay.statistics._krippendorff import krippendorff_alpha
from finassay.statistics._ratings import need_ratings, weight_matrix
from finassay.statistics._result import Result

if TYPE_CHECKING:
    from finassay.statistics._agreement import Agreement
    from finassay.statistics._ratings import Ratings, Weights


@dataclass(frozen=True)
class AgreementReport(Result):
    """Every coefficient that is defined, why the others are not, and the class table.

    Attributes
    ----------
    coefficients : dict of str to Agreement
        By name.
    undefined : dict of str to str
        By name, the reason.
    class_table : dict
        Per label, how often each rater gave it.
    """

    coefficients: dict[str, Agreement]
    undefined: dict[str, str]
    class_table: dict[str, dict[str, int]]


def agreement(
    ratings: Ratings, *, weights: Weights = "identity", confidence: float = CONFIDENCE
) -> AgreementReport:
    """Compute AC1 or AC2, kappa (Cohen's of two raters, else Fleiss') and alpha together.

    Parameters
    ----------
    ratings : Ratings
        Two raters or more; gaps are allowed.
    weights : {"identity", "linear", "quadratic"}
        Of AC and kappa; alpha is nominal with identity weights and ordinal with others.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    AgreementReport
        An undefined coefficient is listed with its reason; it is not an error here.
    """
    need_ratings(ratings)
    confidence = check_confidence(confidence)
    weight_matrix(len(ratings.categories), weights)
    two = len(ratings.raters) == 2
    kappa = cohen_kappa if two else fleiss_kappa
    tries: dict[str, Callable[[], Agreement]] = {
        "gwet_ac1" if weights == "identity" else "gwet_ac2": lambda: gwet_ac(
            ratings, weights=weights, confidence=confidence
        ),
        "cohen_kappa" if two else "fleiss_kappa": lambda: kappa(
            ratings, weights=weights, confidence=confidence
        ),
        "krippendorff_alpha": lambda: krippendorff_alpha(
            ratings, level="nominal" if weights == "identity" else "ordinal", confidence=confidence
        ),
    }
    coefficients: dict[str, Agreement] = {}
    undefined: dict[str, str] = {}
    for name, attempt in tries.items():
        try:
            coefficients[name] = attempt()
        except Undefined as refusal:
            undefined[name] = refusal.reason
    return AgreementReport(coefficients, undefined, ratings.class_table)

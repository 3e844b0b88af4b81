"""Rates with their denominators, intervals, paired and clustered comparisons, agreement of annotators and judges."""

from __future__ import annotations

from finassay.core import Undefined
from finassay.statistics._agreement import Agreement
from finassay.statistics._alternative_annotator import (
    AlternativeAnnotatorTest,
    AnnotatorTest,
    ConstantJudge,
    alternative_annotator_test,
)
from finassay.statistics._bootstrap import BootstrapInterval, cluster_bootstrap, ratio
from finassay.statistics._compare import Comparison, PairComparison, compare
from finassay.statistics._gwet import gwet_ac
from finassay.statistics._kappa import cohen_kappa, fleiss_kappa
from finassay.statistics._krippendorff import krippendorff_alpha
from finassay.statistics._label_sets import CoOccurrence, JaccardAgreement, co_occurrence, jaccard
from finassay.statistics._multiple import benjamini_yekutieli, holm
from finassay.statistics._paired import McNemar, PairedDifference, mcnemar, paired_difference
from finassay.statistics._rates import (
    Bounds,
    Outcome,
    OutcomeLike,
    Rate,
    as_outcome,
    bounds,
    proportion,
    rate,
    wilson_interval,
)
from finassay.statistics._ratings import Ratings
from finassay.statistics._report import AgreementReport, agreement
from finassay.statistics._result import Result
from finassay.statistics._sample_size import SampleSize, items_needed, mcnemar_power, pairs_needed
from finassay.statistics._variance import VarianceSplit, design_effect, variance_split

__all__ = [
    "Agreement",
    "AgreementReport",
    "AlternativeAnnotatorTest",
    "AnnotatorTest",
    "BootstrapInterval",
    "Bounds",
    "CoOccurrence",
    "Comparison",
    "ConstantJudge",
    "JaccardAgreement",
    "McNemar",
    "Outcome",
    "OutcomeLike",
    "PairComparison",
    "PairedDifference",
    "Rate",
    "Ratings",
    "Result",
    "SampleSize",
    "Undefined",
    "VarianceSplit",
    "agreement",
    "alternative_annotator_test",
    "as_outcome",
    "benjamini_yekutieli",
    "bounds",
    "cluster_bootstrap",
    "co_occurrence",
    "cohen_kappa",
    "compare",
    "design_effect",
    "fleiss_kappa",
    "gwet_ac",
    "holm",
    "items_needed",
    "jaccard",
    "krippendorff_alpha",
    "mcnemar",
    "mcnemar_power",
    "paired_difference",
    "pairs_needed",
    "proportion",
    "rate",
    "ratio",
    "variance_split",
    "wilson_interval",
]

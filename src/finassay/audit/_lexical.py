"""A lexical checker: our imitation of appendix C.5 of the BuySideFlow paper, as a baseline for `audit bench`.

It looks for words in the text: names of tables and fields it knows, and whether a comparison stands beside them. It
runs nothing and follows no data. The rules and their types are those that the paper names; the patterns are ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from finassay.audit._types import Requirement

_A1, _A2, _A3 = Requirement.DISCLOSURE, Requirement.STATE, Requirement.VERSION


@dataclass(frozen=True)
class Flag:
    """A rule that fired."""

    rule: str
    requirement: Requirement


# Tables that publish figures of a period; their date of publication has to be bounded.
_FINANCIAL = (
    r"lc_(?:balancesheetall|maindatanew|mainindexnew|qfinancialindexnew|mainoperincome|derivativedata|auditopinion"
    r"|stibmainindex|dividend)|fin_derivative|nq_mainindexnew|mf_(?:stockportfoliodetail|keystockportfolio"
    r"|assetallocationnew|scaleanalysis|holderinfo|bondportifoliodetail|industryportall)"
    r"|c_ed_macroindicatordata|us_(?:fact|macro_vintage)"
)
_PUBLISHED = (
    r"infopubldate|initialinfopubldate|smdecipubldate|advancedate|publ?_?date|accepted_at|released_at"
    r"|(?:announced|published)_at"
)
# Words whose presence in a comparison means the state of today
_CURRENT = r"ifperformed|ifexecuted|ifeffected|iseffective|incumbent|indistate|conceptstate|crstatus|lateststatus|flag"
_LISTED = r"listedstate|listed_state|delistdate|bondotherstate"
_NAME = r"(?:secuabbr|chinameabbr|chinaname|secuabb)"


def lexical_flags(source: str, instruction: str = "") -> tuple[Flag, ...]:
    """Return the rules that fire on a program's text.

    Parameters
    ----------
    source : str
        SQL, Python or both.
    instruction : str
        What its author was told; only the rule on future outcomes reads it.
    """
    text = source.lower()
    found = []
    if re.search(r"curdate\(|current_date|\bnow\(|sysdate\(|\.today\(|current_timestamp|getdate\(", text):
        found.append(Flag("runtime_date", _A1))
    if re.search(rf"\b(?:{_FINANCIAL})\b", text) and not _bounded(text, _PUBLISHED):
        found.append(Flag("financial_publication", _A1))
    if "cs_riskalert" in text:
        if not _bounded(text, r"implannoucedate|removeinfopubldate"):
            found.append(Flag("risk_alert_information", _A1))
        if not (_compared(text, "implementdate") and _compared(text, "removedate")):
            found.append(Flag("risk_alert_effective", _A3))
    if _selects_by_outcome(text, instruction):
        found.append(Flag("future_label", _A1))
    if re.search(rf"\b(?:{_CURRENT})\b\W{{0,4}}\s*(?:=|==|in\b|\.eq\()\s*\(?\s*['\"]?\d", text):
        found.append(Flag("current_state", _A2))
    if re.search(rf"\b(?:{_LISTED})\b\W{{0,4}}\s*(?:=|==|in\b|is\b|\.isin\()", text):
        found.append(Flag("listing_state", _A2))
    if re.search(rf"{_NAME}\W{{0,6}}(?:not\s+like|like|\.str\.contains|str\.startswith)", text):
        found.append(Flag("historical_current_field", _A2))
    for rule, table, end in (
        ("index_component", "lc_indexcomponent", "outdate"),
        ("classification_vintage", r"(?:lc|nq|lc_stib)_?exgindustry|mf_jyfundtype", "canceldate"),
        ("bond_concept_vintage", "bond_conceptnature", "enddate"),
    ):
        if re.search(rf"\b(?:{table})\b", text) and not _compared(text, end):
            found.append(Flag(rule, _A3))
    return tuple(found)


def _bounded(text: str, names: str) -> bool:
    """Whether an upper bound stands beside one of the names, on either side."""
    after = rf"\b(?:{names})\b\W{{0,12}}(?:<=?|between\b|\.l[et]\()"
    before = rf">=?\s*(?:date\()?(?:\w+[.\[]['\"]?)?(?:{names})\b"
    return re.search(after, text) is not None or re.search(before, text) is not None


def _compared(text: str, names: str) -> bool:
    """Whether any comparison, or a test for NULL, stands beside one of the names."""
    after = (
        rf"\b(?:{names})\b\W{{0,12}}(?:[<>=!]|between\b|is\b|\.(?:l[et]|g[et]|isna|isnull|notna|fillna)\()"
    )
    before = rf"[<>=]\s*(?:date\()?(?:\w+[.\[]['\"]?)?(?:{names})\b"
    return re.search(after, text) is not None or re.search(before, text) is not None


def _selects_by_outcome(text: str, instruction: str) -> bool:
    if not re.search(r"未来|后续|forward|subsequent|following|next \d", instruction.lower()):
        return False
    outcome = r"(?:fwd|future|forward|next)_\w*|未来\w*"
    return (
        re.search(rf"(?:where|and|having|\[)\W{{0,6}}(?:\w+[.\[]['\"]?)?{outcome}\W{{0,4}}[<>]", text)
        is not None
    )

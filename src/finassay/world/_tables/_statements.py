"""lc_balancesheetall, lc_maindatanew and lc_auditopinion: every version a filing showed, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._economy import GENERAL
from finassay.world._blocks._parent import parent_of
from finassay.world._blocks._periods import ENDS
from finassay.world._blocks._reports import PERIODIC
from finassay.world._blocks._statement_items import (
    CURRENT_ASSETS,
    CURRENT_LIABILITIES,
    NONCURRENT_ASSETS,
    NONCURRENT_LIABILITIES,
    OWNERS,
    STOCK,
    STOCKS,
    Figures,
)
from finassay.world._draws import uniform
from finassay.world._events import EventType
from finassay.world._events_company import Opinion
from finassay.world._tables._ratios import RULES
from finassay.world._tables._statement_context import Context
from finassay.world._tables._statement_rows import (
    ORIGINAL,
    Rows,
    filed,
    merged,
    row_columns,
    vendor_columns,
)
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._versions import Versions
    from finassay.world._numerics import Floats

Array = npt.NDArray[Any]
_FINANCIAL_INSTRUMENTS = np.datetime64("2019-01-01")  # first periods under the new standards
_CONTRACTS = np.datetime64("2020-01-01")
_ALWAYS = {"CASHEQUIVALENTS", "PAIDINCAPITAL", "CAPITALRESERVEFUND", "SURPLUSRESERVEFUND", "RETAINEDPROFIT"}
_PARENT_BIT = 1 << 30  # tells the rows of the parent from the consolidated ones


def lc_balancesheetall(view: View) -> Iterator[pa.Table]:
    """Balance sheets, consolidated and of the parent: periods, restated ones, the year end of interim reports."""
    source = filed(view)
    for rows in merged(source.shown, source.year_ends).parts():
        group = source.versions.figures(rows.company, rows.period, rows.known)
        parts = [
            _balance(view, rows, group, 1),
            _balance(view, rows, _parent(source.versions, rows, group), 2),
        ]
        yield _stacked(view, "lc_balancesheetall", parts)


def lc_maindatanew(view: View) -> Iterator[pa.Table]:
    """Key figures, consolidated of every period shown; of the parent for half years and years."""
    source = filed(view)
    for rows in source.shown.parts():
        context = Context(source.versions, rows.company, rows.period, rows.known)
        own = np.flatnonzero((rows.period % 2 == 0) & (rows.adjusted == ORIGINAL))
        few = rows.take(own)
        group = source.versions.figures(few.company, few.period, few.known)
        parent = Context(source.versions, few.company, few.period, few.known)
        parent.__dict__["now"] = _parent(source.versions, few, group)
        parts = [_main(view, rows, context, 1), _main(view, few, parent, 2)]
        yield _stacked(view, "lc_maindatanew", parts)


def _stacked(view: View, name: str, parts: list[dict[str, Array]]) -> pa.Table:
    columns = {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}
    return arrow_table(view.catalog.table(name), columns, columns["ID"].size)


def _parent(versions: Versions, rows: Rows, group: Figures) -> Figures:
    """Return the parent's figures; how much it keeps for itself hangs on the company."""
    whole = versions.statements
    share = parent_share(whole.entity, whole.template)[rows.company]
    kept = whole.stocks[rows.company, 0][:, [STOCK["SURPLUSRESERVEFUND"], STOCK["RETAINEDPROFIT"]]].sum(
        axis=1
    )
    return parent_of(group, share, kept - np.rint(kept * share).astype(np.int64))


def parent_share(entity: Ints, template: Ints) -> Floats:
    """Return the share of the business that the parent does itself: .35 to .9, nearly all of a financial company."""
    return np.where(template == GENERAL, 0.35 + 0.55 * uniform(0, entity, 17), 0.97)


def _number(rows: Rows, scope: int) -> Ints:
    # Below the bits of the filing's number within its company, which never reaches 2**20
    return rows.number | (_PARENT_BIT if scope == 2 else 0)


def _balance(view: View, rows: Rows, figures: Figures, scope: int) -> dict[str, Array]:
    template = view.world.statements.template[rows.company]
    general = np.where(template == GENERAL, 1.0, np.nan)
    found = row_columns(view, "lc_balancesheetall", rows) | {"ID": _number(rows, scope)}
    found |= {
        "BULLETINTYPE": rows.form,
        "IFADJUSTED": rows.adjusted,
        "IFMERGED": np.full_like(rows.form, scope),
        "ENTERPRISETYPE": template,
        "IFCOMPLETE": np.ones_like(rows.form),
    }
    for name in STOCKS:
        values = figures.stocks[:, STOCK[name]]
        found[name] = values / 100.0 if name in _ALWAYS else np.where(values == 0, np.nan, values / 100.0)
    _by_standard(found, ENDS[rows.period])
    found |= {
        "TOTALCURRENTASSETS": figures.stock(*CURRENT_ASSETS) / 100.0 * general,
        "TOTALNONCURRENTASSETS": figures.stock(*NONCURRENT_ASSETS) / 100.0 * general,
        "TOTALASSETS": figures.total_assets / 100.0,
        "TOTALCURRENTLIABILITY": figures.stock(*CURRENT_LIABILITIES) / 100.0 * general,
        "TOTALNONCURRENTLIABILITY": figures.stock(*NONCURRENT_LIABILITIES) / 100.0 * general,
        "TOTALLIABILITY": figures.total_liabilities / 100.0,
        "SEWITHOUTMI": figures.owners_equity / 100.0,
        "SECPARENTCOMPANYOWNERS": figures.owners_equity / 100.0,
        "TOTALSHAREHOLDEREQUITY": figures.stock(*OWNERS, "MINORITYINTERESTS") / 100.0,
        "TOTALLIABILITYANDEQUITY": (figures.total_liabilities + figures.stock(*OWNERS, "MINORITYINTERESTS"))
        / 100.0,
        "OTHERRECEIVABLEED": found["OTHERRECEIVABLE"],
        "OTHERPAYABLEED": found["OTHERPAYABLE"],
        "TOTALFIXEDASSET": found["FIXEDASSETS"],
        "TCONSTRUINPROCESS": found["CONSTRUINPROCESS"],
        "BILLACCRECEIVABLE": figures.stock("BILLRECEIVABLE", "ACCOUNTRECEIVABLE") / 100.0 * general,
        "NOTACCOUNTSPAYABLE": figures.stock("NOTESPAYABLE", "ACCOUNTSPAYABLE") / 100.0 * general,
    }
    return found


def _by_standard(found: dict[str, Array], ends: Array) -> None:
    """Move items to the names that they had before the standards of 2019 and 2020."""
    for new, old, since in (
        ("OTHEQUITYINSTRUMENT", "HOLDFORSALEASSETS", _FINANCIAL_INSTRUMENTS),
        ("CONTRACTLIABILITY", "ADVANCERECEIPTS", _CONTRACTS),
    ):
        values = found[new]
        found[old] = np.where(ends < since, values, np.nan)
        found[new] = np.where(ends < since, np.nan, values)


def _main(view: View, rows: Rows, context: Context, scope: int) -> dict[str, Array]:
    now = context.now
    template = view.world.statements.template[rows.company]
    general = np.where(template == GENERAL, 1.0, np.nan)
    sheet = _balance(view, rows, now, scope)
    spec = view.catalog.table("lc_maindatanew").columns
    found = {name: values for name, values in sheet.items() if name in spec}
    found |= {name: RULES[name](context) for name in _PER_SHARE}
    found |= row_columns(view, "lc_maindatanew", rows) | {"ID": _number(rows, scope)}
    whole = rows.period % 4 == 0
    found |= {
        "BULLETINTYPE": rows.form.astype(str).astype(object),
        "MARK": np.full_like(rows.form, scope),
        "ROEBYREPORT": found["WROE"],
        "NAPSBYREPORT": found["NAPS"],
        "NETOPERATECASHFLOWPS": RULES["OPERCASHFLOWPS"](context),
        "OPERATINGREENUE": now.flow("REVENUE") / 100.0,
        "NPFROMPARENTCOMPANYOWNERS": now.parent_profit / 100.0,
        "NETPROFITCUT": now.core_profit / 100.0,
        "NONRECURRINGPROFITLOSS": now.flow("NONRECURRING") / 100.0,
        "NETOPERATECASHFLOW": now.operating_cash / 100.0,
        "NETINVESTCASHFLOW": now.investing_cash / 100.0,
        "NETFINANCECASHFLOW": now.financing_cash / 100.0,
        "EXCHANRATECHANGEEFFECT": now.flow("EXCHANGE") / 100.0,
        "CASHEQUIALENTINCREASE": now.cash_increase / 100.0,
        "ENDPERIODCASHEQUIVALENT": now.stock("CASHEQUIVALENTS") / 100.0,
        "CASHEQUIALENTS": now.stock("CASHEQUIVALENTS") / 100.0,
        "CAPITALRESEREFUND": now.stock("CAPITALRESERVEFUND") / 100.0,
        "TOTALSHARES": context.shares.astype(np.int64),
        "OPERATINGPROFIT": now.operating_profit / 100.0,
        "TOTALPROFIT": now.total_profit / 100.0,
        "FAIRVALUECHANGEINCOME": now.flow("FAIRVALUE") / 100.0 * general,
        "NONOPERATINGINCOME": now.flow("NONOPERATINGINCOME") / 100.0,
        "NONOPERATINGEXPENSE": now.flow("NONOPERATINGEXPENSE") / 100.0,
        "INCOMETAXCOST": now.flow("TAX") / 100.0,
        "MINORITYPROFIT": now.flow("MINORITYPROFIT") / 100.0,
        "NETPROFIT": now.net_profit / 100.0,
        "ACCOUNTRECEIVABLES": sheet["ACCOUNTRECEIVABLE"],
        "FINANCIALEXPENSE": now.financial_expense / 100.0 * general,
        "INVESTINCOME": now.flow("INVESTINCOME") / 100.0 * general,
        "COMMONSE": now.owners_equity / 100.0,
        "NETOPERATECASHFLOWPSRE": RULES["OPERCASHFLOWPS"](context),
        "OPERATINGREVENUEDEDUCT": np.where(whole, now.flow("REVENUE") / 100.0, np.nan),
    }
    return found


_PER_SHARE = (
    "BASICEPS", "DILUTEDEPS", "BASICEPSCUT", "DILUTEDEPSCUT", "EPS", "ROE", "ROECUT", "WROE", "WROECUT", "NAPS",
)  # fmt: skip
_FIRMS = (
    "立衡会计师事务所",
    "中审明诚会计师事务所",
    "信达永会计师事务所",
    "天泽会计师事务所",
    "正源会计师事务所",
)


def lc_auditopinion(view: View) -> pa.Table:
    """Opinions on the annual statements, with the report or replaced later."""
    shown = filed(view).shown
    rows = shown.take((shown.opinion > 0) & (shown.adjusted == ORIGINAL) & (shown.form == PERIODIC))
    found = row_columns(view, "lc_auditopinion", rows) | {"OPINIONTYPE": rows.opinion}
    later = [event for event in view.ledger.of(EventType.OPINION) if isinstance(event.payload, Opinion)]
    companies = {issuer.entity: issuer.company for issuer in view.world.issuers}
    recorded = np.array([event.recorded_at for event in later], dtype="datetime64[s]")
    number = np.array([event.event_id for event in later], dtype=np.int64)
    again: dict[str, Array] = {
        "ID": number,
        "COMPANYCODE": np.array([companies[event.entity] for event in later], dtype=np.int64),
        "ENDDATE": np.array([event.payload.period_end for event in later], dtype="datetime64[us]"),  # type: ignore[union-attr]
        "INFOPUBLDATE": np.array([event.disclosed_at.date() for event in later], dtype="datetime64[us]"),
        "OPINIONTYPE": np.array([event.payload.opinion for event in later], dtype=np.int64),  # type: ignore[union-attr]
    }
    again |= vendor_columns(view, "lc_auditopinion", number, recorded, recorded)
    columns = {name: np.concatenate([values, again[name]]) for name, values in found.items()}
    firm = columns["COMPANYCODE"] % len(_FIRMS)
    columns |= {
        "AUDITREPORTSTYPE": np.ones_like(firm),
        "ACCOUNTINGFIRMS": np.array(_FIRMS, dtype=object)[firm],
        "INSTIBELONGEDCODE": 900_001 + firm,
    }
    return arrow_table(view.catalog.table("lc_auditopinion"), columns, firm.size)

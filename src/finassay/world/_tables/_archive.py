"""lc_instiarchive and lc_business: who the companies are, as of today, and what they do."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._industries import SECTORS
from finassay.world._events import EventType
from finassay.world._events_bonds import Debtor
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_YUAN = 142


def lc_instiarchive(view: View) -> pa.Table:
    """One row per listed company, per other company of the NEEQ, and per other debtor of bonds."""
    rows = []
    for event in view.securities.values():
        who, issuer = view.security(event.entity), view.world.issuers[event.entity - 1]
        values = {
            "COMPANYCODE": who.company,
            "LISTEDCODE": who.inner,
            "CHINAME": who.name,
            "ABBRCHINAME": who.abbreviation,
            "ENGNAME": who.english,
            "ESTABLISHMENTDATE": issuer.listed - timedelta(days=2000 + who.company % 3000),
            "REGCAPITAL": issuer.shares,
            "CURRENCYUNIT": _YUAN,
        }
        rows.append(Row(event, values))
    return view.table("lc_instiarchive", [*rows, *_neeq(view), *_debtors(view)])


def _neeq(view: View) -> Iterator[Row]:
    """Yield those that are on the NEEQ alone; one that lists in Beijing is then among the listed."""
    there = {view.security(entity).company for entity in view.securities}
    members = {who.share.entity: who for who in view.world.neeq.members}
    for event in view.ledger.of(EventType.NEEQ_SECURITY):
        who = members[event.entity]
        share, last = who.share, who.later or who.share
        if share.company not in there:
            values = {
                "COMPANYCODE": share.company,
                "CHINAME": share.name,
                "ABBRCHINAME": share.abbreviation,
                "ENGNAME": share.english,
                "ESTABLISHMENTDATE": last.listed - timedelta(days=2000 + share.company % 3000),
                "REGCAPITAL": share.shares,
                "CURRENCYUNIT": _YUAN,
            }
            yield Row(event, values)


def _debtors(view: View) -> Iterator[Row]:
    """Yield those that owe bonds and have no share."""
    for event in view.ledger.of(EventType.DEBTOR):
        who = event.payload
        if isinstance(who, Debtor) and not who.stock:
            values = {
                "COMPANYCODE": who.company,
                "CHINAME": who.name,
                "ABBRCHINAME": who.name[:6],
                "ESTABLISHMENTDATE": event.valid_from - timedelta(days=2000 + who.company % 3000),
                "CURRENCYUNIT": _YUAN,
            }
            yield Row(event, values)


def lc_business(view: View) -> pa.Table:
    """One row per listed company: the business that it named at its listing."""
    rows = []
    for event in view.securities.values():
        sector = SECTORS[view.world.issuers[event.entity - 1].sector]
        values = {
            "COMPANYCODE": view.security(event.entity).company,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "SMDECIPUBLDATE": event.disclosed_at.date(),
            "BUSINESSMAJOR": f"从事{sector}产品的研发、生产和销售，并提供相关技术服务。",
            "MAINBUSINESS": f"{sector}产品的研发、生产与销售",
            "MAINNAME": f"{sector}主产品、{sector}配套产品、技术服务",
            "INDUENGAGED": sector,
        }
        rows.append(Row(event, values))
    return view.table("lc_business", rows)

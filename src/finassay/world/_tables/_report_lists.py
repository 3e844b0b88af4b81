"""lc_mainoperincome and lc_mainshlistnew: segments of revenue and lists of holders, disclosed with the reports.

Both follow from the statements and the share capital by fixed rules and draws that hang on company and quarter alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._economy import GENERAL
from finassay.world._blocks._holders import GROUP, LISTED, holder_names, holder_numbers, is_shared, stakes
from finassay.world._blocks._industries import SECTORS
from finassay.world._blocks._reports import CORRECTED, PERIODIC
from finassay.world._draws import uniform
from finassay.world._tables._statement_context import Context, percent, revenue
from finassay.world._tables._statement_rows import ORIGINAL, Rows, filed, row_columns
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Ints

Array = npt.NDArray[Any]
_YUAN = 142
_SPLITS = (  # classification, serial number, name
    (1, 1, "{sector}业务"),
    (1, 2, "其他业务"),
    (2, 1, "{sector}主产品"),
    (2, 2, "{sector}配套产品"),
    (2, 3, "技术服务"),
    (3, 1, "境内"),
    (3, 2, "境外"),
)
_FILINGS = 5_000  # that are worked on at a time: each has up to twenty rows
_WIDE = 24  # bits below which list rows count within a filing's number


def lc_mainoperincome(view: View) -> Iterator[pa.Table]:
    """Yield revenue and cost by industry, product and region, for half years and years of general companies."""
    source = filed(view)
    shown = source.shown
    general = view.world.statements.template[shown.company] == GENERAL
    wanted = general & (shown.period % 2 == 0) & (shown.form == PERIODIC) & (shown.adjusted == ORIGINAL)
    spec = view.catalog.table("lc_mainoperincome")
    yield arrow_table(spec, {}, 0)
    for rows in shown.take(np.flatnonzero(wanted)).parts(_FILINGS):
        context = Context(source.versions, rows.company, rows.period, rows.known)
        parts = [_segment(view, rows, context, n) for n in range(len(_SPLITS))]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        yield arrow_table(spec, columns, columns["ID"].size)


def _segment(view: View, rows: Rows, context: Context, place: int) -> dict[str, Array]:
    kind, serial, name = _SPLITS[place]
    income, spent = (_part(rows, context.now.flow(item), place) for item in ("REVENUE", "COST"))
    before = _part(rows, revenue(context.before), place, back=4)
    sectors = np.array([issuer.sector for issuer in view.world.issuers])[rows.company]
    labels = np.array([name.format(sector=sector) for sector in SECTORS], dtype=object)
    found = row_columns(view, "lc_mainoperincome", rows)
    return found | {
        "ID": rows.number | (place + 1) << _WIDE,
        "IFMERGED": np.ones_like(rows.form),
        "IFADJUSTED": np.full_like(rows.form, ORIGINAL),
        "CLASSIFICATION": np.full_like(rows.form, kind),
        "SN": np.full_like(rows.form, serial),
        "PROJECT": labels[sectors],
        "MAINOPERINCOME": income / 100.0,
        "MAINOPERCOST": spent / 100.0,
        "MAINOPERPROFIT": (income - spent) / 100.0,
        "MAINOPERINCOMEFORMERYEAR": before / 100.0,
        "MAININCOMEGROWRATEYOY": 100.0 * (percent(income, before) / 100.0 - 1.0),
        "GROSSPROFIT": percent(income - spent, income),
        "CURRENCYUNIT": np.full_like(rows.form, _YUAN),
    }


def _part(rows: Rows, whole: Ints, place: int, back: int = 0) -> Ints:
    """Return the share of a segment; the last of each classification takes what is left, so the parts add up."""
    members = [n for n, (kind, _, _) in enumerate(_SPLITS) if kind == _SPLITS[place][0]]
    firm = rows.company.astype(np.int64)
    period = rows.period - back
    weights = []
    for n in members:
        base = 0.15 + uniform(1, firm * 16 + n, 21) * (4.0 if n == members[0] else 1.0)
        weights.append(base * (0.9 + 0.2 * uniform(1, (firm * 64 + period) * 16 + n, 22)))
    total = np.sum(np.stack(weights), axis=0)
    cuts = [np.rint(whole * (weight / total)).astype(np.int64) for weight in weights[:-1]]
    last: Ints = whole - np.sum(np.stack(cuts), axis=0)
    parts: list[Ints] = [*cuts, last]
    return parts[members.index(place)]


def lc_mainshlistnew(view: View) -> Iterator[pa.Table]:
    """Yield the top ten holders, and those of tradable shares, with every report; a corrected one lists them anew."""
    shown = filed(view).shown
    # The period itself comes first in its filing
    wanted = (shown.number & 15 == 0) & ((shown.form == PERIODIC) | (shown.form == CORRECTED))
    spec = view.catalog.table("lc_mainshlistnew")
    yield arrow_table(spec, {}, 0)
    for rows in shown.take(np.flatnonzero(wanted)).parts(_FILINGS):
        parts = [_holders(view, rows, kind) for kind in (1, 2)]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        yield arrow_table(spec, columns, columns["ID"].size)


def _holders(view: View, rows: Rows, kind: int) -> dict[str, Array]:
    """Return ten rows per list. A correction finds another holder in the tenth place than the report did."""
    shares = view.world.statements.shares[rows.company, rows.period]
    weight = stakes(rows.company, rows.period, kind)
    order = np.argsort(-weight, axis=1, kind="stable")
    tenth = np.where(rows.form == CORRECTED, LISTED, LISTED - 1)
    holder = np.concatenate(
        [order[:, : LISTED - 1], np.take_along_axis(order, tenth[:, None], axis=1)], axis=1
    )
    held = np.rint(np.take_along_axis(weight, holder, axis=1) * shares[:, None]).astype(np.int64)
    count = rows.number.size
    flat = Rows(**{name: np.repeat(getattr(rows, name), LISTED) for name in Rows.__dataclass_fields__})
    rank = np.tile(np.arange(1, LISTED + 1), count)
    who, sums = holder.ravel(), held.ravel()
    return row_columns(view, "lc_mainshlistnew", flat) | {
        "ID": flat.number | (kind * 16 + rank) << _WIDE,
        "INFOTYPECODE": np.full_like(rank, kind),
        "SHNO": rank,
        "SHSERIAL": rank,
        "SHLIST": holder_names(view.world.issuers, flat.company, who),
        "GDID": holder_numbers(flat.company, who),
        "HOLDSUM": sums,
        "HOLDASHARESUM": sums,
        "PCTOFTOTALSHARES": 100.0 * sums / np.repeat(shares, LISTED),
        "SHATTRIBUTE": np.where((who == GROUP) | is_shared(who), 1, 2),
    }

"""mf_holderinfo, mf_shinfluence, mf_fundtradeinfo: what half-year and annual reports tell beside the holdings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._funds_holders import holder_structure, large_holders
from finassay.world._blocks._funds_market import quarter_positions
from finassay.world._blocks._funds_universe import FUND_BASE
from finassay.world._tables._funds_lists import ReportRows
from finassay.world._tables._funds_nav import unit_values
from finassay.world._tables._funds_view import Array, days_of, stamped
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    import pyarrow as pa

_HOLDERS, _LARGE, _TRADE = 50, 51, 52  # numbers of types that no event has


def mf_holderinfo(view: View) -> pa.Table:
    """Return the structure of holders per share class and half-year."""
    spec, rows = view.catalog.table("mf_holderinfo"), ReportRows(view)
    r, funds, seed = rows.funds.reports, rows.funds, view.world.config.seed
    reports = rows.seen(2, 3)
    ends = quarter_positions()
    report, entity, inner, share, mean = [], [], [], [], []
    structures = {
        part.entity: holder_structure(seed, part.entity) for life in funds.lives for part in life.classes
    }
    for number in reports.tolist():
        quarter = int(r.quarter[number])
        for part in funds.lives[int(r.fund[number])].classes:
            if part.first <= ends[quarter]:
                institutions, units = structures[part.entity]
                report.append(number)
                entity.append(part.entity)
                inner.append(part.payload.inner)
                share.append(float(institutions[quarter]))
                mean.append(float(units[quarter]))
    number, entities = np.array(report, dtype=np.int64), np.array(entity, dtype=np.int64)
    shares = _units(view, entities, r.quarter[number])
    accounts = np.maximum(1, np.rint(shares / np.array(mean)))
    held = np.rint(shares * np.array(share) * 100) / 100
    low = (r.quarter[number] << 3) | (r.form[number] << 1) | r.version[number]
    columns = {
        **rows.common(spec, _HOLDERS, number, np.zeros(number.size, dtype=np.int64)),
        "INNERCODE": np.array(inner, dtype=np.int64),
        "HOLDERACCOUNTNUMBER": accounts,
        "AVERAGEHOLDSHARES": shares / accounts,
        "INSTITUTIONHOLDSHARES": held,
        "INSTITUTIONHOLDRATIO": held / shares * 100,
        "INDIVIDUALHOLDSHARES": shares - held,
        "INDIVIDUALHOLDRATIO": (1.0 - held / shares) * 100,
        **stamped(spec, (np.int64(_HOLDERS) << 56) | (entities << 32) | low, r.recorded[number]),
    }
    return arrow_table(spec, columns, number.size)


def _units(view: View, entity: Array, quarter: Array) -> Array:
    """Return the units of share classes at quarter ends, to two places."""
    sizes = view.world.funds.sizes
    keys = (sizes.entity << 6) | sizes.quarter
    net = sizes.net[np.searchsorted(keys, (entity << 6) | quarter)] / 100
    found: Array = np.maximum(1.0, np.rint(net / (unit_values(view, entity, quarter) / 1e4) * 100) / 100)
    return found


def mf_shinfluence(view: View) -> pa.Table:
    """Return the investors above a fifth of a fund; one in ten is told of in two periods."""
    spec, rows = view.catalog.table("mf_shinfluence"), ReportRows(view)
    r, seed = rows.funds.reports, view.world.config.seed
    holders = {n: large_holders(seed, life.entity) for n, life in enumerate(rows.funds.lives)}
    lines: list[tuple[Any, ...]] = []
    for which in rows.seen(2, 3).tolist():
        owner, quarter = int(r.fund[which]), int(r.quarter[which])
        holder = holders[owner]
        for slot in np.flatnonzero(holder.ratio[quarter]).tolist():
            about = (holder.ratio[quarter, slot], holder.nature[slot])
            periods = range(1 + int(holder.split[quarter, slot]))
            lines += [(which, owner, slot, place, *about) for place in periods]
    table = np.array(lines, dtype=np.int64).reshape(-1, 6).T
    report, fund, slots, places, ratio, nature = table
    end = rows.ends[r.quarter[report]]
    units = _units(view, rows.entities[fund], r.quarter[report])
    two = np.zeros(report.size, dtype=bool)
    two[:-1] = (report[1:] == report[:-1]) & (slots[1:] == slots[:-1])
    columns = {
        **rows.common(spec, _LARGE, report, slots * 2 + places),
        "INFOSOURCE": r.form[report],
        "INFLUSTDATE": days_of(end - np.where(places == 0, 150, 40)),
        "INFLUENDATE": days_of(np.where(two, end - 60, end)),
        "SERIALNUMBER": (slots + 1).astype(str),
        "HOLDERNATURE": nature,
        "INVESTORID": (rows.entities[fund] - FUND_BASE) + slots,  # numbered by fund, four to each
        "HOLDINGVOLUME": np.rint(units * ratio / 10_000) / 100,
        "HOLDRATIO": ratio / 10_000,
    }
    return arrow_table(spec, columns, report.size)


def mf_fundtradeinfo(view: View) -> pa.Table:
    """Return what funds bought and sold in a half-year."""
    spec, rows = view.catalog.table("mf_fundtradeinfo"), ReportRows(view)
    r, funds = rows.funds.reports, rows.funds
    report = rows.seen(2, 3)
    report = report[funds.stocks[r.fund[report], r.quarter[report]] > 0]
    fund, quarter = r.fund[report], r.quarter[report]
    # A rebalancing shows what changed between quarter ends; a fund trades two to six times as much in between
    active = 2.0 + 4.0 * ((rows.entities[fund] * 2_654_435_761 >> 7) % 997) / 997
    active = np.where(rows.indexed[fund], 1.5, active)
    before = np.maximum(quarter - 1, 0)
    moved = (funds.traded[fund, quarter] + np.where(quarter > 0, funds.traded[fund, before], 0)) * active / 2
    stocks = np.maximum(funds.stocks[fund, quarter], 1)
    net = funds.sizes.total
    flow = net[fund, quarter] - net[fund, np.maximum(quarter - 2, 0)]
    bought, sold = moved + np.maximum(flow, 0) * 0.5, moved + np.maximum(-flow, 0) * 0.5
    columns = {
        **rows.common(spec, _TRADE, report, np.zeros(report.size, dtype=np.int64)),
        "BUYINGCOST": np.rint(bought) / 100,
        "SELLINGINCOME": np.rint(sold) / 100,
        "TURNOVERRATE": (bought + sold) / 2 / stocks * 100,
        "TURNOVERRATEONEY": (bought + sold) / stocks * 100,
    }
    return arrow_table(spec, columns, report.size)

"""mf_bondportifoliodetail and mf_bondcreditgrading: the bonds of funds, by name and by rating."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_bonds import bond_lists
from finassay.world._tables._funds_lists import ReportRows, bond_part
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.world._tables._funds_view import Array

_DETAIL, _GRADES = 57, 58  # numbers of types that no event has
_RATINGS = ("AAA", "AAA以下", "未评级")
_PAR = 100.0


def mf_bondportifoliodetail(view: View) -> pa.Table:
    """Return the five largest bonds of quarterly reports; the first version of one published again misses one."""
    spec, rows = view.catalog.table("mf_bondportifoliodetail"), ReportRows(view)
    r, funds = rows.funds.reports, rows.funds
    lists = bond_lists(view.world.config.seed, funds.lives, view.world.ledger.events)
    every = rows.seen(1)
    bonds = bond_part(rows, every)
    inner = lists.inner[r.fund[every], r.quarter[every]]
    shown = (inner > 0) & (bonds > 0)[:, None]
    shown[:, 2] &= r.wrong[every] == 0
    group, place = np.nonzero(shown)
    report = every[group]
    serial: Array = np.cumsum(shown, axis=1)[group, place]
    weight = lists.weight[r.fund[report], r.quarter[report], place]
    value = bonds[group] // 1_000_000 * weight  # fen
    net = funds.sizes.total[r.fund[report], r.quarter[report]]
    columns = {
        **rows.common(spec, _DETAIL, report, serial),
        "BONDCODE": inner[group, place],
        "HOLDVOLUME": np.rint(value / 100 / _PAR),
        "MARKETVALUE": value / 100,
        "RATIOINNV": value / net,
        "IFINCONVERTIBLETERM": np.full(report.size, 2),
    }
    return arrow_table(spec, columns, report.size)


def mf_bondcreditgrading(view: View) -> pa.Table:
    """Return the bonds of half-year and annual reports by rating: they add up to all bonds."""
    spec, rows = view.catalog.table("mf_bondcreditgrading"), ReportRows(view)
    r, funds = rows.funds.reports, rows.funds
    every = rows.seen(2, 3)
    bonds = bond_part(rows, every)
    every, bonds = every[bonds > 0], bonds[bonds > 0]
    # A fund's own taste for quality, from its number
    first = 35 + rows.entities[r.fund[every]] * 7 % 41
    second = (100 - first) * (20 + rows.entities[r.fund[every]] * 13 % 61) // 100
    top, below = bonds // 100 * first, bonds // 100 * second
    parts = np.stack([top, below, bonds - top - below], axis=1)
    report = np.repeat(every, len(_RATINGS))
    place = np.tile(np.arange(len(_RATINGS)), every.size)
    columns = {
        **rows.common(spec, _GRADES, report, place + 1),
        "NV": funds.sizes.total[r.fund[report], r.quarter[report]] / 100,
        "TCRTYPE": np.full(report.size, 1),
        "BONDCREDITRATING": np.array(_RATINGS)[place],
        "MARKETVALUE": parts.ravel() / 100,
    }
    return arrow_table(spec, columns, report.size)

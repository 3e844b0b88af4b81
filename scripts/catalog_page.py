"""Write docs/reference/gildata.md, the page of the world's catalog: ``python scripts/catalog_page.py``."""

from __future__ import annotations

from pathlib import Path

from finassay.temporal import Catalog, Table, load_catalog

PAGE = Path(__file__).resolve().parents[1] / "docs/reference/gildata.md"
DOMAINS = {
    "Securities, listing, industry": ("secumain", "hk_secumain", "nq_secumain", "lc_liststatus", "cs_riskalert",
                                      "lc_suspend", "lc_stibsuspend", "lc_exg", "lc_stibexg", "nq_exg", "lc_coconcept",
                                      "lc_conceptlist"),
    "Statements and indicators": ("lc_maindata", "lc_balance", "lc_derivative", "fin_", "lc_mainindex", "lc_qfin",
                                  "lc_stibmain", "nq_mainindex", "lc_audit", "lc_mainoper"),
    "Market": ("qt_", "lc_dindices", "lc_stibdaily", "nq_daily", "cs_intensity"),
    "Indices": ("lc_index", "index_"),
    "Companies": ("lc_", "nq_"),
    "Funds": ("mf_",),
    "Bonds and rates": ("bond_",),
    "Macro": ("c_ed_", "ed_"),
    "United States": ("us_",),
    "Documents": ("documents",),
}  # fmt: skip
INTRODUCTION = """# The catalog of the research world

{tables} tables, {columns} columns (version {version}). Table and column names are the source benchmark's
identifiers; descriptions and code lists are ours, and so are `lc_liststatus`, `documents` and the `us_` tables. The
catalog is a folder, `src/finassay/temporal/catalogs/gildata/`: one file per table, and `catalog.yaml` with
the code lists. [The format](catalog.md) says what each field means.

* **Known when**: the date that must lie before the cutoff. *or INSERTTIME*: a contract may let the recording
  time stand for it. *ahead*: dated after the day it became public, so a date up to the as-of date is known.
* **Holds**: from a first day up to, and without, a first day on which it no longer holds.
* **Kept**: *versioned*: a row per disclosure. *overwritten*: a newer version replaces the row. *staged*: one
  row fills in as its stages are announced. *end filled in place*: the end is written into the row of the
  beginning. *interval and flag*: a new row, the end on the old one, and a flag of today. *current*: several
  columns are those of today. *appended*: rows are added and stay.

Conventions a world keeps so that the rules can be applied: every row of `secumain` has a LISTEDDATE (indices:
first publication; unlisted funds: establishment). CASHDIVIRMB in `lc_dividend` is the plan's and does not
change with the implementation. `lc_derivativedata` keeps versions. `c_ed_macroindicatordata` holds one row
per period; a world that keeps vintages needs `versions` there instead of `overwritten`. Disclosure dates of
the Chinese side are days unless the table's granularity is intraday.
"""


def kept(table: Table) -> str:
    """Return how the vendor maintains the rows of a table."""
    if table.overwritten:
        return "overwritten"
    if any(column.disclosed_by for column in table.columns.values()):
        return "staged"
    if any(dependency.flag for dependency in table.dependencies) and table.versions:
        return "interval and flag"
    if table.kind != "entity" and table.valid and table.valid.end and not table.versions:
        return "end filled in place"
    if table.versions:
        return "versioned"
    return "current" if table.by_role("current_state") and table.kind == "entity" else "appended"


def known_when(table: Table) -> str:
    """Return the availability in a few words."""
    available = table.availability
    if available is None:
        return "not said"
    if available.always:
        return "always"
    text = available.column or ""
    text += f" + {available.lag_days} d" if available.lag_days else ""
    text += ", ahead" if available.ahead else ""
    if available.proxy:
        text = f"{text} or {available.proxy}" if text else f"only {available.proxy}"
    return text


def holds(table: Table) -> str:
    """Return the interval in a few words."""
    if table.valid is None:
        return ""
    text = f"{table.valid.start} to {table.valid.end}" if table.valid.end else f"from {table.valid.start}"
    return f"{text}, end known {table.valid.end_known.column}" if table.valid.end_known else text


def page(catalog: Catalog) -> str:
    """Return the page."""
    count = sum(len(table.columns) for table in catalog.tables.values())
    text = INTRODUCTION.format(tables=len(catalog.tables), columns=count, version=catalog.version)
    left = dict(catalog.tables)
    for title, prefixes in DOMAINS.items():
        names = [name for name in left if name.startswith(prefixes)]
        text += f"\n## {title}\n\n| table | holds | kind | known when | in force | the last of | kept |\n"
        text += "| --- | --- | --- | --- | --- | --- | --- |\n"
        for name in names:
            table = left.pop(name)
            order = ", ".join(table.versions.order) if table.versions else ""
            cells = (
                f"`{name}`",
                f"{table.en}. {table.zh}",
                table.kind,
                known_when(table),
                holds(table),
                order,
                kept(table),
            )
            text += f"| {' | '.join(cells)} |\n"
    assert not left, left
    text += "\n## Code lists\n\n| list | codes |\n| --- | --- |\n"
    for name, codes in catalog.code_lists.items():
        meanings = "; ".join(f"{code} {meaning.en}" for code, meaning in codes.items())
        text += f"| `{name}` | {meanings} |\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(load_catalog("gildata")), encoding="utf-8")

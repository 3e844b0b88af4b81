"""Real data through the same code: shipped catalogs agree with their files, as-of selection gives known answers."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import duckdb
import pytest

from finassay.database import connect, known_view, lint_catalog, normal_view, resolve_table, selected_view
from finassay.temporal import AsOf, Cutoff, load_catalog, parse_catalog

pytestmark = pytest.mark.shared

FILES = {
    "pystock": ["us_pystock_prices_sample_2015_2017.parquet", "us_pystock_sec_reports_2015_2017.csv.gz",
                "us_pystock_symbol_name_spells.csv.gz"],
    "sec_fsds": ["us_sec_fsds_sub_2009q3_2010q4_2021q1.parquet", "us_sec_fsds_num_2009q3_2010q2.parquet",
                 "us_sec_fsds_tag_2009q3.csv.gz"],
    "us_macro_vintages": ["us_gdpc1_alfred_releases.csv.gz", "us_fredmd_vintage_changelog_1999_2024.parquet",
                          "us_philly_rtdsm_changelog.parquet"],
    "index_membership": ["cn_csi500_membership_spans_2020_2024.csv.gz", "cn_csi300_membership_spans_2010_2026.csv.gz",
                         "us_sp500_ticker_spans_1996_2025.csv.gz"],
}  # fmt: skip


@pytest.fixture(scope="module")
def opened(shared, tmp_path_factory: pytest.TempPathFactory):
    """Return a function from a catalog's name to its files as a database, opened once."""
    databases = {}

    def open_(name: str):
        if name not in databases:
            folder = tmp_path_factory.mktemp(name)
            for file in FILES[name]:
                (folder / file).symlink_to(shared(f"data/{file}"))
            databases[name] = connect(folder)
        return databases[name]

    yield open_
    for database in databases.values():
        database.close()


def resolved(database, catalog: str, prefix: str):
    [info] = [info for info in database.tables() if info.name.startswith(prefix)]
    return resolve_table(load_catalog(catalog), info)


@pytest.mark.parametrize("name", FILES)
def test_a_shipped_catalog_agrees_with_its_files(name: str, opened) -> None:
    report = lint_catalog(load_catalog(name), opened(name))
    assert [finding for finding in report.findings if finding.severity != "known"] == []
    # The defects that data.md counts: 2 period ends after the crawl, some filings twice on one day.
    known = {finding.check for finding in report.findings}
    assert known == ({"date_order", "key_not_unique"} if name == "pystock" else set())


# specs/data.md, 4: first prints of ALFRED, equal to the Philadelphia Fed's; and the values of today.
FIRST_PRINTS = [("2008-10-01", "2009-01-30", -3.80, -8.47), ("2020-04-01", "2020-07-30", -32.90, -27.98),
                ("2022-01-01", "2022-04-28", -1.41, -1.02)]  # fmt: skip


@pytest.mark.parametrize(("quarter", "released", "first", "latest"), FIRST_PRINTS)
def test_gdp_is_its_first_print_on_the_day_of_release(quarter, released, first, latest, opened) -> None:
    database = opened("us_macro_vintages")
    table = resolved(database, "us_macro_vintages", "us_gdpc1")
    day = date.fromisoformat(released)

    def row(cutoff: Cutoff):
        view = known_view(table, cutoff, database.dialect)
        sql = f"SELECT * FROM ({view}) AS k WHERE observation_date = DATE '{quarter}'"
        return database.query(sql).table.to_pylist()

    assert row(Cutoff(day, "pre")) == []
    [known] = row(Cutoff(day, "eod"))
    assert known["qoq_saar_growth_alfred_first_pct"] == pytest.approx(first, abs=0.005)
    assert known["second_release_date"] is known["second_release"] is known["latest_release"] is None
    [today] = row(Cutoff(date(2026, 4, 30)))
    growth = ((today["latest_release"] / today["latest_prev_release"]) ** 4 - 1) * 100
    assert growth == pytest.approx(latest, abs=0.005)


@pytest.mark.parametrize(
    ("vintage", "day"), [("2008-10", "2008-10-31"), ("2020-05", "2020-05-31"), ("2023-12", "2023-12-31")]
)
def test_a_rebuilt_fredmd_vintage_is_the_published_one(vintage: str, day: str, opened, shared) -> None:
    """The selected rows at the end of the month are the vintage file of that month, which is not part of the log."""
    database = opened("us_macro_vintages")
    table = resolved(database, "us_macro_vintages", "us_fredmd")
    sql = selected_view(table, Cutoff(date.fromisoformat(day)), database.dialect)
    rebuilt = {(r["series"], r["period"].date()): r["value"] for r in database.query(sql).table.to_pylist()}
    names = sorted({series for series, _ in rebuilt})
    with duckdb.connect() as connection:
        columns = ", ".join(f'TRY_CAST("{name}" AS DOUBLE)' for name in names)
        path = shared(f"data/us_fredmd_vintage_{vintage}.csv.gz")
        rows = connection.execute(
            f"SELECT CAST(strptime(sasdate, '%m/%d/%Y') AS DATE), {columns} FROM read_csv('{path}', all_varchar = true)"
            " WHERE sasdate LIKE '%/%'"
        ).fetchall()
    published = {
        (name, row[0]): value
        for row in rows
        for name, value in zip(names, row[1:], strict=True)
        if value is not None
    }
    assert len(names) == 10
    assert set(published) == set(rebuilt)
    assert len(published) > 5000
    assert all(rebuilt[key] == pytest.approx(value, rel=1e-9) for key, value in published.items())


def test_a_month_is_not_known_before_its_end(opened) -> None:
    database = opened("us_macro_vintages")
    table = resolved(database, "us_macro_vintages", "us_fredmd")

    def latest(day: str, boundary: str = "eod") -> str:
        view = selected_view(table, Cutoff(date.fromisoformat(day), boundary), database.dialect)  # type: ignore[arg-type]
        return database.query(f"SELECT max(vintage) AS v FROM ({view}) AS s").table.to_pylist()[0]["v"]

    assert latest("2008-10-31") == "2008-10"
    assert latest("2008-10-31", "pre") == latest("2008-10-30") == "2008-09"


def members(opened, prefix: str, day: str, boundary: str = "eod") -> set[str]:
    database = opened("index_membership")
    table = resolved(database, "index_membership", prefix)
    cutoff = Cutoff(date.fromisoformat(day), boundary)  # type: ignore[arg-type]
    rows = database.query(selected_view(table, cutoff, database.dialect)).table.to_pylist()
    return {row.get("symbol") or row["ticker"] for row in rows}


def test_csi500_has_500_members_and_swaps_50_at_the_end_of_june(opened) -> None:
    """INDEX.md: exactly 50 in and 50 out per half-year, dated 2020-06-30."""
    before, after = members(opened, "cn_csi500", "2020-06-29"), members(opened, "cn_csi500", "2020-06-30")
    assert (len(before), len(after)) == (500, 500)
    assert (len(after - before), len(before - after)) == (50, 50)
    # Weights of the 30th are seen on the 30th: before its open the members are still the old ones.
    assert members(opened, "cn_csi500", "2020-06-30", "pre") == before
    assert len(members(opened, "cn_csi500", "2024-06-28")) == 500
    assert len(members(opened, "cn_csi500", "2025-01-02")) == 500  # the last day of the file is not an end


@pytest.mark.parametrize(("day", "count"), [("2010-06-01", 300), ("2022-03-01", 245), ("2026-05-08", 300)])
def test_csi300_counts_are_those_of_the_data_sheet(day: str, count: int, opened) -> None:
    for boundary in ("eod", "pre"):  # announced ahead: the same under both
        assert len(members(opened, "cn_csi300", day, boundary)) == count


def test_sp500_counts_are_those_of_the_data_sheet(opened) -> None:
    assert len(members(opened, "us_sp500", "2020-01-02")) == 505
    assert len(members(opened, "us_sp500", "2025-12-31")) == 503


def test_prices_are_the_last_crawl_by_then(opened) -> None:
    """9,681 symbol-days have two versions (INDEX.md); each cutoff takes the version crawled by then."""
    database = opened("pystock")
    table = resolved(database, "pystock", "us_pystock_prices")
    twice = database.query(
        f"SELECT count(*) AS n FROM (SELECT 1 FROM {table.info.name} GROUP BY symbol, date HAVING count(*) = 2) AS t"
    ).table.to_pylist()
    assert twice == [{"n": 9681}]
    for day, operator, boundary in [("2016-01-04", "<=", "eod"), ("2016-01-04", "<", "pre")]:
        cutoff = Cutoff(date.fromisoformat(day), boundary)  # type: ignore[arg-type]
        view = selected_view(table, cutoff, database.dialect)
        mine = database.query(f"SELECT symbol, date, adj_close FROM ({view}) AS s ORDER BY 1, 2").table
        by_hand = database.query(
            f"SELECT symbol, date, arg_max(adj_close, collected_date) AS adj_close FROM {table.info.name}"
            f" WHERE collected_date {operator} TIMESTAMP '{day}' GROUP BY 1, 2 ORDER BY 1, 2"
        ).table
        assert mine.num_rows > 30_000
        assert mine.equals(by_hand)


def test_reports_are_the_last_version_crawled_by_then(opened) -> None:
    database = opened("pystock")
    table = resolved(database, "pystock", "us_pystock_sec")
    key = "symbol, end_date, period_focus, fiscal_year"
    for day in (20150930, 20161231):
        cutoff = Cutoff(date(day // 10000, day // 100 % 100, day % 100))
        view = selected_view(table, cutoff, database.dialect)
        mine = database.query(f"SELECT DISTINCT {key}, collected_date FROM ({view}) AS s ORDER BY ALL").table
        by_hand = database.query(
            f"SELECT {key}, max(collected_date) AS collected_date FROM {table.info.name}"
            f" WHERE collected_date <= {day} GROUP BY ALL ORDER BY ALL"
        ).table
        assert mine.equals(by_hand)
    rows = database.query(f"SELECT * FROM {table.info.name}").table
    mask = AsOf(table.spec, cutoff).selected_mask(rows)  # Arrow, on the same 31,729 rows
    assert mask.true_count == database.query(f"SELECT count(*) AS n FROM ({view}) AS s").table["n"][0].as_py()


def test_the_normal_form_drops_superseded_versions_and_keeps_the_future(opened) -> None:
    database = opened("pystock")
    table = resolved(database, "pystock", "us_pystock_sec")
    cutoff = Cutoff(date(2016, 1, 15))

    def count(sql: str) -> int:
        return database.query(f"SELECT count(*) AS n FROM ({sql}) AS t").table["n"][0].as_py()

    future = count(f"SELECT 1 FROM {table.info.name} WHERE collected_date > 20160115")
    selected = count(selected_view(table, cutoff, database.dialect))
    assert count(normal_view(table, cutoff, database.dialect)) == future + selected
    assert future + selected < 31_729


def test_a_filing_is_known_from_the_minute_it_was_accepted(opened) -> None:
    """Filing 10-Q/A of Hewlett-Packard: accepted 2009-09-04 21:13, filed 2009-09-08 as the SEC counts."""
    database = opened("sec_fsds")
    table = resolved(database, "sec_fsds", "us_sec_fsds_sub")

    def known(day: str, boundary: str) -> int:
        cutoff = Cutoff(date.fromisoformat(day), boundary)  # type: ignore[arg-type]
        view = known_view(table, cutoff, database.dialect)
        sql = f"SELECT count(*) AS n, count(prevrpt) AS p FROM ({view}) AS k WHERE adsh = '0001047469-09-008166'"
        [row] = database.query(sql).table.to_pylist()
        assert row["p"] == 0  # whether a later filing amended it is not known then
        return row["n"]

    assert [known("2009-09-04", "pre"), known("2009-09-04", "eod"), known("2009-09-05", "pre")] == [0, 1, 1]


def test_restated_facts_are_what_was_filed_by_then(shared, tmp_path: Path) -> None:
    """For each of the 414 filings in the file of restatements, the value selected on its day is its own."""
    catalog = parse_catalog("""
catalog: facts
version: "1"
tables:
  facts:
    kind: report
    key: [cik, tag, ddate, qtrs, uom]
    availability: {column: filed}
    versions: {per: [cik, tag, ddate, qtrs, uom], order: [filed, adsh]}
    columns: {cik: key, tag: key, ddate: {role: period_end, format: integer_date}, qtrs: key, uom: key, adsh: key,
              filed: {role: disclosure, format: integer_date}, value: payload}
""")
    sub = shared("data/us_sec_fsds_sub_2009q3_2010q4_2021q1.parquet")
    num = shared("data/us_sec_fsds_num_2009q3_2010q2.parquet")
    examples = shared("data/us_sec_fsds_restated_examples.csv.gz")
    with duckdb.connect(str(tmp_path / "facts.duckdb")) as connection:
        connection.execute(
            f"CREATE TABLE facts AS SELECT s.cik, n.tag, n.ddate, n.qtrs, n.uom, n.adsh, s.filed, n.value"
            f" FROM '{num}' AS n JOIN '{sub}' AS s USING (adsh)"
            f" WHERE (s.cik, n.tag, n.ddate) IN (SELECT (cik, tag, ddate) FROM read_csv('{examples}'))"
        )
        rows = connection.execute(
            f"SELECT cik, tag, ddate, qtrs, uom, adsh, filed, value FROM read_csv('{examples}')"
        ).fetchall()
    assert len(rows) == 414
    with connect(tmp_path / "facts.duckdb") as database:
        facts = database.query("SELECT * FROM facts").table
    view_of = {}
    checked = 0
    for cik, tag, ddate, qtrs, uom, adsh, filed, value in rows:
        text = str(filed).replace("-", "")
        if text not in view_of:
            day = date(int(text[:4]), int(text[4:6]), int(text[6:8]))
            view = AsOf(catalog.table("facts"), Cutoff(day))
            kept = facts.filter(view.selected_mask(facts)).to_pylist()
            view_of[text] = {(r["cik"], r["tag"], r["ddate"], r["qtrs"], r["uom"]): r for r in kept}
        got = view_of[text][cik, tag, int(str(ddate).replace("-", "")), qtrs, uom]
        if got["adsh"] == adsh:  # else another filing of the same day carries the fact too
            checked += 1
            assert got["value"] == pytest.approx(value)
        assert str(got["filed"]) == text
    assert checked > 390

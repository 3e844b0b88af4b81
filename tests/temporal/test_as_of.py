"""When a row is known, when it holds, which version counts: the rules of task_families.md 0.1, one example each."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest

from finassay.temporal import AsOf, AvailabilityUnknown, Cutoff, UnreadableDate, load_catalog, parse_catalog

D = date(2024, 12, 24)
EOD = Cutoff(D, "eod")
PRE = Cutoff(D, "pre")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def table(body: str):
    return parse_catalog(f"catalog: t\nversion: '1'\ntables:\n  t:\n{body}").table("t")


REPORT = table("""
    kind: report
    key: [K]
    availability: {column: PUB}
    columns: {K: key, PUB: disclosure}
""")


def test_the_cutoff_is_the_next_midnight_at_the_end_of_the_day_and_this_midnight_before_the_open() -> None:
    assert EOD.instant == at("2024-12-25")
    assert PRE.instant == at("2024-12-24")
    assert EOD.day_end == PRE.day_end == at("2024-12-25")
    with pytest.raises(TypeError, match="datetime"):
        Cutoff(at("2024-12-24"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'noon'"):
        Cutoff(D, "noon")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("published", "at_eod", "at_pre"),
    [
        ("2024-12-23", True, True),
        ("2024-12-23 23:59:59", True, True),
        ("2024-12-24", True, False),  # dated D: in at the end of the day, out before the open
        ("2024-12-24 15:30", True, False),  # a time of day in a date column: `<= D` would lose it
        ("2024-12-24 23:59:59.999999", True, False),
        ("2024-12-25", False, False),  # the midnight itself is out
        (None, False, False),
    ],
)
def test_a_row_is_known_strictly_before_the_cutoff(published, at_eod: bool, at_pre: bool) -> None:
    row = {"K": 1, "PUB": at(published) if published else None}
    assert AsOf(REPORT, EOD).is_knowable(row) is at_eod
    assert AsOf(REPORT, PRE).is_knowable(row) is at_pre


@pytest.mark.parametrize(
    ("format_", "known", "unknown"),
    [
        ("native", date(2024, 12, 24), date(2024, 12, 25)),
        ("integer_date", 20241224, 20241225),
        ("text_date", "20241224", "20241225"),
        ("iso_text", "2024-12-24 23:59:59.0", "2024-12-25 00:00:00"),
        ("integer_month", 202411, 202412),  # December is over on the 31st only
        ("text_month", "2024-11", "2024-12"),
        ("text_quarter", "2024q3", "2024q4"),
    ],
)
def test_every_way_of_writing_a_date_is_compared_as_it_is_stored(format_: str, known, unknown) -> None:
    spec = table(f"""
    kind: report
    availability: {{column: PUB}}
    columns: {{PUB: {{role: disclosure, format: {format_}}}}}
""")
    view = AsOf(spec, EOD)
    assert view.is_knowable({"PUB": known})
    assert not view.is_knowable({"PUB": unknown})
    assert view.knowable_mask(pa.table({"PUB": [known, unknown, None]})).to_pylist() == [True, False, False]


def test_a_month_is_known_on_its_last_day() -> None:
    spec = table("""
    kind: series
    availability: {column: V}
    columns: {V: {role: disclosure, format: text_month}}
""")
    row = {"V": "2024-02"}
    assert AsOf(spec, Cutoff(date(2024, 2, 29), "eod")).is_knowable(row)
    assert not AsOf(spec, Cutoff(date(2024, 2, 29), "pre")).is_knowable(row)
    assert not AsOf(spec, Cutoff(date(2024, 2, 28), "eod")).is_knowable(row)
    assert AsOf(spec, Cutoff(date(2024, 3, 1), "pre")).is_knowable(row)


def test_a_lag_is_added_before_the_comparison() -> None:
    spec = table("""
    kind: series
    availability: {column: M, lag_days: 2}
    columns: {M: market_date}
""")
    assert AsOf(spec, EOD).is_knowable({"M": date(2024, 12, 22)})
    assert not AsOf(spec, EOD).is_knowable({"M": date(2024, 12, 23)})


MEMBERSHIP = load_catalog("gildata").table("lc_indexcomponent")


@pytest.mark.parametrize("cutoff", [EOD, PRE])
def test_w1_and_w2_dates_announced_ahead_are_tested_on_the_day_under_both_boundaries(cutoff: Cutoff) -> None:
    def holds(start: str, end: str | None) -> bool:
        row = {"INDATE": at(start), "OUTDATE": at(end) if end else None}
        return AsOf(MEMBERSHIP, cutoff).is_applicable(row)

    assert holds("2024-12-24", None)  # in on D
    assert not holds("2024-12-25", None)
    assert not holds("2024-06-17", "2024-12-24")  # half-open: D is the first day out
    assert holds("2024-06-17", "2024-12-25")  # an end after D reads as open


def test_an_end_after_the_cutoff_is_not_shown_unless_its_own_disclosure_was_public() -> None:
    view = AsOf(MEMBERSHIP, EOD)
    row = {"INDATE": date(2024, 6, 17), "OUTDATE": date(2024, 12, 25), "FLAG": 2, "XGRQ": at("2024-12-25")}
    assert view.known(row) == {"INDATE": date(2024, 6, 17), "OUTDATE": None, "FLAG": None, "XGRQ": None}
    row["OUTDATE"] = date(2024, 12, 24)
    assert view.known(row)["OUTDATE"] == date(2024, 12, 24)


ALERT = load_catalog("gildata").table("cs_riskalert")


@pytest.mark.parametrize(
    ("announced", "removed", "removal_published", "in_force", "shown"),
    [
        ("2024-05-05", None, None, True, None),
        ("2024-05-05", "2024-12-24", "2024-12-23", False, "2024-12-24"),
        ("2024-05-05", "2024-12-24", "2024-12-24", False, "2024-12-24"),
        (
            "2024-05-05",
            "2024-12-24",
            "2024-12-25",
            True,
            None,
        ),  # removed on D, published after: reads as open
        ("2024-05-05", "2024-12-26", "2024-12-24", True, "2024-12-26"),  # announced, not yet effective
        ("2024-05-05", "2024-12-24", None, True, None),  # an end nobody disclosed
        ("2024-12-25", None, None, False, None),  # not yet announced
    ],
)
def test_an_end_with_a_disclosure_of_its_own(announced, removed, removal_published, in_force, shown) -> None:
    row = {
        "IMPLANNOUCEDATE": at(announced),
        "IMPLEMENTDATE": at("2024-05-06"),
        "REMOVEDATE": removed and at(removed),
        "REMOVEINFOPUBLDATE": removal_published and at(removal_published),
    }
    view = AsOf(ALERT, EOD)
    assert view.is_applicable(row) is in_force
    if view.is_knowable(row):
        assert view.known(row)["REMOVEDATE"] == (shown and at(shown))
        assert (view.known(row)["REMOVEINFOPUBLDATE"] is None) is (shown is None)


INDUSTRY = load_catalog("gildata").table("lc_exgindustry")


def industry(id_: int, published: str, cancelled: str | None, code: str, inserted: str | None = None):
    return {
        "ID": id_,
        "COMPANYCODE": 1,
        "STANDARD": 38,
        "INFOPUBLDATE": at(published),
        "CANCELDATE": cancelled and at(cancelled),
        "INSERTTIME": at(inserted or published),
        "FIRSTINDUSTRYCODE": code,
    }


def selected(view: AsOf, rows) -> list[int]:
    ids = [row["ID"] for row in view.select(rows)]
    arrow = pa.Table.from_pylist(rows)
    assert arrow.filter(view.selected_mask(arrow)).column("ID").to_pylist() == ids
    return ids


def test_versions_are_ranked_before_the_end_is_tested() -> None:
    """R-IND: an ended last version does not revive the one before it."""
    rows = [industry(1, "2021-07-30", None, "A"), industry(2, "2023-07-30", "2024-12-01", "B")]
    assert selected(AsOf(INDUSTRY, EOD), rows) == []
    assert selected(AsOf(INDUSTRY, Cutoff(date(2024, 11, 30))), rows) == [2]
    assert selected(AsOf(INDUSTRY, Cutoff(date(2023, 7, 29))), rows) == [1]


def test_on_the_changeover_day_two_rows_are_valid_and_the_order_decides() -> None:
    rows = [industry(1, "2021-07-30", "2024-12-25", "A"), industry(2, "2024-12-24", None, "B")]
    view = AsOf(INDUSTRY, EOD)
    assert [view.is_applicable(row) for row in rows] == [True, True]
    assert selected(view, rows) == [2]
    assert selected(AsOf(INDUSTRY, PRE), rows) == [1]


def test_ties_in_the_order_all_stay_and_null_is_the_lowest() -> None:
    rows = [industry(7, "2024-01-01", None, "A"), industry(7, "2024-01-01", None, "B")]
    assert selected(AsOf(INDUSTRY, EOD), rows) == [7, 7]
    rows[0]["INSERTTIME"] = None
    assert [r["FIRSTINDUSTRYCODE"] for r in AsOf(INDUSTRY, EOD).select(rows)] == ["B"]


REPORTED = load_catalog("gildata").table("lc_maindatanew")


def report(id_: int, published: str | None, end: str = "2023-12-31"):
    return {
        "ID": id_,
        "COMPANYCODE": 1,
        "ENDDATE": at(end),
        "MARK": 1,
        "INFOPUBLDATE": published and at(published),
        "INSERTTIME": None,
    }


def test_latest_and_first_version_of_a_report() -> None:
    rows = [report(1, "2024-04-20"), report(2, "2024-08-30"), report(3, "2025-04-20"), report(4, None)]
    assert selected(AsOf(REPORTED, EOD), rows) == [2]  # R-STMT: the restatement of 2025 was not known
    assert selected(AsOf(REPORTED, EOD, rule="first"), rows) == [1]
    assert selected(AsOf(REPORTED, Cutoff(date(2024, 4, 19))), rows) == []


def test_another_period_is_another_thing() -> None:
    rows = [report(1, "2024-04-20"), report(2, "2024-04-20", end="2024-03-31")]
    assert selected(AsOf(REPORTED, EOD), rows) == [1, 2]


LISTING = load_catalog("gildata").table("lc_liststatus")


def test_the_last_event_gives_the_state_and_the_recording_time_is_a_proxy_only_where_allowed() -> None:
    rows = [
        {
            "ID": 1,
            "INNERCODE": 5,
            "CHANGEDATE": at("2010-01-04"),
            "INSERTTIME": at("2010-01-04 18:00"),
            "CHANGETYPE": 1,
        },
        {
            "ID": 2,
            "INNERCODE": 5,
            "CHANGEDATE": at("2024-12-20"),
            "INSERTTIME": at("2024-12-25 09:00"),
            "CHANGETYPE": 4,
        },
    ]
    assert selected(AsOf(LISTING, EOD, {"INSERTTIME"}), rows) == [1]
    assert selected(AsOf(LISTING, Cutoff(date(2024, 12, 25)), {"INSERTTIME"}), rows) == [2]
    with pytest.raises(AvailabilityUnknown, match="lc_liststatus") as refused:
        AsOf(LISTING, EOD, name="lc_liststatus").select(rows)
    assert "INSERTTIME" in str(refused.value)


NAV = load_catalog("gildata").table("mf_fundnetvalueretrans")


def test_an_allowed_proxy_replaces_the_assumed_lag() -> None:
    late = {"TRADINGDAY": at("2024-12-20"), "INSERTTIME": at("2024-12-25 08:00")}
    assert AsOf(NAV, EOD).is_knowable(late)
    assert not AsOf(NAV, EOD, {"INSERTTIME"}).is_knowable(late)


def test_recording_times_are_hidden_unless_allowed_or_ordering_the_versions() -> None:
    row = {"IMPLANNOUCEDATE": at("2024-01-01"), "REMOVEDATE": None, "INSERTTIME": at("2024-01-02")}
    assert AsOf(ALERT, EOD).known(row)["INSERTTIME"] is None
    assert AsOf(ALERT, EOD, {"INSERTTIME"}).known(row)["INSERTTIME"] == at("2024-01-02")
    assert "INSERTTIME" not in AsOf(REPORTED, EOD).hidden


SPELLS = load_catalog("pystock").table("us_pystock_symbol_name_spells")


def test_an_inclusive_end_and_the_last_day_of_the_file() -> None:
    """Last seen on Friday 2016-10-28: gone on the 29th, known at the end of the 29th."""
    gone = {"symbol": "AA", "first_seen": 20150323, "last_seen": 20161028}
    open_ = {"symbol": "A", "first_seen": 20150323, "last_seen": 20170331}
    for day, boundary, applies in [(28, "eod", True), (29, "pre", True), (29, "eod", False)]:
        view = AsOf(SPELLS, Cutoff(date(2016, 10, day), boundary))
        assert view.is_applicable(gone) is applies, (day, boundary)
    assert AsOf(SPELLS, Cutoff(date(2018, 1, 1))).is_applicable(open_)


GDP = load_catalog("us_macro_vintages").table("us_gdpc1_alfred_releases")


def test_a_row_that_fills_in_stages_shows_the_stages_that_were_disclosed() -> None:
    row = {
        "observation_date": date(2008, 10, 1),
        "first_release_date": date(2009, 1, 30),
        "first_release": 11599.4,
        "second_release_date": date(2009, 2, 27),
        "second_release": 11525.0,
        "third_release_date": date(2009, 3, 26),
        "third_release": 11522.1,
        "latest_release_date": date(2026, 2, 20),
        "latest_release": 16485.35,
    }
    assert not AsOf(GDP, Cutoff(date(2009, 1, 30), "pre")).is_knowable(row)
    first = AsOf(GDP, Cutoff(date(2009, 1, 30))).known(row)
    assert (first["first_release"], first["second_release"], first["second_release_date"]) == (
        11599.4,
        None,
        None,
    )
    second = AsOf(GDP, Cutoff(date(2009, 2, 27))).known(row)
    assert (second["second_release"], second["third_release"], second["latest_release"]) == (
        11525.0,
        None,
        None,
    )


def test_arrow_answers_an_empty_table_and_keeps_types() -> None:
    schema = pa.schema([("ID", pa.int64()), ("COMPANYCODE", pa.int64()), ("STANDARD", pa.int64()),
                        ("INFOPUBLDATE", pa.timestamp("us")), ("CANCELDATE", pa.timestamp("us")),
                        ("INSERTTIME", pa.timestamp("us")), ("IFPERFORMED", pa.decimal128(10, 0))])  # fmt: skip
    empty = schema.empty_table()
    view = AsOf(INDUSTRY, EOD)
    assert view.selected_mask(empty).to_pylist() == []
    assert view.known_table(empty).schema == schema


def test_a_value_of_the_wrong_type_is_refused_with_its_column() -> None:
    with pytest.raises(
        UnreadableDate, match=r"Column PUB has the format native, but a row holds '2024-12-24'"
    ):
        AsOf(REPORT, EOD).is_knowable({"K": 1, "PUB": "2024-12-24"})
    with pytest.raises(UnreadableDate, match="type is int64"):
        AsOf(REPORT, EOD).knowable_mask(pa.table({"K": [1], "PUB": [20241224]}))
    zoned = pa.table({"K": [1], "PUB": pa.array([at("2024-12-24")], pa.timestamp("us", tz="UTC"))})
    with pytest.raises(UnreadableDate, match="tz=UTC"):
        AsOf(REPORT, EOD).knowable_mask(zoned)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 20241224.5])
@pytest.mark.parametrize("kind", ["integer_date", "integer_month"])
def test_a_number_that_is_no_date_is_refused(kind, value) -> None:
    view = AsOf(
        table(f"""
    kind: report
    key: [K]
    availability: {{column: PUB}}
    columns: {{K: key, PUB: {{role: disclosure, format: {kind}}}}}
"""),
        EOD,
    )
    with pytest.raises(UnreadableDate, match=rf"Column PUB has the format {kind}, but a row holds"):
        view.is_knowable({"K": 1, "PUB": value})
    with pytest.raises(UnreadableDate, match=rf"Column PUB has the format {kind}, but a row holds"):
        view.knowable_mask(pa.table({"K": [1, 2], "PUB": [20241224.0, value]}))


def test_rows_without_a_column_the_catalog_needs() -> None:
    with pytest.raises(Exception, match="no column PUB, which the catalog needs; they have K"):
        AsOf(REPORT, EOD).is_knowable({"K": 1})

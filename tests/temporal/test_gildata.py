"""The catalog of the research world: complete, true to the identifiers, and fit for the rules of the task families."""

from __future__ import annotations

import json
import re
import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path

import duckdb
import pytest

from finassay.database import connect, lint_catalog
from finassay.temporal import AsOf, Column, Cutoff, Role, load_catalog

GILDATA = load_catalog("gildata")
US = {  # DESIGN.md, section 7
    "us_security", "us_listing_event", "us_price_daily", "us_corporate_action", "us_filing", "us_fact",
    "us_macro_vintage", "us_yield_curve", "us_index_member",
}  # fmt: skip
PAGE = runpy.run_path(str(Path(__file__).resolve().parents[2] / "scripts/catalog_page.py"))
Shared = Callable[[str], Path]


@pytest.fixture(scope="module")
def identifiers(shared: Shared) -> dict[str, dict[str, tuple[str, bool]]]:
    """Table, column, (type, may be NULL), as the identifier list states them."""
    listed = json.loads(shared("specs/gildata_identifiers.json").read_text(encoding="utf-8"))
    return {
        table: {name: (type_, null == "NULL") for name, type_, null, *_ in entry["columns"]}
        for table, entry in listed.items()
    }


@pytest.fixture(scope="module")
def families(shared: Shared) -> str:
    return shared("specs/task_families.md").read_text(encoding="utf-8")


def column(dotted: str) -> Column:
    table, name = dotted.split(".")
    return GILDATA.table(table).columns[name]


def columns() -> Iterator[tuple[str, str, Column]]:
    for table_name, table in GILDATA.tables.items():
        for name, spec in table.columns.items():
            yield table_name, name, spec


# --- coverage


def test_every_listed_table_and_the_world_s_own_are_there(
    identifiers: dict[str, dict[str, tuple[str, bool]]],
) -> None:
    assert set(GILDATA.tables) == {*identifiers, "lc_liststatus", "documents", *US}


def test_every_listed_column_is_there_in_order_with_its_type(
    identifiers: dict[str, dict[str, tuple[str, bool]]],
) -> None:
    for table, listed in identifiers.items():
        found = {name: spec.type for name, spec in GILDATA.table(table).columns.items()}
        assert list(found.items()) == [(name, type_) for name, (type_, _) in listed.items()], table


def test_what_the_vendor_never_leaves_empty_is_never_null(
    identifiers: dict[str, dict[str, tuple[str, bool]]],
) -> None:
    for table, listed in identifiers.items():
        for name, (_, nullable) in listed.items():
            if not nullable:
                assert column(f"{table}.{name}").max_null == 0, (table, name)


def test_the_columns_of_lc_liststatus_are_those_of_the_design() -> None:
    # DESIGN.md, section 7
    design = "ID INNERCODE SECUMARKET CHANGEDATE CHANGETYPE INSERTTIME UPDATETIME JSID"
    assert list(GILDATA.table("lc_liststatus").columns) == design.split()


def test_no_column_is_left_to_a_default() -> None:
    for name, table in GILDATA.tables.items():
        assert table.others is None, name
        assert not table.open_questions, name
    assert not [where for *where, spec in columns() if spec.type is None or spec.decide]


def test_what_the_families_name_is_in_the_catalog(families: str) -> None:
    named = {
        (table, name)
        for table, inside in re.findall(r"\b([a-z][a-z0-9_]+)\(([A-Z][A-Z0-9_, ]+)\)", families)
        for name in inside.replace(" ", "").split(",")
        if table in GILDATA.tables
    }
    # The document says it names 480 distinct columns in 79 tables; some stand in running text, not in a column list.
    assert len(named) > 400
    assert len({table for table, _ in named}) == 79
    assert not {(table, name) for table, name in named if name not in GILDATA.tables[table].columns}


# --- descriptions


def test_every_description_is_in_both_languages() -> None:
    for table in GILDATA.tables.values():
        assert table.en.isascii()
        assert re.search("[一-鿿]", table.zh)
    for table_name, name, spec in columns():
        assert spec.en, (table_name, name)
        assert spec.en.isascii(), (table_name, name, spec.en)
        # A few indicators carry a Latin name in Chinese too.
        assert re.search("[一-鿿]", spec.zh) or spec.zh == "PEG", (table_name, name, spec.zh)


def test_no_two_columns_of_a_table_have_one_description() -> None:
    for language in ("en", "zh"):
        seen = Counter((table, getattr(spec, language)) for table, _, spec in columns())
        assert not [where for where, count in seen.items() if count > 1]


def test_code_lists_are_used_and_hold_the_codes_of_the_rules() -> None:
    used = {spec.codes for _, _, spec in columns() if isinstance(spec.codes, str)}
    assert used == set(GILDATA.code_lists)
    # task_families.md 0.2 and buysideflow.md 6
    needed = {
        "market": "83 90 18 89",
        "board": "1 2 6 7 8",
        "security_category": "1 4",
        "listing_change": "1 2 3 4 6",
        "listing_state": "1 3 5",
        "risk_alert": "1 5 9 12 14",
        "standard": "37 38 75",
        "scope": "1 2",
        "adjustment": "1 2",
        "fund_class_2": "1101 1201 1202 1203 1301 1302 1303 1304 1305",
        "fund_class_3": "120401 130202",
        "investment_type": "16",
        "grade": "999 980",
        "curve": "10 195 196",
        "yield_type": "1",
        "credibility": "1",
        "theme_type": "40",
        "theme": "4041",
        "size_change": "10 60",
        "fund_post": "1",
    }
    for name, codes in needed.items():
        assert set(codes.split()) <= set(GILDATA.code_lists[name]), name
    assert GILDATA.code_lists["fund_post"]["1"].zh == "基金经理"
    assert GILDATA.code_lists["grade"]["980"].zh == "AA+"


def test_a_class_code_begins_with_the_class_above() -> None:
    for level in (2, 3):
        above = GILDATA.code_lists[f"fund_class_{level - 1}"]
        assert all(code[:-2] in above for code in GILDATA.code_lists[f"fund_class_{level}"])
    kinds = GILDATA.code_lists["bond_type_1"]
    assert all(code[0] in kinds for code in GILDATA.code_lists["bond_type_2"])


# --- roles


# task_families.md 0.1: never in a filter, rank or value
FORBIDDEN: dict[Role, str] = {
    "current_state": (
        "LISTEDSTATE IFPERFORMED IFEXECUTED IFEFFECTED FLAG INCUMBENT MANAGEMENTTIME PERFORMANCE EXPERIENCETIME"
        " INDISTATE CONCEPTSTATE DELISTDATE INTERESTENDDATE LASTTRADINGDATE LATESTSTATUS LATESTCONVPRICE CALLREACHDAY"
    ),
    "updated": "LATESTINFOPUBLDATE UPDATETIME XGRQ JSID UPDATATIME",
    "presentation": "SECUABBR NAME CHINESENAME INVESTADVISORABBRNAME CHINAME",
}


@pytest.mark.parametrize("role", FORBIDDEN)
def test_what_is_never_in_a_filter_has_a_role_that_says_so(role: Role) -> None:
    for forbidden in FORBIDDEN[role].split():
        found = {spec.role for _, name, spec in columns() if name == forbidden}
        assert found == {role}, forbidden


def test_the_list_of_the_test_is_the_list_of_the_document(families: str) -> None:
    (line,) = [line for line in families.splitlines() if line.startswith("* **Never in a filter")]
    stated = set(re.findall(r"[A-Z]{4,}", line))
    assert stated <= set(" ".join(FORBIDDEN.values()).split())


def test_recording_and_update_times_have_their_role_everywhere() -> None:
    for table, name, spec in columns():
        if name.upper() in ("INSERTTIME", "INSERT_TIME"):
            assert spec.role == "recorded", table
        if name.upper() in ("UPDATETIME", "UPDATE_TIME", "UPDATATIME", "XGRQ", "JSID"):
            assert spec.role == "updated", table


def test_a_column_of_dates_that_decides_anything_holds_dates() -> None:
    for table, name, spec in columns():
        if spec.role not in ("key", "payload", "presentation", "current_state") and spec.format == "native":
            assert spec.type == "datetime", (table, name)


def test_proxies_are_where_the_families_decided(families: str) -> None:
    # Section 6, decision 5: listing events, fund class, size, NAV, benchmark growth, dealing state, bond valuation,
    # call/put records, themes
    decided = {
        "lc_liststatus", "mf_jyfundtype", "mf_scaleanalysis", "mf_fundnetvalueretrans", "mf_benchmarkgrowthrate",
        "mf_purchaseandredeem", "bond_cbvaluationall", "bond_conbdcallinfo", "bond_conbdputinfo", "bond_conceptnature",
    }  # fmt: skip
    touched = {
        name
        for line in families.splitlines()
        if line.startswith(("- **Tables:**", "@"))
        for name in re.findall(r"[a-z][a-z0-9]*_[a-z0-9_]+|secumain", line)
    } & set(GILDATA.tables)
    with_proxy = {
        name for name, table in GILDATA.tables.items() if table.availability and table.availability.proxy
    }
    assert with_proxy & touched == decided
    for name in decided:
        assert GILDATA.tables[name].availability.proxy == "INSERTTIME"  # type: ignore[union-attr]


def test_every_table_of_the_families_says_when_its_rows_were_known() -> None:
    assert [name for name, table in GILDATA.tables.items() if table.availability is None] == []


def test_w1_starts_stand_alone_where_nothing_else_tells() -> None:
    ahead = {
        name: table.availability.column
        for name, table in GILDATA.tables.items()
        if table.availability and table.availability.ahead
    }
    # task_families.md 0.1, W1, names these four
    stated = {
        "lc_indexcomponent": "INDATE",
        "secumain": "LISTEDDATE",
        "mf_fundarchives": "ESTABLISHMENTDATE",
        "bond_code": "LISTEDDATE",
    }
    assert stated.items() <= ahead.items()
    for name, start in ahead.items():
        table = GILDATA.table(name)
        assert table.columns[start].role == "effective_from"
        assert table.by_role("disclosure") == (), name


def test_w2_ends_have_no_disclosure_but_where_the_table_has_a_column_for_it() -> None:
    known = {name for name, table in GILDATA.tables.items() if table.valid and table.valid.end_known}
    assert known == {"cs_riskalert", "us_index_member"}
    # task_families.md 0.1, W2
    for dotted in (
        "lc_exgindustry.CANCELDATE", "lc_coconcept.OUTDATE", "lc_indexcomponent.OUTDATE",
        "mf_fundmanagernew.DIMISSIONDATE", "mf_fundarchives.EXPIREDATE", "lc_suspendresumption.RESUMPTIONDATE",
        "bond_default.REVOKEDATE", "bond_bdcreditgrading.RATINGEFFECTIVEENDDATE", "lc_conceptlist.ENDDATE",
        "bond_conceptnature.ENDDATE",
    ):  # fmt: skip
        table, name = dotted.split(".")
        assert GILDATA.table(table).valid.end == name, dotted  # type: ignore[union-attr]
        assert column(dotted).role == "effective_to"


def test_a_flag_of_today_stands_beside_the_end_it_repeats() -> None:
    """Where a table has both, the catalog states that they agree, so that perturbed data keep agreeing."""
    flags = {"IFPERFORMED", "IFEXECUTED", "IFEFFECTED", "FLAG", "INCUMBENT", "IFEXISTED", "CONCEPTSTATE"}
    for name, table in GILDATA.tables.items():
        if table.valid and table.valid.end:
            stated = {dependency.flag for dependency in table.dependencies if dependency.flag}
            assert flags & set(table.columns) <= stated, name


# --- maintenance, world.md section 1


@pytest.mark.parametrize(
    ("how", "tables"),
    [
        (
            "versioned",
            "lc_balancesheetall lc_maindatanew bond_bdcreditgrading lc_stibmainindex fin_derivative",
        ),
        ("overwritten", "lc_mainindexnew lc_qfinancialindexnew c_ed_macroindicatordata"),
        (
            "end filled in place",
            "cs_riskalert mf_fundmanagernew lc_suspendresumption bond_default lc_indexcomponent",
        ),
        ("interval and flag", "lc_exgindustry mf_jyfundtype bond_biindustry"),
        ("staged", "lc_dividend bond_issuenew"),
        ("appended", "qt_dailyquote bond_cbyieldcurve lc_dindicesforvaluation"),
    ],
)
def test_a_table_is_kept_as_the_world_keeps_it(how: str, tables: str) -> None:
    kept = {name: PAGE["kept"](GILDATA.table(name)) for name in tables.split()}
    assert kept == dict.fromkeys(tables.split(), how)


def test_the_page_is_written_from_the_catalog() -> None:
    written = PAGE["PAGE"].read_text(encoding="utf-8")
    assert written == PAGE["page"](GILDATA), "run python scripts/catalog_page.py"


# --- the rules of task_families.md 0.2


@pytest.mark.parametrize(
    ("table", "per", "order"),
    [
        ("lc_liststatus", "INNERCODE", "CHANGEDATE INSERTTIME ID"),  # R-LIST
        ("lc_exgindustry", "COMPANYCODE STANDARD", "INFOPUBLDATE INSERTTIME ID"),  # R-IND
        ("lc_stibexgindustry", "COMPANYCODE STANDARD", "EFFECTIVEDATE INFOPUBLDATE INSERTTIME ID"),
        ("lc_maindatanew", "COMPANYCODE ENDDATE MARK", "INFOPUBLDATE INSERTTIME ID"),  # R-STMT
        ("lc_balancesheetall", "COMPANYCODE ENDDATE IFMERGED", "INFOPUBLDATE INSERTTIME ID"),
        ("mf_jyfundtype", "INNERCODE STANDARD", "EFFECTIVEDATE INSERTTIME ID"),  # R-CLS
        ("mf_scaleanalysis", "INNERCODE ENDDATE", "INSERTTIME ID"),  # R-SIZE
        ("mf_fundnetvalueretrans", "INNERCODE TRADINGDAY", "INSERTTIME ID"),  # R-NAV
        ("bond_size", "MAINCODE", "ENDDATE INFOPUBLDATE ID"),  # R-BOND
        ("bond_bdcreditgrading", "MAINCODE CRTYPECODE", "CRDATE INFOPUBLDATE ID"),  # R-RAT
        ("lc_auditopinion", "COMPANYCODE ENDDATE AUDITREPORTSTYPE", "INFOPUBLDATE ID"),  # S03
        ("lc_mainshlistnew", "COMPANYCODE ENDDATE INFOTYPECODE", "INFOPUBLDATE"),  # S18, by list
        ("mf_benchmarkallocation", "INNERCODE", "EXCUTEDATE"),  # F06, the latest set
        ("mf_purchaseandredeem", "INNERCODE", "ENDDATE INSERTTIME ID"),  # F07
        ("bond_biindustry", "COMPANYCODE STANDARD", "EFFECTIVEDATE INFOPUBLDATE ID"),  # B07
    ],
)
def test_versions_compete_as_the_rule_says(table: str, per: str, order: str) -> None:
    versions = GILDATA.table(table).versions
    assert versions is not None
    assert (versions.per, versions.order) == (tuple(per.split()), tuple(order.split()))


@pytest.mark.parametrize(
    ("dotted", "role"),
    [
        ("secumain.LISTEDDATE", "effective_from"),  # R-AGE
        ("cs_riskalert.IMPLANNOUCEDATE", "disclosure"),  # R-ST
        ("cs_riskalert.IMPLEMENTDATE", "effective_from"),
        ("cs_riskalert.REMOVEINFOPUBLDATE", "disclosure"),
        ("cs_riskalert.REMOVEDATE", "effective_to"),
        ("qt_performancedata.BACKWARDPRICE", "payload"),  # R-ADJ
        (
            "qt_tradingdaynew.IFTRADINGDAY",
            "payload",
        ),  # R-CAL: published in advance, unlike the flags of today
        ("mf_fundarchives.MAINCODE", "key"),  # R-FUND
        ("mf_fundarchives.SECURITYCODE", "key"),
        ("mf_fundmanagernew.INFOPUBLDATE", "disclosure"),  # R-MGR
        ("mf_fundmanagernew.ACCESSIONDATE", "effective_from"),
        (
            "bond_basicinfo.ENDDATE",
            "payload",
        ),  # R-BOND: contractual, so it is no end that becomes known later
        ("bond_code.LISTEDDATE", "effective_from"),
        ("bond_cbvaluationall.CREDIBILITYCODE", "key"),  # R-VAL
        ("bond_cbvaluationall.ENDDATE", "market_date"),
        ("bond_bdcreditgrading.CRDATE", "effective_from"),  # R-RAT
        ("bond_cbyieldcurve.YEARSTOMATURITY", "key"),  # R-CRV
        ("bond_cbyieldcurve.ENDDATE", "market_date"),
        ("c_ed_macroindicatordata.ENDDATE", "period_end"),  # R-MAC
        ("c_ed_macroindicatordata.INFOPUBLDATE", "disclosure"),
        ("lc_indexcomponentsweight.ENDDATE", "market_date"),  # S06
        ("bond_conbdbasicinfo.ENDDATE", "payload"),  # B06
        ("lc_exgindustry.FIRSTINDUSTRYNAME", "payload"),  # a rule tests the name of the industry
    ],
)
def test_a_column_has_the_role_that_its_rule_presumes(dotted: str, role: Role) -> None:
    assert column(dotted).role == role


@pytest.mark.parametrize(
    ("dotted", "unit"),
    [  # task_families.md 0.2, units and coverage
        ("mf_scaleanalysis.COMBNVI", "CNY"),
        ("qt_dailyquote.TURNOVERVALUE", "CNY"),
        ("lc_balancesheetall.GOODWILL", "CNY"),
        ("bond_size.TOTALSIZE", "亿元"),
        ("bond_basicinfo.ACTUALISSUESIZE", "亿元"),
        ("bond_issuenew.ACTUALISSUESIZE", "百万元"),
        ("bond_conbdexchangequote.CONVERTPREMIUMRATE", "%"),
        ("mf_holderinfo.INSTITUTIONHOLDRATIO", "%"),
        ("mf_fundtradeinfo.TURNOVERRATE", "%"),
        ("bond_baseratereference.FR007", "%"),
        ("lc_indexcomponentsweight.WEIGHT", "%"),
        ("mf_benchmarkgrowthrate.DAILYBENCHGR", "%"),
        ("lc_dividend.CASHDIVIRMB", "CNY/10 shares"),
    ],
)
def test_units_are_those_of_the_families(dotted: str, unit: str) -> None:
    assert column(dotted).unit == unit


# --- what the rules answer, at the end of 24 December 2024

EVENING = Cutoff(date(2024, 12, 24), "eod")


def day(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def test_r_list_the_last_event_recorded_gives_the_state() -> None:
    view = AsOf(GILDATA.table("lc_liststatus"), EVENING, proxies=("INSERTTIME",))
    events = [
        {"ID": i, "INNERCODE": 1, "CHANGEDATE": day(changed), "CHANGETYPE": kind, "INSERTTIME": day(recorded)}
        for i, (changed, kind, recorded) in enumerate(
            [
                ("2019-05-06", 1, "2019-05-06 20:00"),
                ("2024-12-20", 6, "2024-12-24 21:30"),  # recorded that evening: counts
                ("2024-12-24", 4, "2024-12-25 00:30"),  # recorded after midnight: not yet
            ]
        )
    ]
    assert [event["CHANGETYPE"] for event in view.select(events)] == [6]


def test_r_cls_the_class_is_picked_before_its_end_is_tested() -> None:
    view = AsOf(GILDATA.table("mf_jyfundtype"), EVENING, proxies=("INSERTTIME",))
    rows = [
        {"ID": 1, "INNERCODE": 9, "STANDARD": 75, "EFFECTIVEDATE": day("2020-01-01"),
         "CANCELDATE": day("2024-12-02"), "INSERTTIME": day("2020-01-03")},
        # Effective before D, recorded after it: the predecessor's end (W2: the day after the recording) lies beyond D.
        {"ID": 2, "INNERCODE": 9, "STANDARD": 75, "EFFECTIVEDATE": day("2024-12-01"),
         "CANCELDATE": None, "INSERTTIME": day("2024-12-30")},
    ]  # fmt: skip
    assert view.select(rows) == []
    rows[0]["CANCELDATE"] = day("2024-12-31")
    assert [row["ID"] for row in view.select(rows)] == [1]


def test_a_dividend_fills_in_as_its_stages_are_announced() -> None:
    row = {
        "INNERCODE": 1, "ENDDATE": day("2024-09-30"), "ADVANCEDATE": day("2024-11-01"),
        "SMDECIPUBLDATE": day("2024-12-20"), "DIVIDENDIMPLEMENTDATE": day("2024-12-25"),
        "EXDIVIDATE": day("2024-12-31"), "CASHDIVIRMB": 3.0, "ACTUALCASHDIVIRMB": 2.7, "EVENTPROCEDURE": 3,
        "LATESTINFOPUBLDATE": day("2024-12-25"),
    }  # fmt: skip
    view = AsOf(GILDATA.table("lc_dividend"), EVENING)
    assert view.is_knowable(row)
    shown = {name for name, value in view.known(row).items() if value is not None}
    assert shown == {"INNERCODE", "ENDDATE", "ADVANCEDATE", "SMDECIPUBLDATE", "CASHDIVIRMB"}


def test_the_size_of_an_issue_is_known_when_it_closes() -> None:
    row = {"PUBLICANNOUNCEMENTDATE": day("2024-12-20"), "ISSUEDATEEND": day("2024-12-25"), "ACTUALISSUESIZE": 500,
           "PLANISSUESIZE": 600}  # fmt: skip
    view = AsOf(GILDATA.table("bond_issuenew"), EVENING)
    assert view.known(row) == {**row, "ACTUALISSUESIZE": None}
    closing = AsOf(GILDATA.table("bond_issuenew"), Cutoff(date(2024, 12, 25), "eod"))
    assert closing.known(row) == row


def test_a_default_revoked_after_the_date_reads_as_open() -> None:
    row = {"INNERCODE": 1, "INFOPUBLDATE": day("2024-12-23"), "DEFAULTDATE": day("2024-12-10"),
           "REVOKEDATE": day("2025-02-01"), "DEFAULTTYPE": 1}  # fmt: skip
    view = AsOf(GILDATA.table("bond_default"), EVENING)
    assert view.is_applicable(row)
    assert view.known(row)["REVOKEDATE"] is None
    assert not AsOf(GILDATA.table("bond_default"), Cutoff(date(2025, 2, 1), "eod")).is_applicable(row)


def test_a_list_of_holders_is_replaced_as_a_whole() -> None:
    def entry(rank: int, holder: int, disclosed: str) -> dict[str, object]:
        return {"COMPANYCODE": 1, "ENDDATE": day("2024-09-30"), "INFOTYPECODE": 1, "SHNO": rank, "GDID": holder,
                "INFOPUBLDATE": day(disclosed)}  # fmt: skip

    first = [entry(1, 11, "2024-10-25"), entry(2, 12, "2024-10-25"), entry(3, 13, "2024-10-25")]
    amended = [entry(1, 11, "2024-11-20"), entry(2, 14, "2024-11-20")]
    view = AsOf(GILDATA.table("lc_mainshlistnew"), EVENING)
    assert view.select(first + amended) == amended


def test_a_filing_accepted_after_the_close_is_known_that_evening_and_not_before_the_open() -> None:
    row = {"cik": 1, "accepted_at": day("2024-12-24 17:45"), "filed": day("2024-12-26")}
    assert AsOf(GILDATA.table("us_filing"), EVENING).is_knowable(row)
    assert not AsOf(GILDATA.table("us_filing"), Cutoff(date(2024, 12, 24), "pre")).is_knowable(row)


def test_a_fact_restated_later_reads_as_first_filed() -> None:
    def fact(accession: str, accepted: str, value: int) -> dict[str, object]:
        return {"cik": 1, "tag": "Assets", "unit": "USD", "period_end": day("2024-09-30"), "quarters": 0,
                "accession": accession, "accepted_at": day(accepted), "value": value}  # fmt: skip

    rows = [fact("a", "2024-11-05 16:31", 100), fact("b", "2025-01-15 08:00", 90)]
    assert [row["value"] for row in AsOf(GILDATA.table("us_fact"), EVENING).select(rows)] == [100]
    later = AsOf(GILDATA.table("us_fact"), Cutoff(date(2025, 1, 15), "eod"))
    assert [row["value"] for row in later.select(rows)] == [90]


# --- the catalog makes a database


def test_the_types_make_tables_and_the_lint_accepts_them(tmp_path: Path) -> None:
    """The world's tables can be created from the catalog alone; an empty one contradicts nothing."""
    own = {"datetime": "TIMESTAMP", "longtext": "VARCHAR", "longblob": "BLOB"}
    file = tmp_path / "world.duckdb"
    with duckdb.connect(str(file)) as writer:
        for name, table in GILDATA.tables.items():
            body = ", ".join(
                f'"{column_name}" {own.get(str(spec.type), spec.type)}'
                for column_name, spec in table.columns.items()
            )
            writer.execute(f'CREATE TABLE "{name}" ({body})')
    sample = ["cs_riskalert", "lc_dividend", "mf_fundarchives", "bond_cbvaluationall", "us_index_member"]
    with connect(f"duckdb:///{file}") as database:
        report = lint_catalog(GILDATA, database, sample)
    assert {(finding.check, finding.table) for finding in report.findings} == {
        ("empty_table", name) for name in sample
    }

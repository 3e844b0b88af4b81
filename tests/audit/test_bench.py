"""The measurement counts what it should: on a corpus of five programs every figure can be told in advance."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from typer.testing import CliRunner

from finassay.audit import Certificate, Verdict
from finassay.audit._baselines import same_answer
from finassay.audit._bench import Result, detectors_of, figures_of, report, wrong
from finassay.audit._corpus import Labelled, Task, TaskFile, Truth, half_of
from finassay.audit._lexical import lexical_flags
from finassay.audit._measure import Measured
from finassay.cli import app
from finassay.temporal import Catalog, catalog_yaml, parse_contract

DAY = "DATE '2024-06-30'"
ALERTED = f"""SELECT FIRM FROM alert WHERE ANNOUNCED <= {DAY} AND STARTS <= {DAY}
  AND NOT COALESCE(ENDS <= {DAY} AND END_ANNOUNCED <= {DAY}, FALSE)"""
REFERENCE = f"""SELECT FIRM, AVG(CLOSE) AS close FROM price
WHERE DAY <= {DAY} AND FIRM NOT IN ({ALERTED}) GROUP BY FIRM"""
PROGRAMS: dict[str, tuple[str, list[str], str | None]] = {
    "mean.sql": (REFERENCE, [], None),
    "same_mean.sql": (REFERENCE.replace(f"DAY <= {DAY}", "DAY < DATE '2024-07-01'"), [], None),
    "late.sql": (REFERENCE.replace(f"DAY <= {DAY}", "DAY <= DATE '2024-07-02'"), ["A1"], "later_prices"),
    # The firms from 10 on are those that were not known to be under an alert: it leaks, and its answer is right
    "silent.sql": (
        REFERENCE.replace(f"ANNOUNCED <= {DAY} AND STARTS", "FIRM < 10 AND STARTS"),
        ["A1"],
        "disclosure_after_effective",
    ),
    "state.sql": (
        REFERENCE.replace("GROUP", "AND FIRM IN (SELECT FIRM FROM industry WHERE NOW = 1) GROUP"),
        ["A2"],
        "later_membership",
    ),
}


def task_in(folder: Path) -> Task:
    says = TaskFile.model_validate(
        {
            "id": folder.name,
            "domain": "stock",
            "family": "S01",
            "dialect": "duckdb",
            "instruction": {"zh": "求均价。", "en": "Mean prices."},
        }
    )
    contract = parse_contract("contract: t\nas_of: {date: 2024-06-30}\nsources: [price, alert]\n")
    return Task(folder, says, contract, folder / "reference.sql")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus" / "tasks" / "t1"
    (folder / "programs").mkdir(parents=True)
    says = task_in(folder).says.model_dump(mode="json", exclude={"as_of", "inputs", "decisions"})
    (folder / "task.yaml").write_text(yaml.safe_dump(says, allow_unicode=True), encoding="utf-8")
    (folder / "contract.yaml").write_text("contract: t\nas_of: {date: 2024-06-30}\nsources: [price, alert]\n")
    (folder / "reference.sql").write_text(REFERENCE)
    truth: dict[str, Any] = {}
    for name, (sql, codes, mechanism) in PROGRAMS.items():
        (folder / "programs" / name).write_text(sql)
        truth[name] = {"violates": codes, "mechanism": mechanism, "reason": "As the test says."}
    (folder / "truth.yaml").write_text(yaml.safe_dump(truth))
    return tmp_path / "corpus"


@pytest.fixture
def bench(
    corpus: Path, market: str, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Run the command over the small database, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "small.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")

    def run(*more: str, code: int = 0) -> Any:
        given = ["audit", "bench", str(corpus), "--db", market, "--catalog", str(tmp_path / "small.yaml")]
        done = CliRunner().invoke(app, [*given, "--executor", "serial", "--format", "json", *more])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    return run


def test_figures_of_a_corpus_whose_verdicts_are_plain(bench: Callable[..., Any], tmp_path: Path) -> None:
    found = bench("--out", str(tmp_path / "certificates"))
    assert found["counts"]["truth"] == {"valid": 2, "violating": 3}
    audit = found["detectors"]["audit"]
    assert (audit["recall"]["n"], audit["recall"]["N"]) == (3, 3)
    assert (audit["precision"]["n"], audit["precision"]["N"]) == (3, 3)
    assert audit["valid flagged"]["n"] == 0
    assert audit["type match"]["n"] == 3
    # With k of n = 3 of 3 Wilson's lower limit is 3 / (3 + 1.96²)
    assert audit["recall"]["wilson"] == [pytest.approx(3 / (3 + 1.959964**2), abs=1e-5), 1.0]
    output = found["detectors"]["output check"]
    silent = audit["recall where the answer is right"]
    assert output["recall"]["n"] + silent["N"] == 3  # what the output check misses is right
    assert silent["n"] == silent["N"] >= 1
    truncated = found["detectors"]["truncate and rerun"]
    assert truncated["recall"]["n"] >= 1  # late.sql
    assert truncated["valid flagged"]["n"] == 0
    assert found["groups"]["mechanism"]["later_prices"]["recall"]["n"] == 1
    assert found["seconds"]["n"] == 5
    written = {path.name for path in (tmp_path / "certificates").rglob("*.json")}
    assert written == {f"{n}.certificate.json" for n in PROGRAMS if half_of(f"t1/{n}") == "tuned"}
    layers = bench("--ablate", "layers")["layers"]
    assert layers["NI + NORM"]["recall"]["n"] == 3
    assert layers["NORM"]["recall"]["n"] < 3
    assert layers["static alone"]["recall"]["N"] == 3


def test_of_the_half_that_is_held_out_no_program_is_named(bench: Callable[..., Any]) -> None:
    held = [name for name in PROGRAMS if half_of(f"t1/{name}") == "held-out"]
    assert held
    found = bench("--held-out")
    assert found["programs"] == len(held)
    assert found["misjudged"] == []
    assert not [name for name in PROGRAMS if name in json.dumps(found)]


def test_mutants_are_counted_and_survivors_named(bench: Callable[..., Any], corpus: Path) -> None:
    found = bench("--mutants", "--sample", "4")["mutants"]
    assert found["made"] == 4
    assert sum(found["verdicts"].values()) == 4
    names = [one["id"] for one in found["survivors"]]
    whole = bench("--mutants")["mutants"]
    assert (
        whole["killed"]["n"] + sum(n for word, n in whole["verdicts"].items() if word != "FAIL")
        == whole["made"]
    )
    for name in {one["id"] for one in whole["survivors"]}:
        (corpus / "equivalents.yaml").write_text(
            yaml.safe_dump({name: {"why": "It changes nothing at all."}})
        )
        assert bench("--mutants")["mutants"]["equivalent"] == 1
        break
    assert all(name.startswith("t1/") for name in names)


def test_a_sample_is_drawn_by_the_seed(bench: Callable[..., Any]) -> None:
    first, again = bench("--sample", "2"), bench("--sample", "2")
    assert first["programs"] == 2
    assert first["corpus"] == again["corpus"]


# --- figures by hand


def _result(path: Path, verdict: str, truth: Truth, **measured: Any) -> Result:
    path.write_text("SELECT 1")
    certificate = Certificate.model_construct(
        verdict=Verdict(verdict), requirements={}, reasons=[], notes=[], witnesses=[]
    )
    return Result(Labelled(task_in(Path("t1")), path, truth), Measured(certificate, **measured))


def test_shares_are_over_all_programs_and_unknown_is_none(tmp_path: Path) -> None:
    good = Truth.model_validate({"violates": [], "reason": "It is bounded."})
    bad = Truth.model_validate(
        {"violates": ["A1"], "mechanism": "later_prices", "reason": "It is not bounded."}
    )
    results = [
        _result(tmp_path / "a.sql", "PASS", good),
        _result(tmp_path / "b.sql", "FAIL", good),
        _result(tmp_path / "c.sql", "FAIL", bad, right=True),
        _result(tmp_path / "d.sql", "UNKNOWN", bad, right=True),
        _result(tmp_path / "e.sql", "PASS", bad, right=False),
    ]
    audit = detectors_of(results)[0]
    shares = {name: pair[0] for name, pair in figures_of(results, audit, 1).shares.items() if pair}
    counts = {name: (one.numerator, one.denominator) for name, one in shares.items()}
    assert counts["precision"] == (1, 2)
    assert counts["recall"] == (1, 3)
    assert counts["recall where the answer is right"] == (1, 2)
    assert counts["valid flagged"] == (1, 2)
    assert counts["undecided"] == (1, 5)
    expected = {n for n in ("b.sql", "d.sql", "e.sql") if half_of(f"t1/{n}") == "tuned"}
    assert {one.program.path.name for one in wrong(results)} == expected


# --- the baselines


SAME: dict[str, tuple[Any, Any, bool]] = {
    "other order of rows": ({"a": [1, 2]}, {"a": [2, 1]}, True),
    "other order of columns": ({"a": [1], "b": ["x"]}, {"B": ["x"], "A": [1]}, True),
    "other names": ({"a": [1]}, {"mean": [1]}, True),
    "noise in a number": ({"a": [1.0]}, {"a": [1.0 + 1e-9]}, True),
    "a day as text": ({"a": ["2024-06-30"]}, {"a": ["2024-06-30 00:00:00"]}, True),
    "a number and a text": ({"a": [1]}, {"a": ["1"]}, False),
    "another number": ({"a": [1.0]}, {"a": [1.001]}, False),
    "a row twice": ({"a": [1]}, {"a": [1, 1]}, False),
    "NULL and zero": ({"a": [None]}, {"a": [0]}, False),
    "a column more": ({"a": [1]}, {"a": [1], "b": [1]}, False),
    "nothing at all": ({"a": []}, {}, True),
}


@pytest.mark.parametrize(("left", "right", "same"), SAME.values(), ids=SAME)
def test_answers_are_the_same_where_a_person_would_say_so(left: Any, right: Any, same: bool) -> None:
    assert same_answer(pa.table(left), pa.table(right)) is same


LEXICAL = {
    "SELECT * FROM lc_maindatanew WHERE ENDDATE <= '2024-06-30'": {"financial_publication"},
    "SELECT * FROM lc_maindatanew m WHERE m.INFOPUBLDATE <= '2024-06-30'": set(),
    "SELECT * FROM lc_maindatanew m WHERE '2024-07-01' > m.INFOPUBLDATE": set(),
    "d = d[d['INFOPUBLDATE'] < day]  # lc_maindatanew": set(),
    "SELECT * FROM lc_exgindustry WHERE IFPERFORMED = 1": {"current_state", "classification_vintage"},
    "SELECT * FROM secumain WHERE LISTEDSTATE IN (1)": {"listing_state"},
    "SELECT * FROM secumain WHERE SECUABBR NOT LIKE '%ST%'": {"historical_current_field"},
    "SELECT * FROM qt_dailyquote WHERE TRADINGDAY <= CURDATE()": {"runtime_date"},
    "SELECT * FROM lc_indexcomponent WHERE INDATE <= '2024-06-30'": {"index_component"},
    # A valid test of the end, whose words stand apart
    "SELECT * FROM lc_indexcomponent WHERE INDATE <= '2024-06-30' AND COALESCE(OUTDATE, '9') > '2024-06-30'": {
        "index_component"
    },
}


@pytest.mark.parametrize(("source", "rules"), LEXICAL.items())
def test_the_lexical_checker_goes_by_words(source: str, rules: set[str]) -> None:
    assert {flag.rule for flag in lexical_flags(source)} == rules


def test_a_label_in_a_condition_is_flagged_where_the_task_speaks_of_the_future() -> None:
    source = "SELECT * FROM t WHERE fwd_return > 0"
    assert [flag.rule for flag in lexical_flags(source, "计算未来20日收益")] == ["future_label"]
    assert lexical_flags(source, "列出公司") == ()


# --- the command line beside the audit of programs


@pytest.mark.parametrize("name", ["bench", "bench.sql", "mutate"])
def test_programs_and_folders_of_that_name_are_audited(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, market: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    if path.suffix:
        path.write_text("SELECT FIRM FROM")
        given = ["audit", name, "--static", "--as-of", "2024-06-30"]
        says = "bench.sql"
    else:
        path.mkdir()
        given = ["audit", name, "--db", market, "--as-of", "2024-06-30"]
        says = "There is no program in"
    done = CliRunner().invoke(app, given)
    assert says in done.output
    same = CliRunner().invoke(app, [*given[:1], f"./{name}", *given[2:]])
    assert same.exit_code == done.exit_code


def test_the_command_of_two_words_has_help() -> None:
    done = CliRunner().invoke(app, ["audit", "bench", "--help"])
    assert done.exit_code == 0
    assert "--held-out" in done.output


def test_a_report_has_all_groups_even_of_nothing() -> None:
    found = report([], 1)
    assert found["detectors"]["audit"]["precision"] is None
    assert found["groups"]["mechanism"] == {}
    assert found["seconds"] is None

"""A certificate is confirmed by whoever has the same data, and refused where it or they were changed."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from typer.testing import CliRunner

from finassay.audit import Certificate, Verdict, read_certificate, replay, replay_witness
from finassay.cli import app
from finassay.core import InputError

if TYPE_CHECKING:
    from finassay.temporal import Catalog

Audited = Callable[..., Certificate]
LEAK = "SELECT FIRM, MAX(PROFIT) AS best FROM report WHERE PERIOD <= DATE '2024-06-30' GROUP BY FIRM"
MEAN = "SELECT FIRM, AVG(CLOSE) AS close FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"


@pytest.fixture(scope="module")
def written(audited: Audited) -> dict[str, Certificate]:
    return {"leak": audited(LEAK), "mean": audited(MEAN)}


@pytest.mark.parametrize("program", ["leak", "mean"])
def test_a_third_party_confirms_a_certificate(
    written: dict[str, Certificate], market: str, catalog: Catalog, program: str
) -> None:
    read = read_certificate(written[program].model_dump_json())
    found = replay(read, market, catalog)
    assert found.confirmed, found.refusals
    assert read.verdict is (Verdict.FAIL if program == "leak" else Verdict.PASS)


def forged(certificate: Certificate, **changes: Any) -> Certificate:
    """Change a certificate and write its digest anew, as somebody would who knows how."""
    document = json.loads(certificate.model_dump_json()) | changes
    changed = Certificate.model_validate(document)
    return changed.model_copy(update={"digest": changed.content_digest()})


def test_a_changed_verdict_is_refused(written: dict[str, Certificate], market: str, catalog: Catalog) -> None:
    lie = written["leak"].model_copy(update={"verdict": Verdict.PASS})
    assert "digest" in replay(lie, market, catalog).refusals[0]


def test_a_forged_digest_does_not_help(
    written: dict[str, Certificate], market: str, catalog: Catalog
) -> None:
    passed = forged(
        written["leak"], verdict="PASS", witnesses=[], requirements={"A1": "PASS", "A2": "PASS", "A3": "PASS"}
    )
    refusals = replay(passed, market, catalog).refusals
    assert any("verdict: PASS, here FAIL" in refusal for refusal in refusals)


def test_another_program_is_refused(written: dict[str, Certificate], market: str, catalog: Catalog) -> None:
    subject = json.loads(written["leak"].model_dump_json())["subject"] | {"sql_code": MEAN}
    refusals = replay(forged(written["leak"], subject=subject), market, catalog).refusals
    assert ["program" in refusal for refusal in refusals] == [True]


def test_another_contract_or_catalog_is_refused(
    written: dict[str, Certificate], market: str, catalog: Catalog
) -> None:
    terms = written["leak"].terms | {"as_of": {"date": "2024-09-30", "boundary": "eod"}}
    assert "contract" in replay(forged(written["leak"], terms=terms), market, catalog).refusals[0]
    other = catalog.model_copy(update={"version": "2.0.0"})
    assert "catalog" in replay(written["leak"], market, other).refusals[0]


def test_changed_data_are_refused(
    written: dict[str, Certificate], market: str, catalog: Catalog, tmp_path: Path
) -> None:
    copy = tmp_path / "small.duckdb"
    shutil.copy(market.removeprefix("duckdb:///"), copy)
    assert replay(written["mean"], f"duckdb:///{copy}", catalog).confirmed, "another place is no other data"
    with duckdb.connect(str(copy)) as database:
        database.execute("UPDATE price SET CLOSE = CLOSE + 0.25 WHERE FIRM = 3 AND DAY = DATE '2024-06-26'")
    assert "the hash of price differs" in replay(written["mean"], f"duckdb:///{copy}", catalog).refusals[0]


@pytest.mark.parametrize("text", ["", "no json", "{}", '{"version": "1.0"}', "[1]"])
def test_what_is_no_certificate_is_bad_input(text: str) -> None:
    with pytest.raises(InputError, match="is no certificate"):
        read_certificate(text)


def test_the_command_says_confirmed_or_refused(
    written: dict[str, Certificate], market: str, tmp_path: Path, catalog: Catalog
) -> None:
    from finassay.temporal import catalog_yaml

    own, said = tmp_path / "small.yaml", tmp_path / "certificate.json"
    own.write_text(catalog_yaml(catalog), encoding="utf-8")
    said.write_text(written["mean"].model_dump_json(), encoding="utf-8")
    run = CliRunner().invoke
    good = run(app, ["verify", str(said), "--catalog", str(own), "--format", "json"])
    assert (good.exit_code, json.loads(good.output)["confirmed"]) == (0, True), good.output
    said.write_text(written["mean"].model_dump_json().replace('"PASS"', '"FAIL"', 1), encoding="utf-8")
    bad = run(app, ["verify", str(said), "--catalog", str(own), "--db", market])
    assert bad.exit_code == 1
    assert "refused" in bad.output
    assert run(app, ["verify", str(tmp_path / "none.json")]).exit_code == 2


OPEN = "SELECT FIRM, NAME FROM industry WHERE STARTS <= DATE '2024-06-30'"  # ends are forgotten: A3
STATE = "SELECT FIRM FROM alert WHERE ANNOUNCED <= DATE '2024-06-30' AND ENDS IS NULL"


@pytest.mark.parametrize("sql", [LEAK, OPEN, STATE], ids=["as it is", "beside its normal form", "ends"])
def test_each_witness_is_shown_again_by_its_own_command(
    audited: Audited, tmp_path: Path, catalog: Catalog, sql: str
) -> None:
    from finassay.temporal import catalog_yaml

    found, own = audited(sql), tmp_path / "small.yaml"
    own.write_text(catalog_yaml(catalog), encoding="utf-8")
    said = tmp_path / "certificate.json"
    found = found.at(said, str(own))
    said.write_text(found.model_dump_json(), encoding="utf-8")
    assert found.witnesses
    for witness in found.witnesses:
        shown = CliRunner().invoke(app, [*shlex.split(witness.replay)[1:], "--format", "json"])
        assert shown.exit_code == 0, shown.output
        again = json.loads(shown.output)
        assert (again["requirement"], again["table"]) == (witness.requirement, witness.table)
        assert (again["missing"], again["added"]) == (witness.missing, witness.added)


def with_witness(certificate: Certificate, **changes: Any) -> Certificate:
    """Change the first witness of a certificate, and write the digest anew."""
    witnesses = json.loads(certificate.model_dump_json())["witnesses"]
    return forged(certificate, witnesses=[witnesses[0] | changes, *witnesses[1:]])


FORGED: dict[str, dict[str, Any]] = {
    "no rows": {"overlay": "SELECT * FROM report WHERE 1=0"},
    "no change": {"overlay": "SELECT * FROM report"},
    "known rows removed": {
        "overlay": "SELECT * FROM report WHERE NOT (ID BETWEEN 100 AND 102)",
    },
    "another table to compare with": {"instead": "SELECT * FROM report WHERE 1=0"},
    "another family": {"family": "known_rows_removed"},
    "no family": {"family": "magic"},
    "another table": {"table": "price"},
    "no table": {"table": "nowhere"},
    "another requirement": {"requirement": "A3"},
    "an omission without a reference": {"requirement": "A4"},
    "another date": {"as_of": "2024-01-31"},
    "another output": {"added": ["9 | 1000000"]},
}


@pytest.mark.parametrize("changes", FORGED.values(), ids=FORGED)
def test_a_forged_witness_is_refused_whatever_its_digest(
    written: dict[str, Certificate], market: str, catalog: Catalog, changes: dict[str, Any]
) -> None:
    lie = with_witness(written["leak"], **changes)
    assert lie.digest == lie.content_digest()
    [refusal] = replay_witness(lie, 1, market, catalog).refusals
    assert refusal.startswith(
        ("The audit has no", "The witness alters", "The output here", "The output changes")
    )


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf ~",
        "finassay verify CERTIFICATE --witness 2",
        "finassay verify $(id) --witness 1",
        "finassay verify a --witness 1; id",
        "finassay verify a --witness 1 --catalog '--db=x'",
        "finassay verify a --witness 1 --catalog b; id",
        "finassay verify a --witness 1 --catalog",
        "finassay verify a --witness 1 --db mysql://USER:PASSWORD@elsewhere/x",
        "finassay verify a --witness 1 --db other.duckdb",
        "finassay verify a --witness 1 --format json",
        "",
    ],
)
def test_another_command_is_refused(
    written: dict[str, Certificate], market: str, catalog: Catalog, command: str
) -> None:
    lie = with_witness(written["leak"], replay=command)
    for found in (replay(lie, market, catalog), replay_witness(lie, 1, market, catalog)):
        assert found.refusals == ("The command of witness 1 is none that shows it again.",)


def test_the_file_of_a_certificate_is_no_part_of_what_it_says(
    written: dict[str, Certificate], market: str, catalog: Catalog
) -> None:
    moved = written["leak"].at(Path("another place", "c.json"), "-own.yaml")
    says = "finassay verify 'another place/c.json' --witness 1 --catalog ./-own.yaml"
    assert moved.witnesses[0].replay == says
    assert replay(moved, market, catalog).confirmed
    plain = written["leak"].at(Path("-c.json"), "gildata").witnesses[0].replay
    assert plain == "finassay verify ./-c.json --witness 1", "a shipped catalog is found by its name"
    unnamed = written["leak"].witnesses[0].replay
    assert unnamed == "finassay verify CERTIFICATE --witness 1 --catalog CATALOG"


def test_the_printed_line_runs_as_it_stands(
    market: str, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    from finassay.temporal import catalog_yaml

    monkeypatch.chdir(tmp_path)
    Path("own catalog.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")
    Path("leak.sql").write_text(LEAK, encoding="utf-8")
    options = ["--db", market, "--catalog", "own catalog.yaml", "--as-of", "2024-06-30"]
    run = CliRunner().invoke
    told = run(app, ["audit", "leak.sql", *options, "--out", "c.json"])
    line = told.output.partition("replay: ")[2].splitlines()[0]
    shown = run(app, shlex.split(line)[1:])
    assert (shown.exit_code, shown.output.split()[0]) == (0, "confirmed"), shown.output


def test_a_forged_witness_against_a_valid_program_is_refused(
    written: dict[str, Certificate], market: str, catalog: Catalog
) -> None:
    """A valid program's output changes over `disclosed_late`; not beside what was known then."""
    witness = json.loads(written["leak"].model_dump_json())["witnesses"][0] | {
        "family": "disclosed_late", "table": "price", "instead": None,
        "overlay": "SELECT FIRM, DAY, CLOSE FROM price WHERE 1=0",
    }  # fmt: skip
    lie = forged(written["mean"], witnesses=[witness], verdict="FAIL")
    assert replay_witness(lie, 1, market, catalog).refusals
    assert replay(lie, market, catalog).refusals


def test_a_witness_is_of_this_catalog_and_has_a_number(
    written: dict[str, Certificate], market: str, catalog: Catalog
) -> None:
    assert not replay_witness(written["leak"], 1, market, catalog).refusals
    edited = written["leak"].model_copy(update={"program": "another.sql"})
    assert "digest" in replay_witness(edited, 1, market, catalog).refusals[0]
    other = catalog.model_copy(update={"version": "2.0.0"})
    assert "catalog" in replay_witness(written["leak"], 1, market, other).refusals[0]
    with pytest.raises(InputError, match=r"witness\(es\), and 9 is asked for"):
        replay_witness(written["leak"], 9, market, catalog)


def test_a_reference_shows_its_witness_again(market: str, catalog: Catalog) -> None:
    """What is replayed of an omission is that the reference's output changes and the program's does not."""
    from finassay.audit import Subject, audit
    from finassay.execution import Submission
    from finassay.temporal import parse_contract

    right = (
        "SELECT FIRM FROM industry WHERE STARTS <= DATE '2024-06-30' AND (ENDS IS NULL OR ENDS > DATE '2024-06-30') "
        "AND FIRM NOT IN (SELECT FIRM FROM alert WHERE ANNOUNCED <= DATE '2024-06-30' AND STARTS <= DATE '2024-06-30' "
        "AND (ENDS IS NULL OR END_ANNOUNCED > DATE '2024-06-30' OR ENDS > DATE '2024-06-30'))"
    )
    own = right.partition(" AND FIRM NOT IN")[0]
    found = audit(
        Subject(Submission("sql", sql_code=own, source="own"), market),
        catalog,
        parse_contract("contract: test\nas_of: {date: 2024-06-30}\n"),
        reference=Submission("sql", sql_code=right, source="right"),
    )
    numbers = [n for n, witness in enumerate(found.witnesses, 1) if witness.requirement == "A4"]
    assert numbers, found.notes
    for number in numbers:
        again = replay_witness(found, number, market, catalog)
        assert not again.refusals
        assert list(again.missing) == found.witnesses[number - 1].missing


def test_the_same_rows_in_other_bytes_are_the_same_data(
    written: dict[str, Certificate], market: str, catalog: Catalog, tmp_path: Path
) -> None:
    copy = tmp_path / "small.duckdb"
    shutil.copy(market.removeprefix("duckdb:///"), copy)
    with duckdb.connect(str(copy)) as database:
        database.execute("UPDATE price SET CLOSE = CLOSE + 1")
        database.execute("UPDATE price SET CLOSE = CLOSE - 1")
    assert copy.read_bytes() != Path(market.removeprefix("duckdb:///")).read_bytes()
    found = replay(written["mean"], f"duckdb:///{copy}", catalog)
    assert found.confirmed, found.refusals


def test_a_certificate_that_is_no_text_is_bad_input(tmp_path: Path) -> None:
    said = tmp_path / "certificate.json"
    said.write_bytes('{"verdict": "é"}'.encode("latin-1"))
    found = CliRunner().invoke(app, ["verify", str(said)])
    assert found.exit_code == 2
    assert "not UTF-8" in found.output

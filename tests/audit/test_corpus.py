"""The corpus is read whole or refused with all that is wrong; its halves are nobody's choice."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from finassay.audit._corpus import CorpusError, counts_of, half_of, read_corpus, task_schema, truth_schema
from finassay.cli import app

CORPUS = Path(__file__).parents[2] / "corpus"
TASK = {
    "id": "t1",
    "domain": "stock",
    "family": "S01",
    "as_of": "2024-06-30",
    "dialect": "duckdb",
    "instruction": {"zh": "截至2024-06-30，列出公司。", "en": "List the firms as of 2024-06-30."},
}
TRUTH = {
    "good.sql": {"violates": [], "mechanism": None, "reason": "The day is bounded.", "style": ["window"]},
    "bad.py": {
        "violates": ["A1", "omission"],
        "mechanism": "later_prices",
        "reason": "The day is not bounded at all.",
    },
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one task with a valid statement and a violating program."""
    folder = tmp_path / "corpus" / "tasks" / "t1"
    (folder / "programs").mkdir(parents=True)
    (folder / "task.yaml").write_text(yaml.safe_dump(TASK, allow_unicode=True), encoding="utf-8")
    (folder / "contract.yaml").write_text("contract: t1\nas_of: {date: 2024-06-30}\n")
    (folder / "reference.sql").write_text("SELECT 1")
    (folder / "truth.yaml").write_text(yaml.safe_dump(TRUTH))
    (folder / "programs" / "good.sql").write_text("SELECT 1")
    (folder / "programs" / "bad.py").write_text("result = 1")
    return tmp_path / "corpus"


def test_a_corpus_is_read_with_its_truth(corpus: Path) -> None:
    found = read_corpus(corpus)
    bad, good = found.programs
    assert (bad.id, bad.mode, bad.violating, bad.dialect) == ("t1/bad.py", "python", True, "duckdb")
    assert bad.truth.codes == {"A1", "A4"}  # on a certificate an omission is A4
    assert (good.id, good.mode, good.violating) == ("t1/good.sql", "sql", False)
    counted = counts_of(found.programs)
    assert counted["truth"] == {"valid": 1, "violating": 1}
    assert counted["mechanism"] == {"later_prices": 1}
    assert counted["style"] == {"window": 1}


def _truth(**changes: object) -> str:
    return yaml.safe_dump({**TRUTH, "good.sql": {**TRUTH["good.sql"], **changes}})


BROKEN = {
    "no truth": ({"truth.yaml": yaml.safe_dump({"good.sql": TRUTH["good.sql"]})}, "no entry for bad.py"),
    "truth of nothing": (
        {"truth.yaml": yaml.safe_dump({**TRUTH, "gone.sql": TRUTH["good.sql"]})},
        "entry for gone.sql, which is not in programs/",
    ),
    "no reason": ({"truth.yaml": _truth(reason="")}, "good.sql.reason"),
    "a violation without its mechanism": ({"truth.yaml": _truth(violates=["A1"])}, "'mechanism'"),
    "a mechanism without a violation": ({"truth.yaml": _truth(mechanism="later_prices")}, "no 'mechanism'"),
    "an unknown type": ({"truth.yaml": _truth(violates=["A9"])}, "good.sql.violates[0]"),
    "an unknown mechanism": (
        {"truth.yaml": _truth(violates=["A1"], mechanism="magic")},
        "good.sql.mechanism",
    ),
    "an unknown field": ({"truth.yaml": _truth(verdict="PASS")}, "the format has no such field"),
    "another id": ({"task.yaml": yaml.safe_dump({**TASK, "id": "t2"})}, "'t2'"),
    "one language": (
        {"task.yaml": yaml.safe_dump({**TASK, "instruction": {"en": "List."}})},
        "instruction.zh",
    ),
    "two dates": ({"contract.yaml": "contract: t1\nas_of: {date: 2024-07-01}\n"}, "2024-07-01"),
    "no contract": ({"contract.yaml": "contract: t1\nas_of: {date: today}\n"}, "as_of.date"),
    "a stray file": ({"programs/notes.txt": "x"}, "is no program"),
}


@pytest.mark.parametrize(("files", "says"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_named(corpus: Path, files: dict[str, str], says: str) -> None:
    for name, text in files.items():
        (corpus / "tasks" / "t1" / name).write_text(text)
    with pytest.raises(CorpusError) as caught:
        read_corpus(corpus)
    assert says in str(caught.value)
    assert "t1" in str(caught.value)


def test_all_that_is_wrong_is_told_at_once(corpus: Path) -> None:
    (corpus / "tasks" / "t1" / "reference.sql").unlink()
    (corpus / "tasks" / "t2").mkdir()
    with pytest.raises(CorpusError, match="2 problems") as caught:
        read_corpus(corpus)
    assert "no reference.sql" in str(caught.value)
    assert "task.yaml cannot be read" in str(caught.value)


def test_a_folder_without_tasks_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no folder tasks"):
        read_corpus(tmp_path)


def test_the_halves_follow_from_the_name_alone() -> None:
    # printf 'a/c.sql' | sha256sum ends in 1, that of 'a/b.sql' in c
    assert half_of("a/c.sql") == "tuned"
    assert half_of("a/b.sql") == "held-out"


def test_the_schemas_agree_with_the_reader(corpus: Path) -> None:
    task = json.loads(json.dumps(TASK))
    jsonschema.validate(task, task_schema())
    jsonschema.validate(TRUTH, truth_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"x.sql": {"violates": ["A9"], "reason": "long enough"}}, truth_schema())


def test_the_corpus_of_the_repository_is_sound() -> None:
    found = read_corpus(CORPUS)
    counted = counts_of(found.programs)
    assert set(counted["truth"]) == {"valid", "violating"}
    halves = counted["half"]
    # Two standard deviations of a fair coin, and a little
    assert abs(halves["tuned"] - halves["held-out"]) <= 2.5 * sum(halves.values()) ** 0.5
    for one in found.programs:
        assert one.task.contract.sources, f"{one.task.folder} requires no source"


def test_the_command_counts_a_corpus(corpus: Path) -> None:
    done = CliRunner().invoke(app, ["audit", "bench", str(corpus), "--list", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["counts"]["mode"] == {"python": 1, "sql": 1}
    assert "later_prices" in CliRunner().invoke(app, ["audit", "bench", str(corpus), "--list"]).stdout


def test_a_broken_corpus_is_bad_input(corpus: Path) -> None:
    (corpus / "tasks" / "t1" / "truth.yaml").write_text("[]")
    done = CliRunner().invoke(app, ["audit", "bench", str(corpus), "--list"])
    assert done.exit_code == 2
    assert "truth.yaml" in done.stderr

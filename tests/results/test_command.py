"""`finassay results`, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = Path(__file__).parent / "runs"
RUN = RUNS / "text2sql_default__openai--gpt-5.5__t-0.00__p-1.00__c-3.00___dataset"
OF = ("--suite", "buysideflow", "--suite-version", "404")
LINES = [
    {"id": "stock_001", "prediction": '{"mode": "sql"}', "score": 1, "cost": 0.25},
    {"id": "fund_002", "prediction": '{"mode": "sql"}', "status": "logic_mismatch"},
    {"id": "bond_003", "status": "refused"},
    {"id": "macro_004", "error": "boom"},
]


def results(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "finassay", "results", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs as files of rows, and the list of the samples of both and of one more."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "b.jsonl").write_text("\n".join(json.dumps(line) for line in LINES), encoding="utf-8")
    (folder / "ids.txt").write_text("stock_001\nfund_002\nbond_003\nmacro_004\nmacro_005\n")
    for source, *more in (
        [RUN, "--run", "a"],
        [folder / "b.jsonl", "--profile", "audited", "--model", "模型乙"],
    ):
        to = folder / ("a.parquet" if source is RUN else "b.parquet")
        done = results("ingest", source, *OF, "--to", to, "--expected", folder / "ids.txt", *more)
        assert done.returncode == 0, done.stderr
    return folder


def test_ingest_says_what_was_read_and_what_is_missing(folder: Path, tmp_path: Path) -> None:
    done = results("ingest", RUN, *OF, "--to", tmp_path / "a.parquet", "--expected", folder / "ids.txt")
    assert done.returncode == 0
    assert "5 samples, 5 tasks, 1 missing" in done.stdout
    assert "outcomes  scored 1, error 1, limit 1, unscored 2" in done.stdout
    assert "finassay: macro_004: no .traj, no .pred, no preds.json" in done.stderr
    assert "1 of 5 samples are missing: macro_005" in done.stderr


def test_ingest_in_json(folder: Path, tmp_path: Path) -> None:
    done = results("ingest", RUN, *OF, "--to", tmp_path / "a.parquet", "--format", "json")
    told = json.loads(done.stdout)
    assert (told["rows"], told["notes"]) == (4, ["macro_004: no .traj, no .pred, no preds.json"])
    assert told["summary"]["runs"][0]["samples"] == 4


def test_show_counts_every_sample(folder: Path) -> None:
    done = results("show", folder / "b.parquet")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "b: buysideflow 404, 模型乙"
    assert lines[2] == "  audited  1/5 (20.0%, 95% CI 3.6–62.4%); 2 unknown: at most 3/5"


def test_merge_then_show(folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "all.parquet"
    done = results("merge", folder / "a.parquet", folder / "b.parquet", folder / "b.parquet", "--to", to)
    assert done.stdout == f"10 rows in {to}, 5 rows more said the same\n"
    told = json.loads(results("show", to, "--format", "json").stdout)
    assert [run["run"] for run in told["runs"]] == ["a", "b"]


def test_verify_exits_1_where_samples_are_missing(folder: Path) -> None:
    done = results("verify", folder / "a.parquet", folder / "b.parquet")
    assert done.returncode == 1
    assert "run a, epoch 1: 1 of 5 samples are missing\n  missing: macro_005" in done.stdout
    assert done.stdout.splitlines()[-1] == "10 rows of 2 runs: 0 problems, 2 samples missing"


def test_verify_exits_0_where_all_is_well(tmp_path: Path) -> None:
    to = tmp_path / "a.parquet"
    results("ingest", RUN, *OF, "--to", to)
    done = results("verify", to, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["clean"]) == (0, True)


def test_diff_names_each_sample_that_differs(folder: Path) -> None:
    done = results("diff", folder / "a.parquet", folder / "b.parquet")
    assert done.returncode == 0
    assert "5 common samples, 2 unchanged" in done.stdout
    assert "  fund_002: exit_cost -> logic_mismatch, audited 0, paper 0" in done.stdout
    told = json.loads(results("diff", folder / "a.parquet", folder / "b.parquet", "--format", "json").stdout)
    assert told["transitions"] == {"limit -> scored": 1, "scored -> refused": 1, "unscored -> scored": 1}


def test_another_version_is_refused(folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "c.parquet"
    results("ingest", RUN, "--suite", "buysideflow", "--suite-version", "408", "--to", to)
    done = results("diff", folder / "a.parquet", to, "--format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["reason"] == "versions_differ"
    assert "Run both on one version" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("ingest", RUN, "--suite", "bside", "--suite-version", "1", "--to", "TO"),
            "There is no suite 'bside'",
        ),
        (("ingest", RUN / "none", *OF, "--to", "TO"), "There is no file or folder"),
        (("ingest", RUN, *OF, "--to", "TO", "--from", "csv"), "There is no format 'csv'"),
        (("ingest", RUNS, *OF, "--to", "TO"), "not the folder of a run"),
        (("ingest", RUN, "--suite", "buysideflow", "--to", "TO"), "Give --suite and --suite-version"),
        (("show", __file__), "is not a whole Parquet file"),
    ],
)
def test_bad_input_exits_2(tmp_path: Path, arguments: tuple[str | Path, ...], complaint: str) -> None:
    to = tmp_path / "to.parquet"
    done = results(*(to if one == "TO" else one for one in arguments))
    assert done.returncode == 2
    assert complaint in done.stderr
    assert not to.exists()


def test_what_is_there_is_not_written_over(folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "a.parquet"
    to.write_bytes((folder / "a.parquet").read_bytes())
    again = ("ingest", folder / "b.jsonl", *OF, "--profile", "audited", "--to", to)
    done = results(*again)
    assert (done.returncode, to.read_bytes()) == (2, (folder / "a.parquet").read_bytes())
    assert "--force" in done.stderr
    assert results(*again, "--force").returncode == 0


def test_a_log_says_itself_what_it_is_of(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="logs of Inspect are read with the extra evals")
    log, to = (
        Path(__file__).parents[1] / "harness" / "data" / "inspect-0.3.285.eval",
        tmp_path / "log.parquet",
    )
    done = results("ingest", log, "--to", to)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].partition(": ")[2].startswith("smoke ")
    refused = results("ingest", log, "--to", to, "--suite", "smoke")
    assert (refused.returncode, "Leave out --suite." in refused.stderr) == (2, True)

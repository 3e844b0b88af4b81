"""Ingest of 10,000 samples from plain formats into result rows, against plain json and pyarrow on the same files.

Each way runs in a process of its own, in turns: time by the clock from the import on, and peak memory. The plain way
reads the same files with `json`, counts tools, and writes one Parquet table; it knows no statuses, hashes, keys, sorted
files or missing parts. Limit: 1 GB.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SAMPLES, STEPS, ROUNDS, LIMIT_MB = 10_000, 12, 3, 1_000
SEPARATOR = "<<<SWE_AGENT_ACTION_SEPARATOR>>>"
SUBMISSION = {
    "mode": "sql",
    "sql_code": "SELECT SECUABBR AS 证券简称 FROM secumain WHERE SECUCATEGORY = 1 " * 20,
}


def make(folder: Path) -> None:
    """Write the folder of a run, of about 20 KB a task, and the same answers in JSONL."""
    run = folder / "run"
    run.mkdir()
    submission = json.dumps({**SUBMISSION, "python_code": None, "result_vars": []}, ensure_ascii=False)
    predictions = {}
    with (folder / "lines.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(SAMPLES):
            sample = f"stock_{number:05}"
            steps = [
                {
                    "action": f"get_columns t{step}\n{SEPARATOR}\nrun_code {step}",
                    "observation": "字段说明 " * 150,
                    "response": "",
                    "state": {},
                    "thought": "先看表结构" * 20,
                    "execution_time": 0.5,
                }
                for step in range(STEPS)
            ]
            stats = {
                "instance_cost": 0.01,
                "tokens_sent": 1000 + number,
                "tokens_received": 100,
                "api_calls": STEPS,
            }
            info = {"submission": submission, "exit_status": "submitted", "model_stats": stats}
            prediction = {"model_name_or_path": "m", "instance_id": sample, "model_patch": submission}
            own = run / sample
            own.mkdir()
            (own / f"{sample}.traj").write_text(
                json.dumps({"trajectory": steps, "history": [], "info": info}, ensure_ascii=False),
                encoding="utf-8",
            )
            (own / f"{sample}.pred").write_text(json.dumps(prediction, ensure_ascii=False), encoding="utf-8")
            predictions[sample] = prediction
            record = {
                "id": sample,
                "prediction": submission,
                "score": number % 2,
                "tokens_in": 1000,
                "split": "test",
            }
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
    (run / "preds.json").write_text(json.dumps(predictions, ensure_ascii=False), encoding="utf-8")


def ours(source: Path, to: Path) -> int:
    from finassay.results import RunFacts, ingest, write_rows

    facts = RunFacts("buysideflow", "404", profile="audited")
    return write_rows(ingest(source, facts), to).rows


def plain(source: Path, to: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if source.is_dir():
        json.loads((source / "preds.json").read_text(encoding="utf-8"))
        rows = [_plain_task(one) for one in sorted(source.iterdir()) if one.is_dir()]
    else:
        with source.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
    pq.write_table(pa.Table.from_pylist(rows), to, compression="zstd")
    return len(rows)


def _plain_task(folder: Path) -> dict[str, object]:
    trajectory = json.loads((folder / f"{folder.name}.traj").read_text(encoding="utf-8"))
    json.loads((folder / f"{folder.name}.pred").read_text(encoding="utf-8"))
    actions = (part for step in trajectory["trajectory"] for part in step["action"].split(SEPARATOR))
    tools = Counter(action.split()[0] for action in actions)
    info = trajectory["info"]
    steps = len(trajectory["trajectory"])
    return {
        "sample": folder.name,
        "submission": info["submission"],
        "steps": steps,
        **info["model_stats"],
        **tools,
    }


def measured(way: str, source: Path, to: Path) -> dict[str, float]:
    """Run one way in a process of its own."""
    command = [sys.executable, __file__, way, str(source), str(to)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def run_one(way: str, source: Path, to: Path) -> None:
    start = time.perf_counter()
    assert {"ours": ours, "plain": plain}[way](source, to) == SAMPLES
    seconds = time.perf_counter() - start
    print(json.dumps({"s": seconds, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def main() -> None:
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-results-") as name:
        folder = Path(name)
        make(folder)
        for number in range(ROUNDS):
            for source in ("run", "lines.jsonl"):
                for way in ("ours", "plain") if number % 2 else ("plain", "ours"):
                    to = folder / f"{way}-{source}-{number}.parquet"
                    found.setdefault((source, way), []).append(measured(way, folder / source, to))
    print(f"{SAMPLES:,} samples, {ROUNDS} rounds in turns.\n")
    print(
        "| source | way | median seconds | lowest | highest | of plain, median of rounds | peak MB | under 1 GB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for (source, way), rounds in found.items():
        seconds, memory = [one["s"] for one in rounds], max(one["mb"] for one in rounds)
        base = [one["s"] for one in found[source, "plain"]]
        ratio = statistics.median(a / b for a, b in zip(seconds, base, strict=True))
        times = f"{statistics.median(seconds):.1f} | {min(seconds):.1f} | {max(seconds):.1f}"
        kept = "yes" if memory < LIMIT_MB else "NO"
        print(f"| {NAMES[source]} | {WAYS[way]} | {times} | {ratio:.1f} | {memory:.0f} | {kept} |")


NAMES = {"run": "a run's folder (`.traj`, `.pred`, `preds.json`)", "lines.jsonl": "JSONL"}
WAYS = {"ours": "finassay.results", "plain": "json and pyarrow"}

if __name__ == "__main__":
    if len(sys.argv) == 4:
        run_one(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()

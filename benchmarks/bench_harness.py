"""Measure the harness: what a sample costs over bare Inspect in the same run, and the ingest of a large log.

    python benchmarks/bench_harness.py overhead [EPOCHS]
    python benchmarks/bench_harness.py ingest [SAMPLES]

The bare task has the same samples, turns and sizes of observations, a tool that returns a fixed text, and a scorer that
looks at nothing. Time that a candidate's program takes (in the jail or the database's process) is told apart.
"""

# ruff: noqa: A004, ARG001, TID251 - a bare task of Inspect is what it is measured against
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from finassay.harness import load_suite

KEPT = Path(__file__).parents[1] / "tests" / "harness" / "data" / "inspect-0.3.285.eval"
MOST_MS, MOST_BYTES, MOST_RATIO = 10.0, 1 << 30, 1.3


def overhead(epochs: int) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.agent import AgentSubmit, react
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, scorer
    from inspect_ai.tool import tool

    from finassay.harness._benches import close_benches
    from finassay.harness._desk import close_desk, sit_down
    from finassay.harness._log import samples_of
    from finassay.harness._task import suite_task

    @tool(name="describe_tables")
    def fixed():
        async def execute(tables: str = "", page: int = 1) -> str:
            """Return a text.

            Args:
                tables: Nothing.
                page: Nothing.
            """
            return "x" * 900

        return execute

    def named(name):
        @tool(name=name)
        def made():
            async def execute(
                keywords: str = "", mode: str = "", sql_code: str = "", python_code: str = ""
            ) -> str:
                """Return a text.

                Args:
                    keywords: Nothing.
                    mode: Nothing.
                    sql_code: Nothing.
                    python_code: Nothing.
                """
                return "x" * 300

            return execute

        return made()

    @scorer(metrics=[])
    def nothing():
        async def score(state, target):
            return Score(value=1.0)

        return score

    suite = load_suite("smoke")
    plain = [task for task in suite.tasks if task.program.mode == "sql"]
    suite = suite.__class__(**{**suite.__dict__, "tasks": tuple(plain)})
    bare = Task(
        dataset=MemoryDataset(
            [Sample(id=t.id, input="x" * 300, metadata={"suite": "smoke", "task": t.id}) for t in plain]
        ),
        setup=sit_down(),  # the scripted model has to know its sample
        solver=react(
            prompt="x" * 2500,
            tools=[fixed(), named("search_columns"), named("run_code")],
            submit=AgentSubmit(tool=named("submit"), name="submit"),
        ),
        scorer=nothing(),
        cleanup=close_desk,
    )
    count, best = len(plain) * epochs, {}
    options = {
        "model": "finassay-scripted/reference",
        "display": "none",
        "log_realtime": False,
        "epochs": epochs,
    }
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            for name, task in (("bare", bare), ("finassay", suite_task(suite))):
                began = time.perf_counter()
                [log] = eval(task, log_dir=folder, **options)
                taken = time.perf_counter() - began
                if name not in best or taken < best[name][0]:
                    best[name] = (taken, log.location)
        programs = sum(
            step.get("run_ms", 0.0)
            for sample in samples_of(Path(best["finassay"][1]))
            for step in sample.store["finassay:steps"]
        )
    close_benches()
    bare_ms, ours_ms = (best[name][0] * 1000 / count for name in ("bare", "finassay"))
    program_ms = 2 * programs / count  # run by the agent, and once more by the scorer
    told = {
        "samples": count,
        "bare_ms": round(bare_ms, 1),
        "finassay_ms": round(ours_ms, 1),
        "of_it_programs_ms": round(program_ms, 1),
        "overhead_ms": round(ours_ms - bare_ms - program_ms, 1),
        "asked_ms": MOST_MS,
    }
    print(json.dumps(told))


READERS = {
    "inspect": """
from inspect_ai.log import read_eval_log_samples
count = sum(1 for _ in read_eval_log_samples(sys.argv[1]))""",
    "finassay": """
from pathlib import Path
from finassay.harness import read_eval_rows
import finassay.harness._log, inspect_ai.log
count = sum(1 for _ in read_eval_rows(Path(sys.argv[1])))""",
}


def ingest(samples: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder, "large.eval")
        multiply(KEPT, large, samples)
        told = {"samples": samples, "log_mb": round(large.stat().st_size / 1e6, 1)}
        for name, reader in READERS.items():
            code = (
                "import sys, time, resource, json, inspect_ai.log\nbegan = time.perf_counter()"
                f"{reader}\nprint(json.dumps([count, time.perf_counter() - began, "
                "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))"
            )
            done = subprocess.run(
                [sys.executable, "-c", code, str(large)], check=True, capture_output=True, text=True
            )
            count, seconds, memory = json.loads(done.stdout)
            assert count == samples, (name, count)
            told |= {f"{name}_s": round(seconds, 1), f"{name}_mb": round(memory / 1e6)}
        told["ratio"] = round(told["finassay_s"] / told["inspect_s"], 2)
        told |= {"asked_ratio": MOST_RATIO, "asked_mb": round(MOST_BYTES / 1e6)}
        print(json.dumps(told))


def multiply(log: Path, large: Path, samples: int) -> None:
    """Write a log with each sample many times over, under names of their own."""
    import zipfile_zstd  # noqa: F401 - Inspect's logs are packed so

    with zipfile.ZipFile(log) as source, zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as target:
        names = [name for name in source.namelist() if name.startswith("samples/")]
        bodies = [json.loads(source.read(name)) for name in names]
        summaries = {one["id"]: one for one in json.loads(source.read("summaries.json"))}
        header, written = json.loads(source.read("header.json")), []
        for number in range(samples):
            body = bodies[number % len(bodies)]
            name = f"{body['id']}-{number}"
            target.writestr(f"samples/{name}_epoch_1.json", json.dumps({**body, "id": name, "uuid": name}))
            written.append({**summaries[body["id"]], "id": name, "uuid": name})
        header["eval"]["dataset"] |= {"samples": samples, "sample_ids": [one["id"] for one in written]}
        header["results"] |= {"total_samples": samples, "completed_samples": samples}
        target.writestr("summaries.json", json.dumps(written))
        target.writestr("header.json", json.dumps(header))


if __name__ == "__main__":
    what, number = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None
    overhead(number or 10) if what == "overhead" else ingest(number or 10_000)

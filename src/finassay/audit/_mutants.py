"""Mutants of the corpus: made, written, run through the audit; those that are no violations, adjudicated."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, RootModel

from finassay.audit._bench import codes_of, pair_json, shared
from finassay.audit._corpus import CorpusError, half_of
from finassay.audit._measure import Job, measure_all
from finassay.audit._mutations import OPERATORS, as_table, mutations
from finassay.core import InputError
from finassay.execution import load_submission
from finassay.temporal._catalog import validated
from finassay.temporal._yaml import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.audit._ablation import Bench
    from finassay.audit._corpus import Labelled
    from finassay.audit._mutations import Mutation
    from finassay.database import Dialect
    from finassay.execution import Submission
    from finassay.temporal import Catalog, Contract


class Equivalent(BaseModel):
    """Why a mutant is no violation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    why: str = Field(min_length=10)


class Equivalents(RootModel[dict[str, Equivalent]]):
    """``equivalents.yaml``: mutants that were read and found to violate nothing, by their id."""


def read_equivalents(path: Path) -> dict[str, str]:
    """Return why mutants are no violations, by their id; none where there is no such file.

    Raises
    ------
    CorpusError
        If the file does not follow its format.
    """
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    values, source = parse(text, str(path))
    return {name: one.why for name, one in validated(Equivalents, values, source, CorpusError).root.items()}


def of_program(
    path: Path, dialect: Dialect, catalog: Catalog, contract: Contract, name: str | None = None
) -> tuple[Mutation, ...]:
    """Return the mutants of a file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", reason="missing_program") from error
    return mutations(name or path.name, text, dialect, catalog, contract)


def of_corpus(programs: Sequence[Labelled], catalog: Catalog) -> list[tuple[Labelled, Mutation]]:
    """Return the mutants of programs, each with the program it was made from."""
    return [
        (one, mutation)
        for one in programs
        for mutation in of_program(one.path, one.dialect, catalog, one.task.contract, one.id)
    ]


def write_mutants(found: Sequence[Mutation], to: Path) -> list[dict[str, object]]:
    """Write mutants, each a file named by its operator and hash, and their list.

    Raises
    ------
    InputError
        If the folder holds something.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise InputError(f"{to} exists.", hint="Choose a new folder.", reason="output_exists")
    rows = []
    for one, row in zip(found, as_table(found), strict=True):
        path = to / file_of(one)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(one.text if one.text.endswith("\n") else one.text + "\n", encoding="utf-8")
        rows.append({**row, "file": path.relative_to(to).as_posix()})
    to.mkdir(parents=True, exist_ok=True)
    (to / "mutants.json").write_text(json.dumps(rows, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return rows


def file_of(one: Mutation) -> Path:
    """Return where a mutant lies in a folder of mutants."""
    place = Path(one.program)
    return place.parent / place.stem / f"{one.id.rpartition('#')[2]}{place.suffix}"


def run_mutants(
    made: Sequence[tuple[Labelled, Mutation]], equivalents: dict[str, str], bench: Bench
) -> dict[str, Any]:
    """Audit mutants and count the killed: those that FAIL, of those that are not adjudicated as equivalent.

    The survivors of the tuned half are listed with their texts' places, to be read.
    """
    rest = [pair for pair in made if pair[1].id not in equivalents]
    done = measure_all(
        [_job(program, one, bench.data) for program, one in rest],
        bench.url,
        bench.catalog,
        bench.executor,
        bench.cache,
        label="mutants",
    )
    rows = []
    for (program, one), measured in zip(rest, done, strict=True):
        certificate = measured.certificate
        verdict = certificate.verdict.value if certificate else "error"
        found = codes_of(certificate) if certificate else frozenset()
        rows.append((program, one, verdict, found, measured))

    def share(pairs: Sequence[tuple[bool, str]]) -> Any:
        both = shared(pairs, bench.seed)
        return None if both is None else pair_json(*both)

    operators = {}
    for name in OPERATORS:
        some = [row for row in rows if row[1].operator == name]
        operators[name] = {
            "mutants": len(some),
            "equivalent": sum(one.id in equivalents for _, one in made if one.operator == name),
            "killed": share([(v == "FAIL", p.task.says.id) for p, _, v, _, _ in some]),
            "type match": share(
                [(bool(f & _codes(m)), p.task.says.id) for p, m, v, f, _ in some if v == "FAIL"]
            ),
            "verdicts": dict(Counter(v for _, _, v, _, _ in some)),
        }
    task = [(row[2] == "FAIL", row[0].task.says.id) for row in rows]
    silent = [(row[2] == "FAIL", row[0].task.says.id) for row in rows if row[4].right]
    return {
        "mutants": {
            "made": len(made),
            "equivalent": len(made) - len(rest),
            "killed": share(task),
            "killed where the answer stays": share(silent),
            "killed by the output check": share(
                [(row[4].right is False, row[0].task.says.id) for row in rows]
            ),
            "verdicts": dict(Counter(row[2] for row in rows)),
            "operators": operators,
            "survivors": [
                {
                    "id": one.id,
                    "verdict": verdict,
                    "line": one.line,
                    "expected": list(one.expected),
                    "says": one.says,
                    "reasons": measured.certificate.reasons if measured.certificate else [measured.error],
                }
                for program, one, verdict, _, measured in rows
                if verdict != "FAIL" and half_of(program.id) == "tuned"
            ],
        }
    }


def _job(program: Labelled, one: Mutation, data: str) -> Job:
    """Return the job of a mutant: the program it was made from is its reference."""
    return Job(
        one.id,
        _submission(one),
        program.dialect,
        program.task.contract,
        load_submission(program.path),
        program.dialect,
        data,
    )


def _codes(one: Mutation) -> set[str]:
    return {"A4" if code == "omission" else code for code in one.expected}


def _submission(one: Mutation) -> Submission:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / Path(one.program).name
        path.write_text(one.text, encoding="utf-8")
        return load_submission(path)

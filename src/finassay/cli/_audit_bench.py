"""`finassay audit bench CORPUS` and `finassay audit mutate PROGRAM`: the audit on programs whose truth is known."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from finassay.cli._audit_folder import _cache_folder
from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.cli._run import DialectName
from finassay.core import ExitCode, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.audit._bench import Result
    from finassay.audit._corpus import Labelled
    from finassay.temporal import Catalog

SEED = 20261130


class Ablation(StrEnum):
    """What is taken away from the audit, to see what it is worth."""

    LAYERS = "layers"
    SATURATION = "saturation"
    SEEDS = "seeds"
    CATALOG = "catalog"


def bench_command(
    corpus: Annotated[Path, typer.Argument(help="A folder with tasks/: programs whose truth is known.")],
    db: Annotated[
        str | None, typer.Option("--db", help="The world that the programs were written for.")
    ] = None,
    held_out: Annotated[
        bool | None,
        typer.Option("--held-out/--tuned", help="One half of the programs. [default: both]"),
    ] = None,
    catalog: Annotated[str, typer.Option(help="A shipped catalog's name, or a YAML file.")] = "gildata",
    listing: Annotated[
        bool, typer.Option("--list", help="Check the corpus and count its programs; no --db.")
    ] = False,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Measure mutants of the valid programs instead.")
    ] = False,
    ablate: Annotated[Ablation | None, typer.Option(help="Measure the audit without a part of it.")] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Measure that many programs, drawn by the seed.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sample, and of the intervals over tasks.")] = SEED,
    executor: Annotated[str, typer.Option(help="serial, loky[:N], ray[:N], ray://host:port.")] = "loky",
    out: Annotated[
        Path | None, typer.Option(help="A folder for the certificates of the tuned half, one each.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Measure the audit: precision, recall, types, times, with intervals, beside simpler detectors.

    Exit 1 if a valid program of the tuned half is flagged. Of the half that is held out only figures are given. An
    audit of a folder that is called bench is written `finassay audit ./bench`.
    """
    with reporting(form):
        from finassay.audit._corpus import counts_of, read_corpus

        programs = [
            one
            for one in read_corpus(corpus).programs
            if held_out is None or (one.half == "held-out") == held_out
        ]
        if listing:
            _show_counts(counts_of(programs), form)
            return
        if db is None:
            raise InputError("A measurement needs --db.", hint="Or give --list, to count what there is.")
        if mutants or ablate is not None:
            document = _measure_more(corpus, programs, db, catalog, mutants, ablate, sample, seed, executor)
        else:
            document, flagged = _measure(drawn(programs, sample, seed), db, catalog, seed, executor, out)
    if form is Format.JSON:
        write_json(document)
    else:
        from finassay.cli import _audit_bench_text as text

        write_text(text.page(document))
    if not mutants and ablate is None:
        exit_with(ExitCode.FAILED if flagged else ExitCode.OK)


def drawn(programs: Sequence[Any], sample: int | None, seed: int) -> list[Any]:
    """Return a sample without replacement, in the order of the programs; all of them where none is asked for."""
    import numpy as np

    if sample is None or sample >= len(programs):
        return list(programs)
    picked = np.random.default_rng(seed).choice(len(programs), size=sample, replace=False)
    return [programs[index] for index in sorted(picked)]


def _head(programs: Sequence[Labelled], catalog: Catalog, data: str, seed: int) -> dict[str, Any]:
    from finassay import __version__
    from finassay.audit._corpus import corpus_hash, counts_of

    return {
        "schema_version": 1,
        "finassay": __version__,
        "catalog": f"{catalog.catalog} {catalog.version}",
        "data": data,
        "corpus": corpus_hash(programs),
        "seed": seed,
        "programs": len(programs),
        "tasks": len({one.task.says.id for one in programs}),
        "counts": counts_of(programs),
    }


def _data(db: str) -> str:
    from finassay.audit._data import data_hash
    from finassay.database import connect

    with connect(db) as database:
        return data_hash(database, [table.name for table in database.tables()])


def _measure(
    programs: Sequence[Labelled], db: str, catalog: str, seed: int, executor: str, out: Path | None
) -> tuple[dict[str, Any], bool]:
    from finassay.audit._bench import report, run_bench, wrong
    from finassay.executor import ResultCache, open_executor
    from finassay.temporal import load_catalog

    if not programs:
        raise InputError("There is no program to measure.", reason="empty_corpus")
    known, data = load_catalog(catalog), _data(db)
    with open_executor(executor) as workers:
        results = run_bench(programs, db, known, data, workers, ResultCache(_cache_folder()))
    if out is not None:
        _write(results, out, catalog)
    misjudged = wrong(results)
    document = {
        **_head(programs, known, data, seed),
        **report(results, seed),
        "misjudged": [_entry(one) for one in misjudged],
    }
    return document, any(one.verdict == "FAIL" and not one.program.violating for one in misjudged)


def _entry(one: Result) -> dict[str, Any]:
    certificate = one.measured.certificate
    return {
        "program": one.program.id,
        "truth": list(one.program.truth.violates),
        "verdict": one.verdict,
        "found": sorted(one.found),
        "reasons": certificate.reasons if certificate else [],
        "notes": certificate.notes if certificate else [one.measured.error],
        "witnesses": [f"{w.requirement} {w.table}: {w.says}" for w in certificate.witnesses]
        if certificate
        else [],
        "seconds": round(one.measured.seconds, 2),
    }


def _write(results: Sequence[Result], out: Path, catalog: str) -> None:
    for one in results:
        certificate = one.measured.certificate
        if certificate is None or one.program.half == "held-out":
            continue
        path = out / f"{one.program.id}.certificate.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(certificate.at(path, catalog).model_dump_json(indent=2) + "\n", encoding="utf-8")


def _measure_more(
    corpus: Path,
    programs: Sequence[Labelled],
    db: str,
    catalog: str,
    mutants: bool,
    ablate: Ablation | None,
    sample: int | None,
    seed: int,
    executor: str,
) -> dict[str, Any]:
    from finassay.audit import _ablation, _mutants
    from finassay.executor import ResultCache, open_executor
    from finassay.temporal import load_catalog

    known, data = load_catalog(catalog), _data(db)
    cache = ResultCache(_cache_folder())
    with open_executor(executor) as workers:
        bench = _ablation.Bench(db, known, data, workers, cache, seed)
        if mutants:
            found = _mutants.of_corpus([one for one in programs if not one.violating], known)
            told = _mutants.run_mutants(
                drawn(found, sample, seed), _mutants.read_equivalents(corpus / "equivalents.yaml"), bench
            )
        else:
            assert ablate is not None  # noqa: S101 - one of the two is asked for
            told = _ablation.ABLATIONS[ablate.value](drawn(programs, sample, seed), bench)
    return {**_head(programs, known, data, seed), **told}


def _show_counts(counts: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        write_json({"schema_version": 1, "counts": counts})
        return
    from finassay.cli import _audit_bench_text as text

    write_text(text.counts(counts))


def mutate_command(
    program: Annotated[Path, typer.Argument(help="A valid program, or a corpus: then its valid programs.")],
    to: Annotated[Path, typer.Option(help="A new folder for the mutants.")],
    as_of: Annotated[str | None, typer.Option("--as-of", help="The as-of date, such as 2024-12-24.")] = None,
    contract: Annotated[Path | None, typer.Option(help="The contract of the program's task.")] = None,
    catalog: Annotated[str, typer.Option(help="A shipped catalog's name, or a YAML file.")] = "gildata",
    dialect: Annotated[DialectName, typer.Option(help="What its SQL is written in.")] = DialectName.MYSQL,
    form: FormatOption = Format.TEXT,
) -> None:
    """Write programs with one temporal fault each, made from valid ones, and a list of them (mutants.json)."""
    with reporting(form):
        from finassay.audit._mutants import of_corpus, of_program, write_mutants
        from finassay.temporal import load_catalog, load_contract, parse_contract

        known = load_catalog(catalog)
        if program.is_dir():
            from finassay.audit._corpus import read_corpus

            made = of_corpus([one for one in read_corpus(program).programs if not one.violating], known)
            found = [mutation for _, mutation in made]
        else:
            if (contract is None) == (as_of is None):
                raise InputError("A program needs --as-of or --contract, one of them.", reason="no_contract")
            terms = (
                load_contract(contract)
                if contract is not None
                else parse_contract(f"contract: as-of\nas_of: {{date: {as_of}}}\n", "--as-of")
            )
            found = list(of_program(program, dialect.value, known, terms))
        listed = write_mutants(found, to)
    if form is Format.JSON:
        write_json({"schema_version": 1, "mutants": listed})
    else:
        write_text(
            f"{len(listed)} mutant(s) of {len({one.program for one in found})} program(s) are in {to}."
        )

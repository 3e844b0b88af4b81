"""`finassay audit`: did a program use only what was knowable."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from finassay.cli._audit_folder import as_json, as_text, audit_programs, held_against
from finassay.cli._audit_static import obligations_of_files, show_obligations
from finassay.cli._output import Format, exit_with, reporting, write_json, write_text
from finassay.cli._run import DialectName  # noqa: TC001 - typer reads annotations
from finassay.core import InputError, worst_exit_code

if TYPE_CHECKING:
    from finassay.audit import Audited, Baseline, Judged
    from finassay.core import ExitCode
    from finassay.database import Dialect
    from finassay.execution import Submission
    from finassay.temporal import Catalog, Contract


class AuditFormat(StrEnum):
    """The forms of an audit's output."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    HTML = "html"


def audit_command(
    program: Annotated[
        Path, typer.Argument(help="A .sql, .py, .ipynb or submission .json file, or a folder of them.")
    ],
    more: Annotated[list[Path] | None, typer.Argument(help="With --static, further programs.")] = None,
    db: Annotated[
        str | None, typer.Option("--db", help="duckdb:///file, mysql://…, postgresql://…, a folder, a file.")
    ] = None,
    as_of: Annotated[
        datetime | None, typer.Option("--as-of", formats=["%Y-%m-%d"], help="The as-of date.")
    ] = None,
    catalog: Annotated[str, typer.Option(help="A shipped catalog's name, or a YAML file.")] = "gildata",
    contract: Annotated[Path | None, typer.Option(help="A contract; --as-of then may be left out.")] = None,
    reference: Annotated[
        Path | None,
        typer.Option(help="A program that does the task right: adds the differential check, and omissions."),
    ] = None,
    dialect: Annotated[DialectName | None, typer.Option(help="What the SQL is written in.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="A file for the certificate (JSON); of a folder, a folder for them.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    baseline: Annotated[
        Path | None, typer.Option(help="Of a folder: known violations and waivers; only others fail.")
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write what was found into the baseline.")
    ] = False,
    executor: Annotated[
        str | None,
        typer.Option(help="Of a folder: serial, loky[:N], ray[:N], ray://host:port. [default: loky]"),
    ] = None,
    impact: Annotated[
        bool,
        typer.Option("--impact", help="Tell how the answer changes over what counted at the date alone."),
    ] = False,
    result: Annotated[
        Path | None,
        typer.Option(help="Of one program: the result it is recorded to have given, .csv or .parquet."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=1e7,
            help="Seconds for a run of the program, and for each of its statements. [default: 120 and 60]",
        ),
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="Read the text alone, without --db; 1 if it shows a violation.")
    ] = False,
    form: Annotated[
        AuditFormat, typer.Option("--format", help="For people, machines, code review, a browser.")
    ] = AuditFormat.TEXT,
) -> None:
    """Audit a program for point-in-time validity: PASS (exit 0), FAIL (1) or UNKNOWN (3), with a witness.

    Of a folder the worst counts; with a baseline only new violations fail.
    """
    several = program.is_dir()
    with reporting(Format.JSON if form is AuditFormat.JSON else Format.TEXT):
        from finassay.temporal import load_catalog

        known = load_catalog(catalog)
        spoken: Dialect | None = dialect.value if dialect else None
        task = _task(contract, as_of)
        right = _reference(reference)
        if static:
            if form in (AuditFormat.SARIF, AuditFormat.HTML):
                raise InputError("--static gives text or JSON.", hint="Leave --format out, or say json.")
            read = obligations_of_files([program, *(more or [])], known, task, spoken)
            exit_with(show_obligations(read, as_json=form is AuditFormat.JSON))
            return
        if db is None or more:
            raise InputError(
                "An audit takes one program, or a folder, and --db.",
                hint="For the text alone, give --static.",
            )
        if several and result is not None:
            raise InputError("--result is of one program, not of a folder.", reason="not_a_program")
        if several:
            workers = executor or "loky"
            found = audit_programs(
                program,
                db,
                known,
                task,
                spoken,
                reference=right,
                impact=impact,
                timeout=timeout,
                executor=workers,
                named=catalog,
                out=out,
                force=force,
            )
        elif baseline is not None or update_baseline or executor is not None:
            raise InputError(
                f"--baseline, --update-baseline and --executor are for a folder, and {program} is none.",
                reason="not_a_folder",
            )
        else:
            one = _audit_one(
                program,
                db,
                known,
                task,
                spoken,
                reference=right,
                impact=impact,
                timeout=timeout,
                result=result,
                named=catalog,
                out=out,
                force=force,
            )
            found = (one,)
        judged, held = held_against(found, baseline, update=update_baseline)
    code = worst_exit_code(one.exit_code for one in judged)
    certificate = None if several else found[0].certificate
    if form is AuditFormat.SARIF:
        from finassay.audit import sarif_log

        root = program.as_posix() if several and not program.is_absolute() else ""
        write_json(sarif_log(judged, root, baseline=held is not None))
    elif form is AuditFormat.HTML:
        from finassay.audit import html_page

        write_text(html_page(judged, program.name, baseline=held is not None).rstrip("\n"))
    elif certificate is None:
        _show_folder(judged, held, out, code, form)
    elif form is AuditFormat.JSON:
        write_json(certificate.model_dump(mode="json"))
    else:
        from finassay.audit import certificate_text

        write_text(certificate_text(certificate))
    exit_with(code)


def _show_folder(
    judged: tuple[Judged, ...], held: Baseline | None, out: Path | None, code: ExitCode, form: AuditFormat
) -> None:
    if form is AuditFormat.JSON:
        write_json(as_json(judged, code, out))
    else:
        write_text(as_text(judged, held, out))


def _audit_one(
    program: Path,
    db: str,
    catalog: Catalog,
    contract: Contract | None,
    dialect: Dialect | None,
    *,
    reference: Submission | None,
    impact: bool,
    timeout: float | None,
    result: Path | None,
    named: str,
    out: Path | None,
    force: bool,
) -> Audited:
    from finassay.audit import Audited, Subject, audit, contract_beside, reference_beside
    from finassay.execution import load_submission

    if out is not None and out.exists() and not force:
        raise InputError(f"{out} exists.", hint="Give --force to overwrite it.", reason="output_exists")
    submission = load_submission(program)
    terms = contract or contract_beside(program)
    if terms is None:
        raise InputError(
            "There is no date to audit at.",
            hint=f"Give --as-of 2024-12-24, or --contract FILE, or write {program.stem}.contract.yaml beside it.",
        )
    subject = Subject(submission, db, dialect).within(timeout)
    right = reference or reference_beside(program)
    found = audit(subject, catalog, terms, reference=right, impact=impact, recorded=result)
    certificate = found.at(out, named)
    if out is not None:
        out.write_text(certificate.model_dump_json(indent=2) + "\n", encoding="utf-8")
    name = program.name if program.is_absolute() else program.as_posix()
    return Audited(name, certificate, exit_code=certificate.verdict.exit_code)


def _reference(path: Path | None) -> Submission | None:
    from finassay.execution import load_submission

    return load_submission(path) if path is not None else None


def _task(contract: Path | None, as_of: datetime | None) -> Contract | None:
    """Return the contract of a file, or that of a lone date, or None where there is neither."""
    from finassay.temporal import contract_at, load_contract

    if contract is None:
        return contract_at(as_of.date()) if as_of is not None else None
    task = load_contract(contract)
    if as_of is not None and (task.as_of is None or task.as_of.date != as_of.date()):
        raise InputError(
            f"--as-of says {as_of.date()}, the contract {task.as_of.date if task.as_of else 'no single date'}.",
            hint="Leave --as-of out, or correct the contract.",
            reason="contradiction",
        )
    return task

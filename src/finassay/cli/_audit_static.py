"""`finassay audit --static`: what the text of programs shows, without a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.cli._output import write_json, write_message, write_text
from finassay.core import ExitCode, InputError, printable

if TYPE_CHECKING:
    from pathlib import Path

    from finassay.audit import Obligation
    from finassay.database import Dialect
    from finassay.temporal import Catalog, Contract

Found = list[tuple[str, "list[Obligation] | InputError"]]


def obligations_of_files(
    files: list[Path], catalog: Catalog, contract: Contract | None, dialect: Dialect | None
) -> Found:
    """Return the obligations of each program; of a folder, of the programs in it; of what cannot be read, the error.

    Raises
    ------
    InputError
        If there is no date.
    """
    from finassay.audit import find_programs, static_obligations
    from finassay.execution import load_submission

    if contract is None:
        raise InputError("There is no date to audit at.", hint="Give --as-of 2024-12-24, or --contract FILE.")
    found: Found = []
    for file in files:
        try:
            programs = [file / name for name in find_programs(file)] if file.is_dir() else [file]
        except InputError as error:
            found.append((file.as_posix(), error))
            continue
        for path in programs:
            try:
                submission = load_submission(path)
            except InputError as error:
                found.append((path.as_posix(), error))
                continue
            found.append((path.as_posix(), static_obligations(submission, catalog, contract, dialect)))
    return found


def show_obligations(found: Found, *, as_json: bool) -> ExitCode:
    """Write the obligations, and return 1 if one of them is violated, else 2 if a file cannot be read, else 0."""
    errors = [error for _, error in found if isinstance(error, InputError)]
    flat = [(name, one) for name, ones in found if not isinstance(ones, InputError) for one in ones]
    violated = sum(one.status == "violated" for _, one in flat)
    unread = len({name for name, one in flat if one.rule == "unreadable"})
    code = ExitCode.FAILED if violated else ExitCode.BAD_INPUT if errors else ExitCode.OK
    for error in errors:
        write_message(f"finassay: {error}")
    if as_json:
        files = [
            {"file": name, "obligations": [], "error": ones.as_dict()}
            if isinstance(ones, InputError)
            else {"file": name, "obligations": [one.model_dump(mode="json") for one in ones]}
            for name, ones in found
        ]
        counts = {"violated": violated, "programs_not_read": unread, "files_not_read": len(errors)}
        write_json({"schema_version": 1, **counts, "files": files, "exit_code": int(code)})
        return code
    for name, one in flat:
        if one.status != "discharged":
            place = f":{one.line}:{one.column}" if one.line else ""
            table = f" {one.table}" if one.table else ""
            text = f": {' '.join(one.text.split())}" if one.text else ""
            line = (
                f"{printable(name, keep='')}{place}: {one.status} {one.requirement} {one.rule}{table}{text}"
            )
            write_text(printable(f"{line}\n  {one.why}"))
    done = sum(one.status == "discharged" for _, one in flat)
    write_text(
        f"{violated} violated, {len(flat) - violated - done} open, {done} discharged obligation(s) "
        f"in {len(found) - len(errors)} program(s){f', {unread} of them not read, or not in full' if unread else ''}"
        f"{f'; {len(errors)} file(s) cannot be read' if errors else ''}"
    )
    return code

"""`finassay audit --static`: what the text of programs shows, without a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.cli._output import write_json, write_text
from finassay.core import ExitCode, InputError, printable

if TYPE_CHECKING:
    from pathlib import Path

    from finassay.audit import Obligation
    from finassay.database import Dialect
    from finassay.temporal import Catalog, Contract

Found = list[tuple[str, "list[Obligation]"]]


def obligations_of_files(
    files: list[Path], catalog: Catalog, contract: Contract | None, dialect: Dialect | None
) -> Found:
    """Return the obligations of each program; of a folder, of the programs in it.

    Raises
    ------
    InputError
        If there is no date, or a program cannot be read.
    """
    from finassay.audit import find_programs, static_obligations
    from finassay.execution import load_submission

    if contract is None:
        raise InputError("There is no date to audit at.", hint="Give --as-of 2024-12-24, or --contract FILE.")
    programs: list[tuple[str, Path]] = []
    for file in files:
        inside = [file / name for name in find_programs(file)] if file.is_dir() else [file]
        programs += [(path.as_posix(), path) for path in inside]
    return [
        (name, static_obligations(load_submission(path), catalog, contract, dialect))
        for name, path in programs
    ]


def show_obligations(found: Found, *, as_json: bool) -> ExitCode:
    """Write the obligations, and return 1 if one of them is violated, else 0."""
    flat = [(name, one) for name, obligations in found for one in obligations]
    violated = sum(one.status == "violated" for _, one in flat)
    unread = len({name for name, one in flat if one.rule == "unreadable"})
    code = ExitCode.FAILED if violated else ExitCode.OK
    if as_json:
        files = [
            {"file": name, "obligations": [one.model_dump(mode="json") for one in obligations]}
            for name, obligations in found
        ]
        counts = {"violated": violated, "programs_not_read": unread}
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
        f"in {len(found)} program(s){f', {unread} of them not read, or not in full' if unread else ''}"
    )
    return code

"""The user's own files, which a program in the jail may read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from finassay.core import InputError
from finassay.execution._types import Mount

SCRATCH = PurePosixPath("/scratch")
_OURS = ("/run/finassay", "/usr", "/proc", "/dev", "/etc", "/lib", "/bin", "/sbin", "/tmp")  # noqa: S108 - in the jail


def parse_mounts(texts: Sequence[str]) -> tuple[Mount, ...]:
    """Read ``SOURCE`` or ``SOURCE:/target``.

    Without a target the file or folder appears in the program's working directory under its own name, so that
    ``import firm_lib`` and ``read_csv("extra.csv")`` work as they do beside the program.

    Raises
    ------
    InputError
        If a source is missing, a target is not absolute or lies where the jail keeps its own, or two are the same.
    """
    mounts: dict[str, Mount] = {}
    for text in texts:
        mount = _parse(text)
        if mount.target in mounts:
            message = f"Two mounts go to {mount.target}: {mounts[mount.target].source} and {mount.source}."
            raise InputError(message, hint="Name another target with SOURCE:/target.", reason="bad_mount")
        mounts[mount.target] = mount
    return tuple(mounts.values())


def _parse(text: str) -> Mount:
    source, colon, target = text.rpartition(":")
    if not colon or not target.startswith("/"):
        source, target = text, ""
    path = Path(source).resolve()
    if not path.exists():
        raise InputError(
            f"There is nothing to mount at {source}.", hint="Check the path.", reason="bad_mount"
        )
    where = PurePosixPath(target) if target else SCRATCH / path.name
    if (
        ".." in where.parts
        or str(where) in {"/", str(SCRATCH)}
        or any(where.is_relative_to(o) for o in _OURS)
    ):
        message = f"Expected a target of its own for the mount {text}, but {where} belongs to the jail."
        raise InputError(message, hint="Use, for example, /data/extra.csv.", reason="bad_mount")
    return Mount(path, str(where))

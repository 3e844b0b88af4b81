"""The jail: where a candidate's program runs, and what is asked of whatever isolates it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self

from finassay.core import InputError
from finassay.execution._scratch import collect, remove_scratch

if TYPE_CHECKING:
    from finassay.execution._types import Call, CallResult, Limits, Mount

__all__ = ["DEFAULT_PRELOAD", "Jail", "JailName", "JailSession", "collect", "find_jail", "remove_scratch"]

JailName = Literal["auto", "bwrap", "none"]

DEFAULT_PRELOAD = ("pandas", "duckdb", "numpy", "pyarrow")


class JailSession(Protocol):
    """A running jail: one preloaded interpreter that forks per call. One call runs at a time.

    Attributes
    ----------
    isolated : bool
        Whether anything keeps the program from the host.
    details : mapping of str to str
        What is really enforced on this machine, for reports: ``jail``, ``user``, ``network``, ``seccomp``,
        ``cgroups``, ``python`` ….
    """

    @property
    def isolated(self) -> bool: ...

    @property
    def details(self) -> Mapping[str, str]: ...

    def run(self, call: Call) -> CallResult:
        """Run a program to its end, and whatever it started; its own failures are outcomes, never exceptions.

        Raises
        ------
        InternalError
            If the interpreter cannot be had again after a program brought it down.
        """
        ...

    def close(self) -> None:
        """End every process of the jail. Closing twice is fine."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Jail(Protocol):
    """A way to isolate."""

    @property
    def name(self) -> str: ...

    def start(
        self,
        *,
        python: Path,
        scratch: Path,
        mounts: Sequence[Mount] = (),
        sockets: Path | None = None,
        preload: Sequence[str] = DEFAULT_PRELOAD,
        limits: Limits | None = None,
        env: Mapping[str, str] | None = None,
    ) -> JailSession:
        """Start an interpreter in the jail.

        Parameters
        ----------
        python : Path
            An interpreter, or the folder of a virtual environment.
        scratch : Path
            An existing host folder; ``/scratch`` in the jail, the working directory, the only place a program can
            leave something.
        mounts : sequence of Mount
            What the program may read. A mount at ``/run/finassay/finassay_relay.py`` is run in the background.
        sockets : Path, optional
            Host folder of the broker's sockets, at ``/run/finassay/sockets``.
        preload : sequence of str
            Modules to import once; those that cannot be imported are left out.
        limits : Limits, optional
            Decides the size of ``/tmp`` and ``/dev/shm``; each call brings its own limits.
        env : mapping, optional
            Environment variables; the host's own are never seen.

        Raises
        ------
        InputError
            If the interpreter, the scratch folder or a mount cannot be used.
        InternalError
            If the jail does not start.
        """
        ...


def find_jail(name: JailName | str = "auto", *, platform: str | None = None) -> Jail:
    """Return the jail to use on this machine.

    Parameters
    ----------
    name : {"auto", "bwrap", "none"}
        ``auto`` is bubblewrap; nothing weaker is chosen silently. ``none`` runs programs as ordinary processes.
    platform : str, optional
        As ``sys.platform`` says it; by default this machine's.

    Raises
    ------
    InputError
        With the reason ``no_jail`` where bubblewrap cannot isolate here: the message says what is missing and how to
        get it.
    """
    if name == "none":
        from finassay.execution._nojail import NoJail

        return NoJail()
    if name not in ("auto", "bwrap"):
        raise InputError(
            f"Expected a jail of 'auto', 'bwrap' or 'none', but got {name!r}.", reason="bad_jail"
        )
    from finassay.execution._bubblewrap import find_bubblewrap

    return find_bubblewrap(platform=platform)

"""From the text after ``--executor`` to an executor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    from finassay.executor._types import Executor

_FORMS = "serial, loky, loky:4, ray, ray:4, ray://host:port"


def open_executor(spec: str = "loky") -> Executor:
    """Open an executor.

    Parameters
    ----------
    spec : str
        ``serial``: one job after another in this process. ``loky``: local processes, one per processor; ``loky:4``:
        four of them. ``ray``: a local Ray, ``ray:4`` with four processors; ``ray://host:port``: a Ray cluster.

    Returns
    -------
    Executor
        A context manager; leaving it stops what it started.

    Raises
    ------
    InputError
        If the text is none of these, or the cluster cannot be reached.
    MissingExtraError
        If Ray is asked for and not installed.
    """
    name, _, rest = spec.partition(":")
    if name == "ray" and rest.startswith("//") and len(rest) > len("//"):
        from finassay.executor._ray import RayExecutor

        return RayExecutor(address=spec)
    workers = _workers(spec, rest) if ":" in spec else None
    if name == "serial" and workers is None:
        from finassay.executor._serial import SerialExecutor

        return SerialExecutor()
    if name == "loky":
        from finassay.executor._loky import LokyExecutor

        return LokyExecutor(workers)
    if name == "ray":
        from finassay.executor._ray import RayExecutor

        return RayExecutor(workers=workers)
    raise _unknown(spec)


def _workers(spec: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise _unknown(spec)
    return int(text)


def _unknown(spec: str) -> InputError:
    return InputError(
        f"There is no executor '{spec}'.", hint=f"Write one of: {_FORMS}.", reason="unknown_executor"
    )

"""The version of a function's code: the sources it can reach by imports, and the libraries they use."""

from __future__ import annotations

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from finassay.core import InputError
from finassay.executor._content import hash_content

_OURS = "finassay"


def code_version(function: Callable[..., Any]) -> str:
    """Return the hash of the code a function runs.

    Counted are the function's qualified name; the source of its module and of every module reached from it by import
    statements (also inside functions) that is not installed: its own package, scripts beside it, finassay; the versions
    of the installed libraries these import; and Python's version. For a `functools.partial` its bound arguments count
    too. The sources are read from disk: a process that runs on after its program was edited should be restarted.

    Not counted are files a job reads while it runs and modules imported by a computed name: pass the content hash of
    such a file with the item.

    Parameters
    ----------
    function : callable
        A function of an importable module, or a `functools.partial` of one.

    Returns
    -------
    str
        SHA-256, hexadecimal.

    Raises
    ------
    InputError
        If the function is a lambda, is nested in another, or its module cannot be found on disk.
    """
    if isinstance(function, partial):
        bound = hash_content((function.args, dict(sorted(function.keywords.items()))))
        return _digest([code_version(function.func), bound])
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not module or not name or module == "__main__" or "<" in name:
        raise _no_version(function, "it is not a named function of an importable module")
    sources, libraries = _closure(module)
    if module not in sources:
        raise _no_version(function, f"the source of its module {module} was not found")
    parts = [module, name, sys.implementation.cache_tag]
    parts += [f"{path}={digest}" for path, digest in sorted(sources.items())]
    parts += [f"{library}=={_library_version(library)}" for library in sorted(libraries)]
    return _digest(parts)


def _no_version(function: object, why: str) -> InputError:
    return InputError(
        f"Results of {function!r} cannot be cached: {why}.",
        hint="Move it to the top level of a module of a package, or run without a cache.",
        reason="function_without_version",
    )


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _closure(start: str) -> tuple[dict[str, str], set[str]]:
    """Return the digest of each module reached, and the top-level names of foreign ones."""
    ours = {_OURS, start.partition(".")[0]}
    sources: dict[str, str] = {}
    libraries: set[str] = set()
    seen: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        root, _, _ = name.partition(".")
        if root not in ours and _is_installed(root):
            libraries.add(root)
            continue
        # Python runs the __init__ of every package above a module before the module
        todo.extend(_ancestors(name))
        spec = _find(name)
        if spec is None or not spec.origin or not Path(spec.origin).is_file():
            continue
        content = Path(spec.origin).read_bytes()
        sources[name] = hashlib.sha256(content).hexdigest()
        if spec.origin.endswith(".py"):
            package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
            todo.extend(_imports(content, package))
    return sources, libraries - set(sys.stdlib_module_names)


@lru_cache(maxsize=1024)
def _is_installed(root: str) -> bool:
    """Return whether a top-level module is part of Python or of an environment, so that its version tells its code."""
    if root in sys.stdlib_module_names:
        return True
    spec = PathFinder.find_spec(root)
    places = [spec.origin, *(spec.submodule_search_locations or [])] if spec is not None else []
    homes = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return all(any(Path(place).is_relative_to(home) for home in homes) for place in places if place)


def _ancestors(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _find(name: str) -> ModuleSpec | None:
    """Find a module without importing the packages above it."""
    path: list[str] | None = None
    spec: ModuleSpec | None = None
    walked = ""
    for part in name.split("."):
        walked = f"{walked}.{part}" if walked else part
        spec = PathFinder.find_spec(walked, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    return spec


@lru_cache(maxsize=4096)
def _imports(source: bytes, package: str) -> tuple[str, ...]:
    """Return the absolute names a source may import; ``from a import b`` may mean the module ``a.b``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = resolve_name("." * node.level + base, package)
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return tuple(sorted(names))


@lru_cache(maxsize=1)
def _distributions() -> dict[str, list[str]]:
    from importlib.metadata import packages_distributions

    return dict(packages_distributions())


@lru_cache(maxsize=1024)
def _library_version(library: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except (
        PackageNotFoundError
    ):  # its distribution has another name: yaml is PyYAML; the list takes half a second
        return ",".join(f"{name} {version(name)}" for name in sorted(set(_distributions().get(library, []))))

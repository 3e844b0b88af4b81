"""Notes what a program reaches for beside its database: the network, and files that it did not make itself.

There is neither in the jail, and a program may catch the failure and go on. What it wanted is told all the same, in
``.finassay/outside.jsonl``, one JSON object per line: ``kind`` is ``network``, ``read`` (a file was to be opened) or
``looked`` (the program asked whether there is one). Standard library only; a program can go round it, as it runs here.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import re
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

FILE = "outside.jsonl"
MOST = 100
_URL = re.compile(r"[a-z][a-z0-9+]{1,9}://([^/?#]+)", re.IGNORECASE)
_FETCHES = re.compile(r"(?:^|[\s/;&|(])(curl|wget)(?:\s|$)")
_LOCAL = re.compile(r"(127\.[\d.]+|::1|localhost|0\.0\.0\.0|::|)\Z", re.IGNORECASE)
_CODE = (".py", ".pyc", ".pyi", ".so", ".pth", ".pyd")
_SYSTEM = ("/usr", "/etc", "/proc", "/sys", "/dev", "/lib", "/lib64", "/bin", "/opt/")
_READERS = {
    "polars": re.compile(r"(read|scan)_(?!database)"),
    "pyarrow.parquet": re.compile(r"read_"),
    "pyarrow.feather": re.compile(r"read_"),
    "pyarrow.csv": re.compile(r"(read|open)_csv\Z"),
    "pyarrow": re.compile(r"memory_map\Z"),
}  # they open files without Python
_LOOKS = (
    (os.path, ("exists", "isfile", "getsize", "getmtime")),
    (pathlib.Path, ("exists", "is_file", "stat")),
)


class _Notes:
    """What was noted, written as it comes: a program may end at any moment."""

    def __init__(self, folder: str, names: set[str], text: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self.out = os.open(os.path.join(folder, FILE), flags, 0o600)
        self.names, self.text = names, text
        self.began = time.time() - 0.1  # a file's own clock ticks more slowly
        self.here, self.home = os.getcwd(), os.path.expanduser("~")
        self.libraries = (
            *_SYSTEM,
            sys.prefix,
            sys.base_prefix,
            *(p for p in sys.path if p and p != self.here),
        )
        self.seen: set[tuple[str, str]] = set()
        self.exists, self.lstat = os.path.lexists, os.lstat

    def note(self, kind: str, what: str) -> None:
        """Write a line, each once."""
        if (kind, what) in self.seen or len(self.seen) >= MOST:
            return
        self.seen.add((kind, what))
        with contextlib.suppress(OSError):  # the program may have closed it
            os.write(self.out, json.dumps({"kind": kind, "what": what[:300]}).encode() + b"\n")

    def host(self, host: Any, port: Any = None) -> None:
        """Note a host of another machine."""
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
        if not _LOCAL.match(name) and name != socket.gethostname():
            self.note("network", name)

    def file(self, kind: str, path: Any) -> None:
        """Note a file that is not there, or was there before the program."""
        try:
            text = os.fsdecode(path)
        except TypeError:  # a descriptor
            return
        if address := _URL.match(text):
            if kind == "read" and not text.lower().startswith("file:"):
                self.host(address.group(1).rpartition("@")[2])
            return
        whole = os.path.normpath(os.path.join(os.getcwd(), text))
        if whole.startswith(self.libraries) or whole.endswith(_CODE) or "/.finassay/" in whole:
            return
        try:
            state = self.lstat(whole)
        except (OSError, ValueError):
            state = None
        if state is None or state.st_ctime < self.began:
            self.note(kind, self.shown(whole))

    def shown(self, whole: str) -> str:
        """Return a path as seen from the program's folder, or from its home."""
        for folder, short in ((self.here, ""), (self.home, "~/")):
            if whole.startswith(folder + os.sep):
                return short + whole[len(folder) + 1 :]
        return whole

    def own(self, depth: int) -> bool:
        """Whether the program's text is on the stack, and no import between it and here."""
        frame: Any = sys._getframe(depth)
        while frame is not None:
            name = frame.f_code.co_filename
            if name in self.names:
                return True
            if name.startswith("<frozen importlib"):
                return False  # a library that looks for its settings
            frame = frame.f_back
        return False

    def said(self, path: Any) -> bool:
        """Whether the program's text speaks of a file of this name or ending: others are a library's own."""
        try:
            stem, ending = os.path.splitext(os.path.basename(os.fsdecode(path)))
        except TypeError:
            return False
        return any(len(word) > 3 and word in self.text for word in (stem, ending))


def install(folder: str, names: set[str], text: str) -> None:
    """Note from now on what the program of these file names and this text does."""
    notes = _Notes(folder, names, text)
    sys.addaudithook(functools.partial(_heard, notes))
    for owner, functions in _LOOKS:
        for name in functions:
            setattr(owner, name, _looking(notes, getattr(owner, name)))
    for name, readers in _READERS.items():
        if name in sys.modules:
            _wrap(notes, sys.modules[name], readers)
    sys.meta_path.insert(0, _Finder(notes))


def _heard(notes: _Notes, event: str, args: tuple[Any, ...]) -> None:
    """Hear of an event of the interpreter; it never raises, which would end what is under way."""
    try:
        if event == "open":
            path, mode, flags = args
            reads = flags & os.O_ACCMODE == os.O_RDONLY if isinstance(flags, int) else "r" in str(mode)
            if reads and notes.said(path) and notes.own(2):
                notes.file("read", path)
        elif event == "sqlite3.connect":
            if notes.own(2) and notes.exists(args[0]):
                notes.file("read", args[0])
        elif event in ("glob.glob", "os.listdir", "os.scandir"):
            frame: Any = sys._getframe(1)
            while (
                event == "glob.glob"
                and frame is not None
                and frame.f_code.co_filename == glob.iglob.__code__.co_filename
            ):
                frame = frame.f_back
            if args[0] is not None and frame is not None and frame.f_code.co_filename in notes.names:
                notes.file("looked", args[0])
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            notes.host(args[0])
        elif event in ("socket.connect", "socket.sendto"):
            if isinstance(args[1], tuple):
                notes.host(args[1][0])
        elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
            words = args[1] if len(args) > 1 and args[1] is not None else args[0]
            line = words if isinstance(words, str | bytes) else " ".join(map(os.fsdecode, words))
            if called := _FETCHES.search(os.fsdecode(line)):
                notes.note("network", called.group(1))
    except Exception:  # noqa: BLE001 - what cannot be noted must not change the program
        pass


def _looking(notes: _Notes, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a question for a file that is noted where the program itself asks it."""

    @functools.wraps(function)
    def looked(path: Any, *args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_code.co_filename in notes.names:
            notes.file("looked", path)
        return function(path, *args, **kwargs)

    return looked


def _wrap(notes: _Notes, module: Any, names: re.Pattern[str]) -> None:
    """Note what a library's readers are asked to read."""

    def reading(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def read(*args: Any, **kwargs: Any) -> Any:
            source = args[0] if args else kwargs.get("source", kwargs.get("path"))
            if isinstance(source, str | os.PathLike) and notes.own(1):
                notes.file("read", source)
            return function(*args, **kwargs)

        return read

    for name in dir(module):
        value = getattr(module, name, None)
        if names.match(name) and callable(value) and not isinstance(value, type):
            setattr(module, name, reading(value))


class _Finder(importlib.abc.MetaPathFinder):
    """Wraps the readers of a library right after its import."""

    def __init__(self, notes: _Notes) -> None:
        self.notes = notes

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in _READERS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                _wrap(self.notes, module, _READERS[name])

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

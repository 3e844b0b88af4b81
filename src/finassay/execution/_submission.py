"""Read a research program from a file: SQL, Python, a notebook, or a submission in JSON."""

from __future__ import annotations

import codecs
import io
import json
import keyword
import re
import tokenize
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from finassay.core import InputError, Place
from finassay.execution._notebook import join_cells, read_cells
from finassay.execution._types import Mode, Submission

MAX_SOURCE_BYTES = 16 << 20
# Byte-order marks of what Windows calls Unicode; that of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# A comment that begins /*! or /*M! is none for MySQL and MariaDB.
_SQL_NOTHING = re.compile(r"[\s;]+|--[^\n]*|\#[^\n]*|/\*(?!M?!).*?\*/", re.DOTALL)
_PYTHON_NOTHING = re.compile(r"\s+|\#[^\n]*")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_Name = Annotated[str, StringConstraints(pattern=r"^[^\W\d]\w*$")]


class SubmissionFile(BaseModel):
    """The JSON form of a submission, as the source benchmark publishes it.

    ``mode`` says what runs; in ``sql+python`` the statement reaches the Python program as the variable ``sql_code``.
    ``result_vars`` names the variables to collect; empty means ``result``.
    """

    model_config = ConfigDict(extra="forbid")

    mode: Mode
    sql_code: str | None = None
    python_code: str | None = None
    result_vars: list[_Name] = Field(default_factory=list)


_EXPECTED = 'Expected {"mode": "sql" | "python" | "sql+python", "sql_code": …, "python_code": …, …}.'


def load_submission(path: Path, *, result_vars: tuple[str, ...] = ()) -> Submission:
    """Read a program; the file's ending says what it is.

    Parameters
    ----------
    path : Path
        A ``.sql``, ``.py``, ``.ipynb`` or ``.json`` file. Text is UTF-8, with or without a byte-order mark; a Python
        file may declare another encoding the way Python allows. Windows and old Macintosh line ends are accepted.
    result_vars : tuple of str
        Variables to collect; a submission's own list comes first, this one replaces an empty one.

    Returns
    -------
    Submission

    Raises
    ------
    InputError
        If the file is missing, unreadable, empty, of an unknown kind, not text, or a malformed submission.
    """
    for name in result_vars:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise InputError(
                f"A result is collected from a Python variable, and {name!r} cannot be the name of one.",
                hint="Give a name of letters, digits and underscores that begins with no digit.",
                reason="bad_variable",
            )
    raw = _read_bytes(path)
    kind = path.suffix.lower()
    if kind == ".sql":
        return _checked(
            Submission("sql", sql_code=_decode(raw, path), result_vars=result_vars, source=path.name)
        )
    if kind == ".py":
        code = _decode_python(raw, path)
        return _checked(Submission("python", python_code=code, result_vars=result_vars, source=path.name))
    if kind == ".ipynb":
        cells = read_cells(_decode(raw, path), path.name)
        code = join_cells(cells)
        return _checked(Submission("python", None, code, result_vars, path.name, cells))
    if kind == ".json":
        return parse_submission(_decode(raw, path), source=path.name, result_vars=result_vars)
    raise InputError(
        f"Expected a .sql, .py, .ipynb or .json program, but {path} ends in '{kind or 'nothing'}'.",
        hint="Rename it to say what it holds.",
        reason="unknown_program_kind",
    )


def parse_submission(
    text: str, *, source: str = "<submission>", result_vars: tuple[str, ...] = ()
) -> Submission:
    """Read a submission in JSON.

    Parameters
    ----------
    text : str
        One JSON object with ``mode``, ``sql_code``, ``python_code``, ``result_vars``.
    source : str
        A name for messages.
    result_vars : tuple of str
        Used where the submission names none.

    Returns
    -------
    Submission

    Raises
    ------
    InputError
        If it is not JSON, a field is missing or wrong, or the program that the mode needs is empty.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"{source} is not JSON: {error.msg}."
        place = _json_place(text, error.pos, source)
        raise InputError(message, place=place, reason="malformed_submission") from error
    except RecursionError as error:
        message = f"{source} is no submission: its JSON is nested too deeply."
        raise InputError(message, hint=_EXPECTED, reason="malformed_submission") from error
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(
            type(value), "a number or a truth value"
        )
        raise InputError(
            f"{source} is not a submission: it holds {kind}.", hint=_EXPECTED, reason="malformed_submission"
        )
    try:
        parsed = SubmissionFile.model_validate(value)
    except ValidationError as error:
        raise InputError(
            f"{source} is not a submission: {_first_problem(error)}.",
            hint=_EXPECTED,
            reason="malformed_submission",
        ) from error
    names = tuple(parsed.result_vars) or result_vars
    return _checked(
        Submission(parsed.mode, _lines(parsed.sql_code), _lines(parsed.python_code), names, source)
    )


def _json_place(text: str, position: int, source: str) -> Place:
    """Return a place in a text; what is missing at its end is missing after the last that is there."""
    position = min(position, len(text.rstrip()))
    start = text.rfind("\n", 0, position) + 1
    line = text[start:].partition("\n")[0]
    return Place(source, text.count("\n", 0, position) + 1, position - start + 1, line)


def _read_bytes(path: Path) -> bytes:
    if not path.exists():
        raise InputError(f"There is no program at {path}.", hint="Check the path.", reason="missing_program")
    if path.is_dir():
        raise InputError(f"Expected a program, but {path} is a folder.", reason="missing_program")
    try:
        raw = path.read_bytes()
    except OSError as error:
        message = f"The program {path} cannot be read: {error.strerror}."
        raise InputError(message, reason="unreadable_program") from error
    if len(raw) > MAX_SOURCE_BYTES:
        message = f"The program {path} has {len(raw):,} bytes; at most {MAX_SOURCE_BYTES:,} are accepted."
        raise InputError(message, reason="program_too_large")
    return raw


def _decode(raw: bytes, path: Path) -> str:
    try:
        return _lines(raw.decode("utf-8-sig")) or ""
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), "GB18030")
        raise InputError(
            f"{path.name} is not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start:,}, line {line}.",
            hint=f"Save it as UTF-8, for example: iconv -f {encoding} -t UTF-8 {path.name} > utf8{path.suffix}",
            reason="not_utf8",
        ) from error


def _decode_python(raw: bytes, path: Path) -> str:
    """Honour a coding cookie (PEP 263); without one, Python source is UTF-8."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError:
        return _decode(raw, path)
    if encoding in {"utf-8", "utf-8-sig"}:
        return _decode(raw, path)
    try:
        return _lines(raw.decode(encoding)) or ""
    except UnicodeDecodeError as error:
        message = f"{path.name} declares the encoding {encoding}, but byte {error.start:,} does not fit it."
        raise InputError(message, hint="Correct the coding line.", reason="not_utf8") from error


def _lines(text: str | None) -> str | None:
    return None if text is None else text.replace("\r\n", "\n").replace("\r", "\n")


def _first_problem(error: ValidationError) -> str:
    first: Any = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg'].lower()}"


def _checked(submission: Submission) -> Submission:
    needed = {"sql": ("sql_code",), "python": ("python_code",), "sql+python": ("sql_code", "python_code")}
    for name in needed[submission.mode]:
        text = getattr(submission, name)
        if text is None or not text.strip():
            raise InputError(
                f"{submission.source} is empty: mode '{submission.mode}' needs {name}.",
                hint="Write the program first.",
                reason="empty_program",
            )
        if _is_nothing(text, _SQL_NOTHING if name == "sql_code" else _PYTHON_NOTHING):
            raise InputError(
                f"{submission.source} is empty: {name} holds only comments.",
                hint="Write the program first.",
                reason="empty_program",
            )
        if "\0" in text:
            raise InputError(f"{submission.source} holds a NUL character in {name}.", reason="not_utf8")
        if found := _SURROGATE.search(text):
            line = text.count("\n", 0, found.start()) + 1
            raise InputError(
                f"{submission.source} holds \\u{ord(found[0]):04x} in line {line} of {name}: half of a character.",
                hint="Write the character itself, or both halves of its JSON escape, for example \\ud83d\\ude00.",
                reason="not_utf8",
            )
    return submission


def _is_nothing(text: str, nothing: re.Pattern[str]) -> bool:
    """Return whether a text is blanks and comments, one after the other, to its end."""
    at = 0
    while at < len(text) and (found := nothing.match(text, at)):
        at = found.end()
    return at == len(text)

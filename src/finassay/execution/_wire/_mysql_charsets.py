"""Character sets of a MySQL client: what its bytes mean, and in what bytes it wants its answers.

A client names one when it connects, by the number of a collation, and changes it with ``SET NAMES``, ``SET CHARACTER
SET`` or the variables themselves. The database behind speaks UTF-8: statements are decoded before they go there, and
results are encoded as they come. The codecs were compared with MariaDB 10.11, code by code (a test does it again).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finassay.core import CandidateError
from finassay.execution._wire._mysql_session import assignments

if TYPE_CHECKING:
    import pyarrow as pa

# MySQL's latin1 is Windows' code page 1252, with control characters where that has none.
_LATIN1 = "".join(
    bytes([byte]).decode("cp1252") if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(byte)
    for byte in range(256)
)
_LATIN1_CODES = codecs.charmap_build(_LATIN1)


@dataclass(frozen=True)
class Charset:
    """A character set: bytes per character at most, its default collation, and the numbers of its collations."""

    name: str
    codec: str
    width: int
    default: str
    collations: Mapping[str, int]
    others: tuple[int, ...] = ()

    def decode(self, data: bytes) -> str:
        """Return bytes as text; raise `UnicodeDecodeError` where they are none."""
        if self.name == "latin1":
            return codecs.charmap_decode(data, "strict", _LATIN1)[0]
        return data.decode(self.codec)

    def encode(self, text: str) -> bytes:
        """Return text as bytes, with a question mark for a character that the set does not have, as MariaDB does."""
        if self.name == "latin1":
            return codecs.charmap_encode(text, "replace", _LATIN1_CODES)[0]
        if self.name == "utf8mb3":
            text = re.sub(r"[\U00010000-\U0010ffff]", "?", text)
        return text.encode(self.codec, "replace")


_KNOWN = (
    Charset(
        "utf8mb4",
        "utf-8",
        4,
        "utf8mb4_general_ci",
        {
            "utf8mb4_general_ci": 45,
            "utf8mb4_bin": 46,
            "utf8mb4_unicode_ci": 224,
            "utf8mb4_unicode_520_ci": 246,
        },
    ),
    Charset(
        "utf8mb3",
        "utf-8",
        3,
        "utf8mb3_general_ci",
        {"utf8mb3_general_ci": 33, "utf8mb3_bin": 83, "utf8mb3_unicode_ci": 192},
        tuple(range(193, 216)),
    ),
    Charset("gbk", "gbk", 2, "gbk_chinese_ci", {"gbk_chinese_ci": 28, "gbk_bin": 87}),
    Charset("gb2312", "gb2312", 2, "gb2312_chinese_ci", {"gb2312_chinese_ci": 24, "gb2312_bin": 86}),
    # MySQL has it, MariaDB does not
    Charset("gb18030", "gb18030", 4, "gb18030_chinese_ci", {"gb18030_chinese_ci": 248, "gb18030_bin": 249}),
    Charset(
        "latin1",
        "cp1252",
        1,
        "latin1_swedish_ci",
        {"latin1_swedish_ci": 8, "latin1_bin": 47, "latin1_general_ci": 48},
        (5, 15, 31, 49, 94),
    ),
    Charset("ascii", "ascii", 1, "ascii_general_ci", {"ascii_general_ci": 11, "ascii_bin": 65}),
    Charset("binary", "utf-8", 1, "binary", {"binary": 63}),
)
_BY_NAME = {charset.name: charset for charset in _KNOWN} | {"utf8": _KNOWN[1]}
UTF8MB4 = _KNOWN[0]
_BY_NUMBER = {
    number: (charset, name) for charset in _KNOWN for name, number in charset.collations.items()
} | {number: (charset, charset.default) for charset in _KNOWN for number in charset.others}

_WORD = r"""(?:'(?P<{0}_1>[^'\\]*)'|"(?P<{0}_2>[^"\\]*)"|(?P<{0}_3>\w+))"""
_ITEM = re.compile(
    rf"""(?:SESSION\s+|LOCAL\s+|@@(?:(?:SESSION|LOCAL)\s*\.\s*)?)?
        (?P<variable>character_set_client|character_set_connection|character_set_results|collation_connection)
        \s*:?=\s*{_WORD.format("value")}
      | NAMES\s+{_WORD.format("names")}(?:\s+COLLATE\s+{_WORD.format("collate")})?
      | (?:CHARACTER\s+SET|CHARSET)\s+{_WORD.format("charset")}""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass
class Charsets:
    """What a client has set: the meaning of its statements, of literals' collation, and of results.

    `results` is None where the client wants no conversion.
    """

    client: Charset = UTF8MB4
    collation: str = UTF8MB4.default
    results: Charset | None = UTF8MB4
    results_number: int = UTF8MB4.collations[UTF8MB4.default]
    connection: Charset = field(default=UTF8MB4)

    @classmethod
    def of_number(cls, number: int) -> Charsets:
        """Return what a collation's number means at connecting; one that is not known means the server's default."""
        charset, collation = _BY_NUMBER.get(number, (UTF8MB4, UTF8MB4.default))
        known = number if number in _BY_NUMBER else UTF8MB4.collations[UTF8MB4.default]
        return cls(charset, collation, charset, known, charset)

    def decode(self, data: bytes) -> str:
        """Return a statement, a name or a parameter that the client sent.

        Raises
        ------
        CandidateError
            With ``not_in_charset`` where it is none in the client's character set.
        """
        try:
            return self.client.decode(data)
        except UnicodeDecodeError as error:
            raise CandidateError(
                f"Expected a statement in {self.client.name}, which this connection says it speaks, but its byte "
                f"{error.start + 1:,} is none.",
                hint="Connect with the character set that the program writes, for example charset='utf8mb4' or 'gbk'.",
                reason="not_in_charset",
            ) from error

    def encode(self, text: str) -> bytes:
        """Return a text of an answer."""
        return (self.results or UTF8MB4).encode(text)

    def of_text(self) -> tuple[int, int]:
        """Return the number of the collation in which text is sent, and the most bytes of a character."""
        return self.results_number, (self.results or UTF8MB4).width

    def encode_message(self, text: str) -> bytes:
        r"""Return the text of an error, with ``\5DDE`` for a character that the client's set does not have."""
        charset = self.results or UTF8MB4
        if charset.codec == "utf-8":
            return self.encode(text)
        return b"".join(
            encoded if encoded != b"?" or character == "?" else f"\\{ord(character):04X}".encode()
            for character in text
            for encoded in (charset.encode(character),)
        )

    def encode_column(self, texts: pa.Array) -> pa.Array:
        """Return a column of UTF-8 text, as ``binary``, in the bytes of the client."""
        import pyarrow as pa
        import pyarrow.compute as pc

        charset = self.results or UTF8MB4
        if (
            charset.name in ("utf8mb4", "binary")
            or pc.all(pc.string_is_ascii(texts.cast(pa.string()))).as_py()
        ):
            return texts
        different = texts.dictionary_encode()
        encoded = [charset.encode(value.decode()) for value in different.dictionary.to_pylist()]
        return pa.array(encoded, pa.binary()).take(different.indices)

    def variables(self) -> dict[str, str]:
        """Return the server variables that say it; no conversion is an empty text, as ``SHOW VARIABLES`` spells it."""
        return {
            "character_set_client": self.client.name,
            "character_set_connection": self.connection.name,
            "character_set_results": self.results.name if self.results else "",
            "collation_connection": self.collation,
        }

    def obey(self, text: str) -> None:
        """Follow a ``SET`` statement in what it says of character sets.

        Parameters
        ----------
        text : str
            A statement that `has_no_effect` on the database.

        Raises
        ------
        QueryError
            With ``unknown_charset`` or ``unknown_collation``.
        """
        for item in assignments(text):
            if found := _ITEM.fullmatch(item):
                self._assign(found)

    def _assign(self, found: re.Match[str]) -> None:
        variable = (found["variable"] or "").lower()
        if names := _word(found, "names"):
            self._name(*_chosen(names, _word(found, "collate")))
        elif name := _word(found, "charset"):
            charset, collation = _chosen(name, "")
            self._name(charset, collation)
            self.connection, self.collation = UTF8MB4, UTF8MB4.default
        elif variable == "collation_connection":
            self.connection, self.collation = _collated(_word(found, "value"))
        elif variable == "character_set_results" and _word(found, "value").upper() == "NULL":
            self.results, self.results_number = None, UTF8MB4.collations[UTF8MB4.default]
        else:
            charset, collation = _chosen(_word(found, "value"), "")
            if variable == "character_set_client":
                self.client = charset
            elif variable == "character_set_connection":
                self.connection, self.collation = charset, collation
            else:
                self.results, self.results_number = charset, charset.collations[collation]

    def _name(self, charset: Charset, collation: str) -> None:
        number = charset.collations.get(collation, charset.collations[charset.default])
        self.client = self.connection = self.results = charset
        self.collation, self.results_number = collation, number


def _word(found: re.Match[str], key: str) -> str:
    return next((found[f"{key}_{n}"] for n in (1, 2, 3) if found[f"{key}_{n}"] is not None), "")


def _chosen(name: str, collation: str) -> tuple[Charset, str]:
    """Return a character set by name, and the collation asked for with it."""
    from finassay.database import QueryError

    charset = UTF8MB4 if name.upper() == "DEFAULT" else _BY_NAME.get(name.lower())
    if charset is None:
        raise QueryError(
            f"Unknown character set: '{name}'",
            hint=f"Served here: {', '.join(sorted(_BY_NAME))}.",
            reason="unknown_charset",
        )
    if collation.upper() in ("", "DEFAULT"):
        return charset, charset.default
    of, spelled = _collated(collation)
    if of is not charset:
        raise QueryError(
            f"COLLATION '{collation}' is not valid for CHARACTER SET '{charset.name}'",
            reason="other_collation",
        )
    return charset, spelled


def _collated(collation: str) -> tuple[Charset, str]:
    """Return the character set of a collation; its name says it."""
    from finassay.database import QueryError

    if collation.upper() == "DEFAULT":
        return UTF8MB4, UTF8MB4.default
    name, _, rest = collation.lower().partition("_")
    charset = _BY_NAME.get(name)
    if charset is None or not (rest or name == "binary"):
        raise QueryError(f"Unknown collation: '{collation}'", reason="unknown_collation")
    return charset, "_".join(filter(None, (charset.name, rest)))

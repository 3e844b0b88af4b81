"""The functions that are translated: name to translator, and nothing that is not on the list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finassay.database._mysql._convert import CannotConvert
from finassay.database._mysql._values import Value

if TYPE_CHECKING:
    from finassay.database._mysql._expressions import Expressions


@dataclass(frozen=True)
class Call:
    """A call of a MySQL function: its name, its translated arguments, and where to put warnings."""

    name: str
    args: list[Value]
    node: Any
    compiler: Expressions

    def constant_int(self, at: int) -> int:
        """Return an argument that must be an integer literal."""
        literal = self.args[at].literal
        if not isinstance(literal, int) or isinstance(literal, bool):
            raise CannotConvert(f"{self.name}() with an argument {at + 1} that is not an integer literal")
        return literal

    def constant_text(self, at: int) -> str:
        """Return an argument that must be a string literal."""
        literal = self.args[at].literal
        if not isinstance(literal, str):
            raise CannotConvert(f"{self.name}() with an argument {at + 1} that is not a string literal")
        return literal


Translator = Callable[[Call], Value]


@dataclass(frozen=True)
class Entry:
    """A function: how it is translated and how many arguments it takes."""

    translate: Translator
    least: int
    most: int
    any_collation: bool = False


FUNCTIONS: dict[str, Entry] = {}


def function(
    *names: str, args: int | tuple[int, int] = 1, any_collation: bool = False
) -> Callable[[Translator], Translator]:
    """Register a translator under MySQL's names; `args` is the number of arguments, or its least and most."""
    least, most = args if isinstance(args, tuple) else (args, args)

    def register(translator: Translator) -> Translator:
        for each in names:
            FUNCTIONS[each] = Entry(translator, least, most, any_collation)
        return translator

    return register

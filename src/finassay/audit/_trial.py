"""The tables of an audit at one cutoff, and what a program does over alterations of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finassay.audit._compare import Difference

if TYPE_CHECKING:
    from finassay.audit._certificate import ScenarioRun
    from finassay.audit._scenarios import Altered
    from finassay.audit._scope import Scope
    from finassay.audit._subject import Output, Runner
    from finassay.audit._types import Family

Run = Callable[[dict[str, str]], "Output"]


@dataclass
class Trial:
    """A cutoff with its tables; what has been run over them, and which of them the output reacted to."""

    runner: Runner
    scope: Scope
    tables: dict[str, Altered]
    history: frozenset[str]
    runs: list[ScenarioRun] = field(default_factory=list)
    live: set[str] = field(default_factory=set)

    def over(self, family: Family) -> list[str]:
        """Return the tables that a family alters."""
        return [
            name
            for name, table in self.tables.items()
            if family in table.families and not (family.mode == "normal" and name in self.history)
        ]

    def difference(
        self, base: Output, family: Family, names: Iterable[str], run: Run
    ) -> Difference | str | None:
        """Return how the output differs over tables altered by a family; a text where the program crashed."""
        altered = {name: self.tables[name].select(family) for name in names}
        return self.compared(base, family, altered, run)

    def compared(
        self, base: Output, family: Family, altered: Mapping[str, str], run: Run
    ) -> Difference | str | None:
        """Return how the output over these SELECTs of a family differs from what it must be; see `difference`."""
        found = run(dict(altered))
        expected = base
        if family.mode != "same":
            expected = run({name: self.tables[name].expected(family, text) for name, text in altered.items()})
        if found.error is not None or expected.error is not None:
            return found.error or expected.error
        # Of several tables it is not known which of them the output reacts to.
        if family.mode != "same" and len(altered) == 1 and self.scope.differ(base, found) is not None:
            self.live.update(altered)
        return self.scope.differ(expected, found, family)

    def moves(self, base: Output, family: Family, name: str, run: Run) -> Difference | str | None:
        """Return how the output changes over one altered table, None where it stays, a text where it crashed."""
        found = run({name: self.tables[name].select(family)})
        return found.error or self.scope.differ(base, found)

    def reacts(self, base: Output, name: str) -> bool:
        """Whether the output reacts to some alteration of what was known of a table."""
        if name not in self.live and any(
            isinstance(self.moves(base, family, name, self.runner.run), Difference)
            for family in reversed(self.tables[name].traps)
        ):
            self.live.add(name)
        return name in self.live

"""The tables of an audit at one cutoff, and what a program does over alterations of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finassay.audit._compare import Difference, differ
from finassay.audit._types import AS_IS, FAMILIES, MISSING, MISSING_TOO, Requirement

if TYPE_CHECKING:
    from finassay.audit._certificate import ScenarioRun
    from finassay.audit._scenarios import Altered
    from finassay.audit._scope import Scope
    from finassay.audit._slices import Slice
    from finassay.audit._subject import Output, Runner
    from finassay.audit._types import Family

Run = Callable[[dict[str, str]], "Output"]


@dataclass
class Trial:
    """A cutoff with its tables; what has been run over them, and which of them the output reacted to.

    `ordered` says that the program gives its rows in an order of its own, in which nothing ties; of such a program
    `reordered` keeps the families, with their tables, over which the same rows came in another order.
    """

    runner: Runner
    scope: Scope
    tables: dict[str, Altered]
    history: frozenset[str]
    runs: list[ScenarioRun] = field(default_factory=list)
    live: set[str] = field(default_factory=set)
    piece: Slice | None = None
    ordered: bool = False
    reordered: dict[Family, tuple[str, ...]] = field(default_factory=dict)

    def over(self, family: Family) -> list[str]:
        """Return the tables that a family alters."""
        return [
            name
            for name, table in self.tables.items()
            if family in table.families
            and not (family.requirement is Requirement.VERSION and name in self.history)
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
        """Return how the output over these SELECTs of a family differs from what it must be; see `difference`.

        Where there is a slice, it is run first, and all the data only where the output differs there.
        """
        if self.piece is not None and self._on_slice(self.piece, base, family, altered, run) is None:
            return None
        return self._compared(base, family, altered, run)

    def notices(self, run: Run, columns: frozenset[str]) -> bool:
        """Whether the output of a mutant differs over some altered tables, on the slice or on all the data.

        Tables that have none of these columns, which its guard tested, are left as they are: without the guard no other
        row of theirs is let in.
        """
        piece = self.piece
        return (
            piece is not None and self._notices(lambda overlays: run(piece.over(overlays)), columns)
        ) or self._notices(run, columns)

    def _notices(self, run: Run, columns: frozenset[str]) -> bool:
        base = run({})
        if base.error is not None:
            return True
        guarded = {name: own for name, table in self.tables.items() if (own := columns & table.named)}
        for family in sorted(FAMILIES, key=lambda family: not self._likely(family, guarded)):
            names = [name for name in self.over(family) if name in guarded]
            for part in [names, *([name] for name in names if len(names) > 1)]:
                altered = {name: self.tables[name].select(family) for name in part}
                if not altered:
                    break
                expected, found = self._both(base, family, altered, run)
                if isinstance(self._apart(expected, found, family), Difference):
                    return True
                if part is names and not self._hides(base, family, altered, found):
                    break
        return False

    def masked(self, base: Output, family: Family, names: Iterable[str]) -> bool:
        """Whether altering these tables together may have hidden something, on the slice where there is one."""
        altered = {name: self.tables[name].select(family) for name in names}
        if not _may_hide(family, altered):
            return False
        run, piece = self.runner.run, self.piece
        if piece is None:
            return self._hides(base, family, altered, run(altered))
        return self._hides(piece.base(base, run), family, altered, run(piece.over(altered)))

    def _hides(self, base: Output, family: Family, altered: Mapping[str, str], found: Output) -> bool:
        """Whether what is done to one of several tables may hide what is done to another.

        It may where known rows are altered and the answer stays as it is, or most of its rows are gone: then the
        tables are altered one by one, too.
        """
        if not _may_hide(family, altered):
            return False
        left, whole = (sum(table.num_rows for table in one.tables.values()) for one in (found, base))
        return found.error is not None or 2 * left < whole or differ(base, found) is None

    def _likely(self, family: Family, guarded: Mapping[str, frozenset[str]]) -> bool:
        """Whether a family alters what a guard of some of these columns tests of an interval: it is tried first."""
        return any(
            family in self.tables[name].moving(column) for name, own in guarded.items() for column in own
        )

    def _on_slice(
        self, piece: Slice, base: Output, family: Family, altered: Mapping[str, str], run: Run
    ) -> Difference | str | None:
        return self._compared(
            piece.base(base, run), family, altered, lambda overlays: run(piece.over(overlays))
        )

    def _compared(
        self, base: Output, family: Family, altered: Mapping[str, str], run: Run
    ) -> Difference | str | None:
        expected, found = self._both(base, family, altered, run)
        apart = self._apart(expected, found, family)
        # Of several tables it is not known which of them the output reacts to.
        if apart is None and self.ordered and self.scope.reordered(expected, found, family):
            self.reordered.setdefault(family, tuple(altered))
        alone = family.mode != "same" and len(altered) == 1 and not isinstance(apart, str)
        if alone and self.scope.differ(base, found) is not None:
            self.live.update(altered)
        return apart

    def _both(
        self, base: Output, family: Family, altered: Mapping[str, str], run: Run
    ) -> tuple[Output, Output]:
        """Return what the output must be, and what it is."""
        found = base if family is AS_IS else run(dict(altered))
        if family.mode == "same":
            return base, found
        return run({name: self.tables[name].expected(family) for name in altered}), found

    def _apart(self, expected: Output, found: Output, family: Family) -> Difference | str | None:
        crashed = next((one.error for one in (found, expected) if one.error is not None), None)
        return self.scope.differ(expected, found, family) if crashed is None else crashed

    def moves(self, base: Output, family: Family, name: str, run: Run) -> Difference | str | None:
        """Return how the output changes over one altered table, None where it stays, a text where it crashed."""
        altered = {name: self.tables[name].select(family)}
        if self.piece is not None:
            small = run(self.piece.over(altered))
            moved = None if small.error is not None else self.scope.differ(self.piece.base(base, run), small)
            if moved is not None:
                return moved
        found = run(altered)
        return self.scope.differ(base, found) if found.error is None else found.error

    def reacts(self, base: Output, name: str) -> bool:
        """Whether the output reacts to some alteration of what was known of a table."""
        if name not in self.live and any(
            isinstance(self.moves(base, family, name, self.runner.run), Difference)
            for family in reversed(self.tables[name].traps)
        ):
            self.live.add(name)
        return name in self.live

    def fails_without(self, base: Output, name: str) -> bool:
        """Whether the program fails where known rows of a table are gone: it looks each of them up."""
        families = [family for family in self.tables[name].traps if family in (MISSING, MISSING_TOO)]
        return any(isinstance(self.moves(base, family, name, self.runner.run), str) for family in families)

    def feeds_labels(self, base: Output, name: str) -> bool:
        """Whether a table matters to columns of later outcomes, which are not judged."""
        if not self.scope.labels:
            return False
        outputs = (
            self.runner.run({name: self.tables[name].select(f)}) for f in reversed(self.tables[name].traps)
        )
        return any(found.error is None and differ(base, found) is not None for found in outputs)


def _may_hide(family: Family, altered: Mapping[str, str]) -> bool:
    """Whether a family alters known rows of several tables."""
    return family.mode != "same" and family is not AS_IS and len(altered) > 1

"""The figures of `finassay audit bench` as tables of plain text."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_WIDTH = 150
Share = Mapping[str, Any]


def page(document: Mapping[str, Any]) -> str:
    """Return a measurement as text: its head, then a table for each part that it has."""
    truth = document["counts"]["truth"]
    halves = " and ".join(document["counts"]["half"])
    head = (
        f"{document['programs']} program(s) of {document['tasks']} task(s), {halves}: {truth['valid']} valid, "
        f"{truth['violating']} violating; {document['catalog']}; seed {document['seed']}"
    )
    parts = [head]
    if "detectors" in document:
        parts += _measurement(document)
    for name, write in (
        ("layers", _layers),
        ("power", _power),
        ("saturation", _saturation),
        ("seeds", _seeds),
        ("catalog", _catalog),
        ("mutants", _mutants),
    ):
        if name in document:
            parts.append(write(document[name]))
    return "\n\n".join(parts)


def counts(counted: Mapping[str, Mapping[str, int]]) -> str:
    """Return the numbers of programs by all that they are broken down by."""
    rows = [
        (group, value, str(count)) for group, values in counted.items() for value, count in values.items()
    ]
    return _table(("by", "", "programs"), rows)


def _measurement(document: Mapping[str, Any]) -> list[str]:
    detectors = document["detectors"]
    audit = detectors["audit"]
    parts = [
        _table(
            ("the audit", "n/N", "share", "95% (Wilson)", "95% (over tasks)"),
            [(name, *_cells(share)) for name, share in audit.items()],
        ),
        _table(
            ("", *detectors),
            [(name, *(_short(shares.get(name)) for shares in detectors.values())) for name in audit],
        ),
    ]
    names = ("precision", "recall", "recall where the answer is right", "type match", "undecided")
    for group, values in document["groups"].items():
        rows = []
        for value, figures in values.items():
            times = _times(figures["seconds"])
            rows.append((value, str(figures["programs"]), *(_short(figures[n]) for n in names), *times))
        parts.append(
            _table(
                (group, "programs", "precision", "recall", "… right", "type", "undecided", "median", "p90"),
                rows,
            )
        )
    if document["seconds"] is not None:
        words = ", ".join(f"{n} {word}" for word, n in document["verdicts"].items())
        rows = [
            (name, *(f"{document['seconds'][kind][name]:.1f}" for kind in ("clock", "cpu")))
            for name in ("median", "p90", "longest")
        ]
        parts += [words, _table(("seconds an audit", "by the clock", "of processors"), rows)]
    if document["misjudged"]:
        rows = [
            (
                one["program"],
                ",".join(one["truth"]) or "valid",
                one["verdict"] + ("" if not one["found"] else f" {','.join(one['found'])}"),
                "; ".join(one["witnesses"] or one["notes"] or one["reasons"])[:400],
            )
            for one in document["misjudged"]
        ]
        parts.append(_table(("tuned, judged otherwise", "truth", "verdict", "why"), rows))
    return parts


def _layers(layers: Mapping[str, Mapping[str, Share]]) -> str:
    names = ("precision", "recall", "recall where the answer is right", "valid flagged", "type match")
    rows = [(layer, *(_short(shares.get(name)) for name in names)) for layer, shares in layers.items()]
    return _table(("layer", "precision", "recall", "… right", "valid flagged", "type"), rows)


def _power(shares: Mapping[str, Share]) -> str:
    return _table(
        ("power check", "n/N", "share", "95% (Wilson)", "95% (over tasks)"),
        [(name, *_cells(share)) for name, share in shares.items()],
    )


def _saturation(found: Mapping[str, Any]) -> str:
    rows = [
        (name, str(found["runs"][name]), *_cells(found[name])) for name in ("all rows at once", "one event")
    ]
    return _table(
        ("altered in each table", "runs", "found", "share", "95% (Wilson)", "95% (over tasks)"), rows
    )


def _seeds(found: Mapping[str, Any]) -> str:
    rows = [(f"{count} event(s)", *_cells(share)) for count, share in found["events"].items()]
    rows.append(("all rows at once", *_cells(found["all rows at once"])))
    return _table(("altered in each table", "found", "share", "95% (Wilson)", "95% (over tasks)"), rows)


def _catalog(found: Mapping[str, Any]) -> str:
    def words(counted: Mapping[str, int]) -> str:
        return ", ".join(f"{count} {word}" for word, count in sorted(counted.items())) or "-"

    rows = [
        (kind, str(one["tried"]), words(one["valid"]), words(one["violating"]))
        for kind, one in found["kinds"].items()
    ]
    head = f"{found['tried']} wrong catalogs over {found['programs']} programs that are judged rightly\n\n"
    return head + _table(("wrong entry", "tried", "valid programs become", "violating ones"), rows)


def _mutants(found: Mapping[str, Any]) -> str:
    names = ("killed", "killed where the answer stays", "killed by the output check")
    rows = [
        (
            name,
            str(one["mutants"]),
            str(one["equivalent"]),
            _short(one["killed"]),
            _short(one["type match"]),
            ", ".join(f"{count} {word}" for word, count in sorted(one["verdicts"].items())),
        )
        for name, one in found["operators"].items()
    ]
    parts = [
        f"{found['made']} mutant(s), {found['equivalent']} of them adjudicated as no violation",
        _table(
            ("mutants", "n/N", "share", "95% (Wilson)", "95% (over tasks)"),
            [(name, *_cells(found[name])) for name in names],
        ),
        _table(("operator", "mutants", "equivalent", "killed", "type", "verdicts"), rows),
    ]
    if found["survivors"]:
        survivors = [
            (
                one["id"],
                one["verdict"],
                ",".join(one["expected"]),
                one["says"][:80],
                ",".join(one["reasons"])[:60],
            )
            for one in found["survivors"]
        ]
        parts.append(_table(("tuned, not killed", "verdict", "expected", "changed", "reasons"), survivors))
    return "\n\n".join(parts)


def _cells(share: Share | None) -> tuple[str, str, str, str]:
    if share is None:
        return ("0/0", "-", "-", "-")
    return (
        f"{share['n']}/{share['N']}",
        f"{100 * share['value']:.1f}%",
        _interval(share["wilson"]),
        _interval(share["by_task"]),
    )


def _short(share: Share | None) -> str:
    return "-" if share is None else f"{share['n']}/{share['N']} {100 * share['value']:.1f}%"


def _interval(pair: Sequence[float] | None) -> str:
    return "-" if pair is None else f"{100 * pair[0]:.1f}–{100 * pair[1]:.1f}"


def _times(seconds: Mapping[str, Any] | None) -> tuple[str, str]:
    if seconds is None:
        return ("-", "-")
    return (f"{seconds['cpu']['median']:.1f}", f"{seconds['cpu']['p90']:.1f}")


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from finassay.audit import visible

    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    buffer = io.StringIO()
    Console(file=buffer, width=_WIDTH, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())

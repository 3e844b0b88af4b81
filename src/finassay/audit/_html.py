"""Audits as one page of HTML that stands alone: no script, nothing fetched, everything escaped."""

from __future__ import annotations

import base64
import hashlib
import html
from typing import TYPE_CHECKING

from finassay.audit._sarif import RULES, sentence, visible
from finassay.audit._text import impact_line, power_line, provenance_lines, replay_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from finassay.audit._baseline import Finding, Judged
    from finassay.audit._certificate import Certificate, Impact, Power, ReferenceCheck, Witness

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--pass:#1a7f37;--fail:#cf222e;--unknown:#9a6700}
@media(prefers-color-scheme:dark){:root{--pass:#3fb950;--fail:#ff7b72;--unknown:#d29922}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.4rem}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-top:2px solid var(--line);padding-top:1rem}
h3{font-size:1rem;margin:1rem 0 .25rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid var(--line);min-width:3rem}
pre{background:var(--soft);padding:.5rem;overflow-x:auto;font-size:.85rem;white-space:pre;overflow-wrap:normal}
.mark{font-weight:700}.PASS{color:var(--pass)}.FAIL{color:var(--fail)}.UNKNOWN,.error{color:var(--unknown)}
.witness{border-left:4px solid var(--fail);padding-left:.75rem;margin:1rem 0}
summary{cursor:pointer;padding:.5rem 0}dt{font-weight:600}dd{margin:0 0 .5rem}
"""


class Html(str):
    """Text that is HTML already; any other text is escaped where it is put in."""

    __slots__ = ()


def html_page(judged: Sequence[Judged], title: str, *, baseline: bool = False) -> str:
    """Return audits as a page.

    Program text, rows, names and messages are hostile: every text is escaped where it enters the page, control and
    formatting characters are written out, and the page's own policy forbids scripts and requests.

    Parameters
    ----------
    judged : sequence of Judged
        The programs.
    title : str
        What was audited.
    baseline : bool
        Whether they were held against a baseline.

    Returns
    -------
    str
        HTML. It holds no time, so that equal audits give equal pages.
    """
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = _el(
        "head",
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        _el("title", f"{title}: point-in-time audit"),
        _el("style", Html(_STYLE)),
    )
    body = _el("body", _el("h1", f"Point-in-time audit of {title}"), *_body(judged, baseline=baseline))
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _body(judged: Sequence[Judged], *, baseline: bool) -> Iterator[Html]:
    if len(judged) > 1:
        yield _overview(judged, baseline=baseline)
    for number, one in enumerate(judged, 1):
        yield _el(
            "h2",
            _verdict(_word(one)),
            f" {one.audited.program}",
            id=f"p{number}",
        )
        if one.audited.certificate is None:
            yield _el("p", one.audited.error or "")
        else:
            yield from _certificate(one, one.audited.certificate, baseline=baseline)


def _el(name: str, *children: str, **attributes: str) -> Html:
    """Return an element; a child or an attribute that is no `Html` is escaped."""
    told = "".join(f' {key.rstrip("_")}="{_text(value)}"' for key, value in attributes.items())
    inner = "".join(child if isinstance(child, Html) else _text(child) for child in children)
    return Html(f"<{name}{told}>{inner}</{name}>")


def _text(value: str) -> str:
    return html.escape(visible(value))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Html:
    titles = _el("tr", *(_el("th", name, scope="col") for name in head))
    cells = [_el("tr", *(_el("td", cell) for cell in row)) for row in rows]
    return _el("div", _el("table", _el("thead", titles), _el("tbody", *cells)), class_="wide")


def _details(summary: str, *children: str) -> Html:
    return _el("details", _el("summary", summary), *children)


def _verdict(word: str) -> Html:
    return _el("span", word, class_=f"mark {word}")


def _word(judged: Judged) -> str:
    certificate = judged.audited.certificate
    return "error" if certificate is None else certificate.verdict.value


def _overview(judged: Sequence[Judged], *, baseline: bool) -> Html:
    rows = [
        (
            _verdict(_word(one)),
            _el("a", one.audited.program, href=f"#p{number}"),
            "; ".join(_short(finding, baseline=baseline) for finding in one.findings)
            or _why(one.audited.certificate),
        )
        for number, one in enumerate(judged, 1)
    ]
    return _table(("Verdict", "Program", "Findings"), rows)


def _short(finding: Finding, *, baseline: bool) -> str:
    standing = f" ({finding.standing})" if baseline else ""
    return f"{finding.violation.requirement} {finding.violation.table}{standing}"


def _why(certificate: Certificate | None) -> str:
    return "" if certificate is None else ", ".join(certificate.reasons)


def _certificate(judged: Judged, found: Certificate, *, baseline: bool) -> Iterator[Html]:
    when = "the end of" if found.boundary == "eod" else "before the open of"
    days = found.as_of[0] if len(found.as_of) == 1 else f"{len(found.as_of)} dates"
    yield _el(
        "p", f"As of {when} {days}, {found.engine}, catalog {found.catalog}, contract {found.contract}."
    )
    rows = [(r.value, RULES[r][1], _verdict(verdict.value)) for r, verdict in found.requirements.items()]
    if found.sequence is not None:
        rows.append(("", "Each decision keeps to its own date.", _verdict(found.sequence.value)))
    if found.label is not None:
        rows.append(("", "Only labels depend on what came after.", _verdict(found.label.value)))
    yield _table(("", "Requirement", "Verdict"), rows)
    for finding in judged.findings:
        yield _witness(finding, baseline=baseline)
    notes = list(dict.fromkeys(found.notes))
    if notes:
        yield _el("h3", "Not decided")
        yield _el("ul", *(_el("li", note) for note in notes))
    yield _el("h3", "What was tried")
    yield _el(
        "p",
        f"{found.tried.scenarios} scenarios over {found.tried.tables} table(s), of which the output reacted to "
        f"{found.tried.live}: {found.tried.held} held, {found.tried.differs} made a difference, "
        f"{found.tried.crashed} crashed.",
    )
    if found.power is not None:
        yield from _power(found.power)
    if found.reference is not None:
        yield from _reference(found.reference)
    if found.impact is not None:
        yield from _impact(found.impact)
    yield from _read(found)
    yield from _rest(found)


def _read(found: Certificate) -> Iterator[Html]:
    """Yield what the text of the program discharges, violates or leaves open."""
    if found.warnings:
        yield _el("h3", "Warnings")
        yield _el("ul", *(_el("li", warning) for warning in found.warnings))
    if found.obligations:
        order = ("violated", "open", "discharged")
        rows = sorted(found.obligations, key=lambda one: order.index(one.status))
        yield _details(
            f"What the text says ({sum(one.status == 'discharged' for one in rows)} of {len(rows)} obligations seen)",
            _table(
                ("Line", "Requirement", "Table", "Status", "Text", "Why"),
                (
                    (str(one.line or ""), one.requirement.value, one.table, one.status, one.text, one.why)
                    for one in rows
                ),
            ),
        )


def _witness(finding: Finding, *, baseline: bool) -> Html:
    witness = finding.witness
    parts = [_el("h3", f"{witness.requirement} {RULES[witness.requirement][0].lower()}: {witness.table}")]
    parts.append(_el("p", sentence(finding)))
    if baseline:
        parts.append(_el("p", _standing(finding)))
    if witness.row is not None:
        parts.append(_row(witness))
    changed = [f"- {row}" for row in witness.missing] + [f"+ {row}" for row in witness.added]
    if changed:
        parts.append(_el("p", "Output rows that go (-) and come (+):"))
        parts.append(_el("pre", "\n".join(changed)))
    if witness.provenance is not None:
        parts.append(_el("ul", *(_el("li", line) for line in provenance_lines(witness.provenance))))
    parts.append(
        _details(
            f"Run it over this in place of {witness.table} to see (level {witness.level})",
            _el("pre", replay_line(witness)),
            _el("pre", witness.overlay),
        )
    )
    return _el("div", *parts, class_="witness")


def _standing(finding: Finding) -> str:
    waiver = finding.waiver
    if waiver is None:
        return f"Baseline: {finding.standing}."
    return f"Baseline: {finding.standing}; {waiver.reason} ({waiver.owner}, until {waiver.expires})."


def _row(witness: Witness) -> Html:
    row, altered = witness.row or {}, witness.altered
    names = [*witness.shown, *(name for name in row if name not in witness.shown)]
    return _table(
        ("Column", "Value", "Altered to"),
        (
            (
                name,
                _cell(row[name]),
                "(row removed)" if altered is None else _cell(altered[name]) if name in altered else "",
            )
            for name in names
        ),
    )


def _cell(value: str | None) -> str:
    return "NULL" if value is None else value


def _power(power: Power) -> Iterator[Html]:
    yield _el("p", f"Power: {power_line(power)}.")
    rows = [("not noticed", one) for one in power.survivors] + [("redundant", one) for one in power.redundant]
    if rows:
        yield _table(
            ("", "Line", "Guard"),
            ((word, str(one.line) if one.line else "", one.guard) for word, one in rows),
        )


def _reference(found: ReferenceCheck) -> Iterator[Html]:
    yield _el("h3", f"Beside the reference {found.source}")
    yield _table(
        ("As of", "Table", "What was changed", "Reference", "Program"),
        ((run.as_of, run.table, run.family, run.reference, run.program) for run in found.traps),
    )
    if found.differences:
        yield _el("p", "Functional differences, which decide nothing:")
        yield _el("ul", *(_el("li", line) for line in found.differences))


def _impact(found: Impact) -> Iterator[Html]:
    yield _el("h3", "Impact: the answer over what counted at the cut-off alone")
    for one in found.outputs:
        yield _el("p", impact_line(one))
        if one.columns:
            yield _table(
                ("Column", "Cells changed", "Most at", "Before", "After"),
                (
                    (
                        column.column,
                        str(column.cells),
                        column.largest.row,
                        _cell(column.largest.before),
                        _cell(column.largest.after),
                    )
                    for column in one.columns
                ),
            )
        rows = [f"- {row}" for row in one.dropped_rows] + [f"+ {row}" for row in one.added_rows]
        if rows:
            yield _el("pre", "\n".join(rows))
    if found.failures:
        yield _el("ul", *(_el("li", line) for line in found.failures))


def _rest(found: Certificate) -> Iterator[Html]:
    yield _details(
        "Scenarios",
        _table(
            ("As of", "Requirement", "Family", "Tables", "Outcome"),
            (
                (run.as_of, run.requirement.value, run.family, ", ".join(run.tables), run.outcome)
                for run in found.scenarios
            ),
        ),
    )
    yield _details(
        "Tables",
        _table(
            ("Table", "Read", "Required", "Reacted to"),
            ((t.name, _yes(t.read), _yes(t.required), _yes(t.live)) for t in found.tables),
        ),
    )
    for name, text in (("SQL", found.subject.sql_code), ("Python", found.subject.python_code)):
        if text:
            yield _details(f"Program: {name}", _el("pre", _numbered(text)))
    hashes = found.hashes.model_dump()
    tables = hashes.pop("tables")
    pairs = [*hashes.items(), *tables.items(), ("certificate", found.digest)]
    told = [part for name, value in pairs for part in (_el("dt", name), _el("dd", value or "none"))]
    yield _details("Hashes (SHA-256)", _el("dl", *told))
    yield _details("Assumptions", _el("ul", *(_el("li", line) for line in found.assumptions)))


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _numbered(text: str) -> str:
    return "\n".join(f"{number:>4}  {line}" for number, line in enumerate(text.split("\n"), 1))

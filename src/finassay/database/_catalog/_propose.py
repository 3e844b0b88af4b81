"""Draft a catalog from the names, types and data of a database."""

# ruff: noqa: S608 - names are quoted by the dialect; the policy judges every statement
from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finassay.core import InputError
from finassay.database._catalog._profile import SAMPLE_ROWS, TableProfile, profile
from finassay.database._catalog._roles import IntervalGuess, RoleGuess, guess_roles
from finassay.database._types import QueryPolicy
from finassay.temporal import DATE_ROLES, Catalog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from finassay.database._engine import Database
    from finassay.database._types import TableInfo


# With fewer rows two dates follow each other, and a column tells rows apart, by chance.
_FEW = 20
# So many names of tables are listed in a message.
_LISTED = 20


@dataclass(frozen=True)
class RoleScore:
    """How a draft compares with a catalog written by hand, for one table.

    Attributes
    ----------
    table : str
        The table.
    columns, right : int
        Columns that both list, and those with the same role.
    dates, dates_right : int
        The same among columns that the hand-written catalog gives a date role.
    wrong_and_sure : tuple of str
        Columns with another role that the draft did not mark as undecided, as ``column: drafted, written``.
    undecided : int
        Columns marked ``decide``.
    """

    table: str
    columns: int
    right: int
    dates: int
    dates_right: int
    wrong_and_sure: tuple[str, ...]
    undecided: int


def propose_catalog(
    database: Database, *, name: str = "draft", tables: Iterable[str] | None = None
) -> Catalog:
    """Draft a catalog of a database.

    Roles are decided by data first: which columns tell rows apart, which dates follow which, whose days end periods,
    which pairs of dates follow each other per owner, which flags repeat an end. Names are one vote among them. What
    stays open is marked ``decide`` with the reason, for columns, and listed in ``open_questions``, for tables.

    Parameters
    ----------
    database : Database
        The data. At most 200,000 rows of a table are read.
    name : str
        The catalog's id.
    tables : iterable of str, optional
        Draft only these tables, whatever their case.

    Returns
    -------
    Catalog
        It follows the format, but must be read by a person: descriptions are the database's comments, or empty.

    Raises
    ------
    InputError
        If a table that is asked for is not there, or if there is none at all.
    """
    there = {info.name.lower(): info for info in database.tables() if info.columns}
    if not there:
        raise InputError(
            "There is no table to draft a catalog of.", hint="Give the URL of a database with data."
        )
    wanted = list(there) if tables is None else [_known(table, there) for table in tables]
    drafted = {info.name: _table(database, info) for key, info in there.items() if key in wanted}
    return Catalog.model_validate({"catalog": name, "version": "0.1.0", "tables": drafted})


def _known(table: str, there: Mapping[str, TableInfo]) -> str:
    """Return the key of a table that is asked for; refuse a name that is not there, and name the nearest first."""
    if table.lower() in there:
        return table.lower()
    near = difflib.get_close_matches(table.lower(), there, n=3)
    shown = [there[key].name for key in (*near, *(key for key in there if key not in near))]
    rest = f", … ({len(shown)} in all)" if len(shown) > _LISTED else ""
    raise InputError(
        f"There is no table {table}; there are {', '.join(shown[:_LISTED])}{rest}.",
        hint="`finassay db info URL` lists all.",
    )


def compare_roles(draft: Catalog, written: Catalog) -> tuple[RoleScore, ...]:
    """Count for each common table how many roles of a draft are those of a catalog written by hand."""
    scores: list[RoleScore] = []
    for name, table in written.tables.items():
        found = draft.find(name)
        if found is None:
            continue
        drafted = {column.lower(): spec for column, spec in draft.tables[found].columns.items()}
        pairs = [
            (column, spec, drafted[column.lower()])
            for column, spec in table.columns.items()
            if column.lower() in drafted
        ]
        dated = [pair for pair in pairs if pair[1].role in DATE_ROLES]
        wrong = [f"{column}: {got.role}, {spec.role}" for column, spec, got in pairs
                 if got.role != spec.role and not got.decide]  # fmt: skip
        scores.append(RoleScore(
            name, len(pairs), sum(spec.role == got.role for _, spec, got in pairs),
            len(dated), sum(spec.role == got.role for _, spec, got in dated),
            tuple(wrong), sum(got.decide for _, _, got in pairs),
        ))  # fmt: skip
    return tuple(scores)


def _table(database: Database, info: TableInfo) -> dict[str, Any]:
    from sqlglot import exp

    source = exp.to_identifier(info.name, quoted=True).sql(dialect=database.dialect)
    policy = QueryPolicy(timeout_s=600)
    sample = database.query(f"SELECT * FROM {source} LIMIT {SAMPLE_ROWS}", policy=policy).table
    facts = profile(info.name, sample)
    guesses, interval = guess_roles(facts)
    comments = {column.name: column.comment for column in info.columns}
    draft: dict[str, Any] = {
        "columns": {
            name: _column(facts, name, guess, comments.get(name, "")) for name, guess in guesses.items()
        }
    }
    return _structured(facts, info, guesses, interval, draft)


def _column(facts: TableProfile, name: str, guess: RoleGuess, comment: str) -> dict[str, Any]:
    column = facts.columns[name]
    draft: dict[str, Any] = {"role": guess.role}
    if column.format != "native":
        draft["format"] = column.format
    elif guess.role in DATE_ROLES and column.kind != "date":
        draft["format"] = "other"
    if facts.rows and column.nulls == 0 and guess.role in ("key", *DATE_ROLES):
        draft["max_null"] = 0
    if comment:
        draft["zh" if any("\u4e00" <= c <= "\u9fff" for c in comment) else "en"] = comment
    if guess.rival:
        draft |= {"decide": True, "reason": f"{guess.role} or {guess.rival}? {guess.because}"}
    elif facts.rows < _FEW and guess.role in ("key", *DATE_ROLES):
        draft |= {"decide": True, "reason": f"{guess.role}? Only {facts.rows} row(s) speak for it"}
    return draft


def _structured(
    facts: TableProfile,
    info: TableInfo,
    guesses: dict[str, RoleGuess],
    interval: IntervalGuess | None,
    draft: dict[str, Any],
) -> dict[str, Any]:
    questions: list[dict[str, str]] = []
    roles = _Roles(facts, guesses)
    use = (
        interval
        if interval
        and roles.is_(interval.start, "effective_from")
        and roles.is_(interval.end, "effective_to")
        else None
    )
    kind = _kind(roles, use)
    draft = {"kind": kind, **draft}
    row_id = info.primary_key or facts.key
    if row_id and not facts.repeated:
        draft["row_id"] = list(row_id)
    elif row_id:
        reason = f"{facts.repeated} rows repeat the {', '.join(row_id)} of another row"
        questions.append({"field": "key", "reason": reason})
    else:
        questions.append({"field": "row_id", "reason": "no set of columns tells every two rows apart"})
    available, asked = _availability(roles, use)
    questions += asked
    if available:
        draft["availability"] = available
    _keys(draft, roles, row_id, available)
    if use:
        draft["valid"] = _valid(facts, use)
        if use.inclusive is None:
            question = f"is {use.end} the last day on which it holds ('inclusive'), or the first day after?"
            questions.append({"field": "valid.inclusive", "reason": question})
        question = "when did the end become public? If before its date, leave it; else state 'end_known'"
        questions.append({"field": "valid.end_known", "reason": question})
    if facts.rows == 0:
        questions.append({"field": "kind", "reason": "the table is empty: only names and types were used"})
    elif facts.rows < _FEW:
        questions.append({"field": "kind", "reason": f"{kind}? It has {facts.rows} row(s)"})
    if questions:
        draft["open_questions"] = questions
    return draft


@dataclass(frozen=True)
class _Roles:
    facts: TableProfile
    guesses: dict[str, RoleGuess]

    def is_(self, name: str, role: str) -> bool:
        return self.guesses[name].role == role

    def by(self, *roles: str) -> list[str]:
        return [name for name, guess in self.guesses.items() if guess.role in roles]

    def comparable(self, *roles: str) -> list[str]:
        return [name for name in self.by(*roles) if self.facts.columns[name].kind == "date"]


def _kind(roles: _Roles, interval: IntervalGuess | None) -> str:
    if interval:
        return "state"
    values = len(roles.by("payload"))
    if roles.by("period_end"):
        return "report" if values > 2 else "series"
    if roles.by("market_date"):
        return "series"
    if roles.by("effective_from", "disclosure"):
        return "event"
    return "entity"


def _availability(
    roles: _Roles, interval: IntervalGuess | None
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    facts = roles.facts
    recorded = roles.comparable("recorded")
    proxy = {"proxy": recorded[0]} if recorded else {}
    disclosed = sorted(
        roles.comparable("disclosure"), key=lambda n: (facts.columns[n].nulls, _mean_day(facts, n))
    )
    if disclosed:
        asked = []
        if len(disclosed) > 1:
            reason = f"{', '.join(disclosed)} may each be the disclosure of the row; the earliest was taken"
            asked.append({"field": "availability", "reason": reason})
        return {"column": disclosed[0], **proxy}, asked
    if market := roles.comparable("market_date"):
        reason = f"no disclosure: is a row known on {market[0]}, or some days later ('lag_days')?"
        return {"column": market[0], **proxy}, [{"field": "availability", "reason": reason}]
    if interval:
        reason = f"no disclosure: was {interval.start} announced ahead ('ahead'), or known on the day?"
        return {"column": interval.start, **proxy}, [{"field": "availability", "reason": reason}]
    if proxy:
        return proxy, [{"field": "availability", "reason": f"only {recorded[0]} says when a row was seen"}]
    reason = "no column says when a row became known: 'always: true' for a list of codes, else leave it out"
    return {}, [{"field": "availability", "reason": reason}]


def _mean_day(facts: TableProfile, name: str) -> float:
    there = facts.columns[name].there
    return float(there.astype("int64").mean()) if len(there) else 0.0


def _keys(draft: dict[str, Any], roles: _Roles, row_id: tuple[str, ...], available: dict[str, Any]) -> None:
    """State the key, and versions where the availability is what tells rows of one key apart."""
    column = available.get("column")
    rest = [name for name in row_id if name != column and not roles.is_(name, "updated")]
    if column in row_id and rest and draft["kind"] in ("report", "series"):
        draft["key"] = rest
        draft["versions"] = {"per": rest, "order": [column]}
    elif rest:
        draft["key"] = [name for name in row_id if not roles.is_(name, "updated")]


def _valid(facts: TableProfile, interval: IntervalGuess) -> dict[str, Any]:
    valid: dict[str, Any] = {"from": interval.start, "to": interval.end}
    if interval.inclusive:
        valid["inclusive"] = True
    end = facts.columns[interval.end]
    if interval.open_at_last and len(end.there):
        last = str(end.there.max())
        valid["open"] = [int(last.replace("-", "")) if end.format == "integer_date" else last]
    return valid


def questions_of(catalog: Catalog) -> Iterator[str]:
    """Yield what a draft leaves open, one line each."""
    for name, table in catalog.tables.items():
        for question in table.open_questions:
            yield f"{name}.{question.field}: {question.reason}"
        for column, spec in table.columns.items():
            if spec.decide:
                yield f"{name}.{column}: {spec.reason}"

"""What a statement may do: one statement, read only, allowed schemas, no files. Judged before any engine sees it.

The connections are read-only too: this module says why a statement is refused, and closes what a read-only connection
leaves open (files, other schemas, statements run out of a text).
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NoReturn

from finassay.database._forbidden import (
    DUCKDB_TABLE_FUNCTIONS,
    FILE_FUNCTION,
    FILE_NAME,
    HOST_FUNCTION,
    LOCK_FUNCTION,
    OTHER_STATEMENTS,
    READS,
    SHOWN,
    TEXT_FUNCTION,
    WRITING_FUNCTION,
)
from finassay.database._lexical import refuse_ambiguous_tokens, refuse_hidden_text
from finassay.database._metadata import PG_FUNCTIONS, RELATIONS, SETTINGS, metadata_name
from finassay.database._places import place_at, place_of_line, syntax_error
from finassay.database._references import table_references, without_colours
from finassay.database._types import Dialect, QueryError, QueryPolicy, QueryRefused

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

    from finassay.core import Place

_SCOPES = {"global", "session", "local"}


def check(
    sql: str,
    dialect: Dialect,
    policy: QueryPolicy,
    default_schema: str,
    *,
    engine: Dialect | None = None,
    macros: Collection[str] = (),
) -> exp.Expr:
    """Parse a statement and refuse it unless it only reads what the policy allows.

    Parameters
    ----------
    sql : str
        The statement, in ``dialect``. One trailing semicolon is allowed.
    dialect : {"duckdb", "mysql", "postgres"}
        The language it is written in.
    policy : QueryPolicy
        Which schemas may be read. The relations of ``information_schema`` and ``pg_catalog`` that describe tables may
        always be; the engines show what lies in these schemas only.
    default_schema : str
        Where names without a schema are looked up.
    engine : Dialect, optional
        The engine that will run it; session variables (``SET @x := …``) need MySQL itself. By default ``dialect``.
    macros : collection of str
        Table macros of the database, in lower case, that may be called.

    Returns
    -------
    sqlglot.exp.Expr
        The parsed statement.

    Raises
    ------
    QueryRefused
        With one of the reasons of ``docs/reference/reasons.md`` and, where known, the place.
    QueryError
        With reason ``syntax_error`` if the text is not a statement of the dialect.
    """
    refuse_hidden_text(sql, dialect)
    tokens = _tokens(sql, dialect)
    refuse_ambiguous_tokens(sql, tokens, dialect)
    word = _first_word(tokens)
    if word == "EXPLAIN":
        explained = _explained(sql, tokens[0].end + 1, dialect)
        return check(explained, dialect, policy, default_schema, engine=engine, macros=macros)
    statement = _one_statement(sql, tokens)
    _refuse_other_statements(sql, statement, word, dialect)
    _refuse_tokens(sql, statement, dialect, engine or dialect)
    if word == "SHOW":
        return _check_show(sql, statement, dialect, policy, default_schema)
    tree = _parse(sql, tokens, dialect)
    allowed = {*(policy.schemas if policy.schemas is not None else (default_schema,))}
    _refuse_nodes(sql, tree, dialect, engine or dialect, macros)
    _refuse_schemas(sql, tree, engine or dialect, allowed, default_schema)
    return tree


def _tokens(sql: str, dialect: Dialect) -> list[Token]:
    from sqlglot.dialects.dialect import Dialect as SqlglotDialect
    from sqlglot.errors import TokenError

    try:
        return list(SqlglotDialect.get_or_raise(dialect).tokenize(sql))
    except TokenError as error:
        raise _token_error(sql, error) from None


def _token_error(sql: str, error: Exception) -> QueryError:
    match = re.search(r"Missing (.+?) from (\d+):(\d+)", f"{error} {error.__cause__ or ''}")
    if not match:
        return syntax_error("a string, quoted name or comment is not closed.", place_at(sql, len(sql)))
    quote, line, column = match.group(1), int(match.group(2)), int(match.group(3))
    return syntax_error(f"what {quote} opens is never closed.", place_of_line(sql, line, column + 1))


def _one_statement(sql: str, tokens: Sequence[Token]) -> list[Token]:
    from sqlglot.tokenizer_core import TokenType

    statements: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            statements.append([])
        else:
            statements[-1].append(token)
    found = [statement for statement in statements if statement]
    if not found:
        raise QueryError("The statement is empty.", reason="syntax_error", hint="Send one SELECT.")
    if len(found) > 1:
        raise QueryRefused(
            f"{len(found)} statements were sent where one is allowed.",
            place=place_at(sql, found[1][0].start),
            reason="several_statements",
            hint="Send each statement on its own; common table expressions (WITH) can replace temporary tables.",
        )
    return found[0]


def _first_word(statement: Sequence[Token]) -> str:
    from sqlglot.tokenizer_core import TokenType

    for token in statement:
        if token.token_type != TokenType.L_PAREN:
            return (
                ""
                if token.token_type in {TokenType.STRING, TokenType.IDENTIFIER}
                else token.text.upper().split()[0]
            )
    return ""


def _refuse_other_statements(sql: str, statement: Sequence[Token], word: str, dialect: Dialect) -> None:
    if word in READS[dialect]:
        return
    place = place_at(sql, statement[0].start)
    if word in OTHER_STATEMENTS or word in set().union(*READS.values()):
        message = f"{word} is not a statement that only reads, and no other may run here."
        raise QueryRefused(message, place=place, reason="not_read_only", hint="Send a SELECT.")
    close = difflib.get_close_matches(word, sorted(READS[dialect]), n=1)
    hint = (
        f"Did you mean {close[0]}?"
        if close
        else f"A statement begins with {', '.join(sorted(READS[dialect]))}."
    )
    raise syntax_error(f"no statement begins with {statement[0].text!r}.", place, hint)


def _refuse_tokens(sql: str, statement: Sequence[Token], dialect: Dialect, engine: Dialect) -> None:
    """Refuse INTO, functions and settings by name, on tokens: whatever tree the parser makes of them."""
    from sqlglot.tokenizer_core import TokenType

    for at, token in enumerate(statement):
        following = statement[at + 1] if at + 1 < len(statement) else None
        names = following is not None and following.text.upper() == "NAME" and dialect == engine == "duckdb"
        # UNPIVOT … ON … INTO NAME n VALUE v: columns of the result. SELECT … INTO DuckDB itself does not know.
        if token.token_type == TokenType.INTO and not (
            names and any(before.token_type == TokenType.UNPIVOT for before in statement[:at])
        ):
            _refuse_into(sql, token, following)
        assigned = at == 1 and statement[0].text.upper() == "SET"  # refused as an assignment
        if token.token_type == TokenType.SESSION_PARAMETER and not assigned:
            _refuse_setting(sql, token, _variable(statement[at + 1 : at + 5]), dialect)
        opens = following is not None and following.token_type == TokenType.L_PAREN
        if opens and token.token_type != TokenType.STRING:
            _refuse_function(sql, token, engine)
        if opens and token.text.lower() == "current_setting":
            known = at + 2 < len(statement) and statement[at + 2].token_type == TokenType.STRING
            _refuse_setting(sql, token, statement[at + 2].text if known else "", engine)


def _variable(tokens: Sequence[Token]) -> str:
    """Return the name of a system variable from the tokens after @@: its last part, as in @@session.sql_mode."""
    scoped = len(tokens) > 2 and tokens[1].text == "." and tokens[0].text.lower() in _SCOPES
    parts = tokens[2:] if scoped else tokens
    compound = len(parts) > 1 and parts[1].text == "."
    return "" if compound or not parts else parts[0].text


def _refuse_setting(sql: str, token: Token, name: str, engine: Dialect) -> None:
    if name.lower() in SETTINGS[engine]:
        return
    shown = f"The setting {name}" if name else "A setting without a plain name"
    raise QueryRefused(
        f"{shown} may not be read: settings can tell of the host and of other users.",
        place=place_at(sql, token.start),
        reason="not_allowed",
        hint=f"Allowed: {', '.join(sorted(SETTINGS[engine]))}.",
    )


def _refuse_into(sql: str, token: Token, following: Token | None) -> NoReturn:
    place = place_at(sql, token.start)
    word = following.text.upper() if following else ""
    if word in {"OUTFILE", "DUMPFILE"}:
        raise QueryRefused(
            f"INTO {word} writes a file.", place=place, reason="file_access", hint="Remove it."
        )
    hint = "Remove it: the result comes back by itself."
    raise QueryRefused(
        "INTO stores the result instead of returning it.", place=place, reason="not_read_only", hint=hint
    )


def _refuse_function(sql: str, token: Token, engine: Dialect) -> None:
    name, place = token.text.lower(), place_at(sql, token.start)
    if FILE_FUNCTION.match(name):
        message = f"The function {name} reaches files or other servers."
        raise QueryRefused(
            message, place=place, reason="file_access", hint="Read the tables of the database."
        )
    if TEXT_FUNCTION.match(name):
        message = f"The function {name} runs a statement out of a text, which cannot be checked."
        raise QueryRefused(message, place=place, reason="dynamic_sql", hint="Write the statement itself.")
    if WRITING_FUNCTION.match(name):
        raise QueryRefused(f"The function {name} changes the server.", place=place, reason="not_read_only")
    if LOCK_FUNCTION.match(name):
        message = f"The function {name} works on locks that others wait for."
        raise QueryRefused(message, place=place, reason="not_read_only", hint="Nothing is written here.")
    unknown = engine == "postgres" and name.startswith("pg_") and name not in PG_FUNCTIONS
    if unknown or HOST_FUNCTION.match(name):
        message = (
            f"The function {name} may not be used: it can tell of the host, other users or other schemas."
        )
        hint = f"Allowed: {', '.join(sorted(PG_FUNCTIONS))}." if unknown else None
        raise QueryRefused(message, place=place, reason="not_allowed", hint=hint)


def _parse(sql: str, tokens: list[Token], dialect: Dialect) -> exp.Expr:
    from sqlglot.dialects.dialect import Dialect as SqlglotDialect
    from sqlglot.errors import ParseError, SqlglotError, TokenError

    try:
        text = _without_directions(sql, tokens) if dialect == "mysql" else sql
        read = tokens if text == sql else _tokens(text, dialect)
        trees = [
            tree
            for tree in SqlglotDialect.get_or_raise(dialect).parser().parse(read, text)
            if tree is not None
        ]
    except ParseError as error:
        raise _parse_error(sql, error) from None
    except TokenError as error:
        raise _token_error(sql, error) from None
    except (SqlglotError, RecursionError, ValueError) as error:
        raise syntax_error(f"the statement cannot be read ({type(error).__name__}).", None) from None
    return trees[0]


def _without_directions(sql: str, tokens: Sequence[Token]) -> str:
    """Blank ASC and DESC: they say nothing about what is read, and sqlglot does not know them in GROUP BY."""
    from sqlglot.tokenizer_core import TokenType

    for token in tokens[1:]:
        if token.token_type in {TokenType.ASC, TokenType.DESC}:
            sql = sql[: token.start] + " " * len(token.text) + sql[token.end + 1 :]
    return sql


def _parse_error(sql: str, error: Exception) -> QueryError:
    details = getattr(error, "errors", None) or [{}]
    first = details[0]
    message = str(first.get("description") or error).rstrip(".")
    message = without_colours(message)
    message = re.sub(r"<class '[\w.]*?(\w+)'>", r"\1", message)
    message = re.sub(r"<Token token_type: .*?, text: (.*), line: \d+,.*>", r"\1", message, flags=re.DOTALL)
    message = re.sub(r"^Required keyword: .*", "An operand is missing", message)
    message = message.replace("Invalid expression / Unexpected token", "Nothing like this can stand here:")
    if not first.get("line"):
        return syntax_error(f"{message}.", None)
    highlight = str(first.get("highlight") or "")
    column = max(1, int(first["col"]) - len(highlight) + 1)
    near = f" near {highlight!r}" if highlight else ""
    return syntax_error(f"{message}{near}.", place_of_line(sql, int(first["line"]), column))


def _refuse_nodes(
    sql: str, tree: exp.Expr, dialect: Dialect, engine: Dialect, macros: Collection[str]
) -> None:
    from sqlglot import exp

    if isinstance(tree, exp.Set):
        _check_set(sql, tree, engine)
    elif not isinstance(tree, exp.Query | exp.Values | exp.Describe | exp.Summarize | exp.Pivot | exp.Show):
        _refuse_write(sql, tree)
    for node in tree.walk():
        if isinstance(node, exp.DML | exp.DDL) and not isinstance(node, exp.Query):
            _refuse_write(sql, node)
        if isinstance(node, exp.Command | exp.Into | exp.Copy | exp.TruncateTable | exp.Drop | exp.Alter):
            _refuse_write(sql, node)
        if node.args.get("locks"):
            message = "The statement locks the rows it reads (FOR UPDATE or FOR SHARE)."
            raise QueryRefused(
                message, reason="row_lock", hint="Remove the locking clause: nothing is written here."
            )
        if dialect == "duckdb" and isinstance(node, exp.Table):
            _refuse_files(sql, node, macros)
        if engine == "postgres" and isinstance(node, exp.Cast):
            _refuse_object_names(sql, node)


def _refuse_object_names(sql: str, cast: exp.Cast) -> None:
    """Refuse ``number::regclass``, which names objects of any schema."""
    from sqlglot import exp

    kind = cast.to.sql(dialect="postgres").lower()
    if kind.startswith("reg") and not (isinstance(cast.this, exp.Literal) and cast.this.is_string):
        message = f"A cast to {kind} gives the names of objects of any schema."
        hint = "Join pg_class and pg_namespace by oid; a cast of a literal name is allowed."
        raise QueryRefused(message, place=_place_of(sql, cast), reason="not_allowed", hint=hint)


def _refuse_write(sql: str, node: exp.Expr) -> NoReturn:
    name = type(node).__name__.upper()
    message = f"The statement contains {name}, which does not only read."
    raise QueryRefused(message, place=_place_of(sql, node), reason="not_read_only", hint="Send a SELECT.")


def _check_set(sql: str, tree: exp.Set, engine: Dialect) -> None:
    from sqlglot import exp

    for item in tree.expressions:
        target = item.this.this if isinstance(item, exp.SetItem) and item.this is not None else None
        if not (isinstance(target, exp.Parameter) and not item.args.get("kind")):
            message = "SET may only assign user variables (SET @name := …)."
            raise QueryRefused(message, place=place_at(sql, 0), reason="not_read_only")
    if engine != "mysql":
        message = f"Session variables (SET @name := …) need a MySQL server; this is {engine}."
        hint = "Send it together with the query that reads it: SET @name := …; SELECT …"
        raise QueryRefused(message, place=place_at(sql, 0), reason="session_variable", hint=hint)


def _refuse_files(sql: str, table: exp.Table, macros: Collection[str]) -> None:
    from sqlglot import exp

    if isinstance(table.this, exp.Identifier):
        if FILE_NAME.search(table.name):
            message = f"{table.name!r} would be read as a file."
            hint = "Read the tables of the database."
            raise QueryRefused(message, place=_place_of(sql, table), reason="file_access", hint=hint)
        return
    names = table.this.sql_names() if isinstance(table.this, exp.Func) else [table.this.name]
    if isinstance(table.this, exp.Anonymous):
        names = [table.this.name]
        if names[0].lower() in macros and not table.db:
            return
    if isinstance(table.this, exp.Func) and not {name.lower() for name in names} & DUCKDB_TABLE_FUNCTIONS:
        message = f"The table function {names[0].lower()} may not be used."
        hint = (
            f"Allowed: {', '.join(sorted(n for n in DUCKDB_TABLE_FUNCTIONS if '_' not in n))} and the like."
        )
        raise QueryRefused(message, place=_place_of(sql, table), reason="file_access", hint=hint)


def _refuse_schemas(
    sql: str,
    tree: exp.Expr,
    engine: Dialect,
    allowed: set[str],
    default_schema: str,
) -> None:
    for table in table_references(tree):
        if table.catalog:
            _refuse_schema(sql, table, f"{table.catalog}.{table.db}", allowed)
        name = metadata_name(table, engine, default_schema)
        if name is None:
            _refuse_unless_allowed(sql, table, table.db or default_schema, engine, allowed)
        elif name not in RELATIONS[engine]:
            known = sorted(each.rpartition(".")[2] for each in RELATIONS[engine])
            raise QueryRefused(
                f"{'.'.join(part.name for part in table.parts)} may not be read: it can tell of the host, other users "
                "or other schemas.",
                place=_place_of(sql, table),
                reason="schema_not_allowed",
                hint=f"Of the server's own relations these may be read: {', '.join(known)}.",
            )


def _refuse_unless_allowed(sql: str, node: exp.Expr, schema: str, engine: Dialect, allowed: set[str]) -> None:
    exact = engine == "mysql"
    known = allowed if exact else {name.lower() for name in allowed}
    if (schema if exact else schema.lower()) not in known:
        _refuse_schema(sql, node, schema, allowed)


def _refuse_schema(sql: str, node: exp.Expr | None, schema: str, allowed: set[str]) -> NoReturn:
    message = f"The schema {schema} may not be read."
    hint = f"Allowed: {', '.join(sorted(allowed)) or 'none'}, and information_schema."
    place = _place_of(sql, node) if node is not None else None
    raise QueryRefused(message, place=place, reason="schema_not_allowed", hint=hint)


def _explained(sql: str, start: int, dialect: Dialect) -> str:
    """Return what EXPLAIN explains, at its place: EXPLAIN ANALYZE runs it."""
    options = re.compile(
        r"(?i)\s*(?:\((?!\s*(?:SELECT|WITH|VALUES|TABLE|\())[^()]*\)|(?:ANALYZE|VERBOSE|EXTENDED|PARTITIONS)\b|FORMAT\s*=\s*\w+)"
    )
    while match := options.match(sql, start):
        start = match.end()
    rest = sql[start:].strip().rstrip(";")
    if dialect == "mysql" and re.fullmatch(r"[\w$.`]+", rest):
        return f"DESCRIBE {rest}"
    return re.sub(r"[^\n]", " ", sql[:start]) + sql[start:]


def _check_show(
    sql: str, statement: Sequence[Token], dialect: Dialect, policy: QueryPolicy, default_schema: str
) -> exp.Expr:
    from sqlglot import exp

    allowed = {*(policy.schemas if policy.schemas is not None else (default_schema,))}
    words = " ".join(token.text for token in statement)
    if dialect == "postgres":
        name = "_".join(" ".join(token.text for token in statement[1:]).split()).strip('"')
        name = {"time_zone": "timezone"}.get(name.lower(), name)
        _refuse_setting(sql, statement[0], name, dialect)
        return exp.Show(this=words)
    shown = SHOWN[dialect].match(words)
    if not shown or any(token.text.upper() == "SELECT" for token in statement):
        message = f"SHOW {statement[1].text.upper() if len(statement) > 1 else ''} may not be used."
        raise QueryRefused(
            message, place=place_at(sql, 0), reason="not_read_only", hint="Query information_schema."
        )
    for schema in _shown_schemas(statement, shown.group(1).upper()):
        _refuse_unless_allowed(sql, exp.Placeholder(), schema, dialect, allowed)
    return exp.Show(this=words)


def _shown_schemas(statement: Sequence[Token], kind: str) -> list[str]:
    texts = [token.text for token in statement]
    dotted = [texts[i - 1] for i, text in enumerate(texts) if text == "." and i]
    sources = [texts[i + 1] for i, text in enumerate(texts[:-1]) if text.upper() in {"FROM", "IN"}]
    of_table = kind in {"COLUMNS", "FIELDS", "INDEX", "INDEXES", "KEYS"}
    return dotted + (sources[1:] if of_table else sources)


def _place_of(sql: str, node: exp.Expr) -> Place | None:
    from sqlglot import exp

    for part in [*node.parts, node] if isinstance(node, exp.Table) else node.walk():
        start = part.meta.get("start")
        if start is not None:
            return place_at(sql, int(start))
    return None

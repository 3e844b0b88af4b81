"""What may be known about the server: relations of its catalogs, limited to allowed schemas, settings and functions.

Allow-lists, since a privileged role could otherwise read password verifiers, statements of other users, statistics of
forbidden tables, and where things lie on the host.
"""

# ruff: noqa: SIM905, S608 - long lists are read as text; conditions are our own
from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from finassay.database._types import Dialect

_SCHEMAS = "(SELECT oid FROM pg_catalog.pg_namespace WHERE nspname IN ({schemas}))"
_CLASSES = f"(SELECT oid FROM pg_catalog.pg_class WHERE relnamespace IN {_SCHEMAS})"
_TYPES = f"(SELECT oid FROM pg_catalog.pg_type WHERE typnamespace IN {_SCHEMAS})"
_BY_TABLE = "table_schema IN ({schemas})"
_BY_CONSTRAINT = "constraint_schema IN ({schemas})"
_HERE = " AND table_catalog = current_database()"
_ALL = "true"
# Relations that may be read, each with the condition on its rows.
RELATIONS: dict[Dialect, dict[str, str]] = {
    "duckdb": {
        "information_schema.columns": _BY_TABLE + _HERE,
        "information_schema.key_column_usage": _BY_TABLE,
        "information_schema.referential_constraints": _BY_CONSTRAINT,
        "information_schema.schemata": "schema_name IN ({schemas}) AND catalog_name = current_database()",
        "information_schema.table_constraints": _BY_TABLE,
        "information_schema.tables": _BY_TABLE + _HERE,
    },
    "mysql": {
        "information_schema.character_sets": _ALL,
        "information_schema.collations": _ALL,
        "information_schema.columns": _BY_TABLE,
        "information_schema.key_column_usage": _BY_TABLE,
        "information_schema.referential_constraints": _BY_CONSTRAINT,
        "information_schema.schemata": "schema_name IN ({schemas})",
        "information_schema.statistics": _BY_TABLE,
        "information_schema.table_constraints": _BY_TABLE,
        "information_schema.tables": _BY_TABLE,
        "information_schema.views": _BY_TABLE,
    },
    "postgres": {
        "information_schema.columns": _BY_TABLE,
        "information_schema.constraint_column_usage": _BY_TABLE,
        "information_schema.key_column_usage": _BY_TABLE,
        "information_schema.referential_constraints": _BY_CONSTRAINT,
        "information_schema.schemata": "schema_name IN ({schemas})",
        "information_schema.table_constraints": _BY_TABLE,
        "information_schema.tables": _BY_TABLE,
        "information_schema.views": _BY_TABLE,
        "pg_catalog.pg_am": _ALL,
        "pg_catalog.pg_attrdef": f"adrelid IN {_CLASSES}",
        "pg_catalog.pg_attribute": f"attrelid IN {_CLASSES}",
        "pg_catalog.pg_class": f"relnamespace IN {_SCHEMAS}",
        "pg_catalog.pg_collation": f"collnamespace IN {_SCHEMAS}",
        "pg_catalog.pg_constraint": f"connamespace IN {_SCHEMAS}",
        "pg_catalog.pg_description": "classoid = 'pg_catalog.pg_class'::pg_catalog.regclass"
        f" AND objoid IN {_CLASSES}",
        "pg_catalog.pg_enum": f"enumtypid IN {_TYPES}",
        "pg_catalog.pg_index": f"indrelid IN {_CLASSES}",
        "pg_catalog.pg_indexes": "schemaname IN ({schemas})",
        "pg_catalog.pg_inherits": f"inhrelid IN {_CLASSES}",
        "pg_catalog.pg_matviews": "schemaname IN ({schemas})",
        "pg_catalog.pg_namespace": "nspname IN ({schemas})",
        "pg_catalog.pg_opclass": f"opcnamespace IN {_SCHEMAS}",
        "pg_catalog.pg_sequence": f"seqrelid IN {_CLASSES}",
        "pg_catalog.pg_tables": "schemaname IN ({schemas})",
        "pg_catalog.pg_type": f"typnamespace IN {_SCHEMAS}",
        "pg_catalog.pg_views": "schemaname IN ({schemas})",
    },
}
METADATA_SCHEMAS: dict[Dialect, frozenset[str]] = {
    "duckdb": frozenset({"information_schema", "pg_catalog", "system"}),
    "mysql": frozenset({"information_schema"}),
    "postgres": frozenset({"information_schema", "pg_catalog"}),
}
# Names that belong to a catalog wherever they are written without a schema.
_OWN: dict[Dialect, re.Pattern[str]] = {
    "duckdb": re.compile(r"pg_\w+|duckdb_\w+|pragma_\w+|sqlite_(?:temp_)?(?:master|schema)"),
    "mysql": re.compile(r"(?!)"),
    "postgres": re.compile(r"pg_\w+"),
}
# Settings (system variables, for MySQL) that say how results are to be read, and nothing of the host or of others.
SETTINGS: dict[Dialect, frozenset[str]] = {
    "duckdb": frozenset(
        "calendar default_null_order default_order integer_division schema search_path timezone".split()
    ),
    "mysql": frozenset(
        """auto_increment_increment autocommit character_set_client character_set_connection character_set_database
        character_set_results character_set_server collation_connection collation_database collation_server
        default_storage_engine default_week_format div_precision_increment error_count explicit_defaults_for_timestamp
        foreign_key_checks group_concat_max_len interactive_timeout last_insert_id lc_time_names license
        lower_case_table_names max_allowed_packet max_execution_time max_statement_time net_buffer_length
        net_write_timeout performance_schema protocol_version sql_auto_is_null sql_mode sql_safe_updates
        sql_select_limit system_time_zone time_zone timestamp transaction_isolation transaction_read_only tx_isolation
        tx_read_only unique_checks version version_comment wait_timeout warning_count""".split()
    ),
    "postgres": frozenset(
        """application_name array_nulls backslash_quote bytea_output client_encoding client_min_messages datestyle
        default_table_access_method default_text_search_config default_transaction_isolation
        default_transaction_read_only escape_string_warning extra_float_digits integer_datetimes intervalstyle
        is_superuser lc_collate lc_ctype lc_messages lc_monetary lc_numeric lc_time max_identifier_length search_path
        server_encoding server_version server_version_num standard_conforming_strings statement_timeout timezone
        transaction_isolation transaction_isolation_level transaction_read_only""".split()
    ),
}
# Of the functions of PostgreSQL that begin with pg_, these; the others look at files, other sessions, other schemas.
PG_FUNCTIONS = frozenset(
    """pg_backend_pid pg_char_to_encoding pg_client_encoding pg_collation_is_visible pg_column_size pg_encoding_to_char
    pg_get_expr pg_get_keywords pg_input_is_valid pg_size_bytes pg_size_pretty pg_sleep pg_sleep_for pg_sleep_until
    pg_table_is_visible pg_timezone_abbrevs pg_timezone_names pg_type_is_visible pg_typeof""".split()
)


def metadata_name(table: exp.Table, engine: Dialect, default_schema: str) -> str | None:
    """Return ``schema.name`` in small letters where a reference means a catalog of the engine, else None."""
    name, schema = table.name.lower(), table.db.lower()
    own = METADATA_SCHEMAS[engine]
    if _OWN[engine].fullmatch(name) and (
        not schema or (engine == "duckdb" and schema == default_schema.lower())
    ):
        return f"pg_catalog.{name}"
    return f"{schema}.{name}" if schema in own else None

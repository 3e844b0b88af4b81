"""Words and functions that the policy knows: what reads, what writes, what reaches files."""

# ruff: noqa: SIM905 - long lists are read as text
from __future__ import annotations

import re

READS = {
    "duckdb": frozenset("SELECT WITH VALUES TABLE FROM PIVOT UNPIVOT SHOW DESCRIBE DESC SUMMARIZE".split()),
    "mysql": frozenset("SELECT WITH VALUES TABLE SHOW DESCRIBE DESC SET".split()),
    "postgres": frozenset("SELECT WITH VALUES TABLE SHOW".split()),
}
OTHER_STATEMENTS = frozenset(
    """ALTER ANALYZE ATTACH BEGIN BINLOG CALL CHANGE CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE
    DECLARE DELETE DELIMITER DETACH DISCARD DO DROP EXECUTE EXPORT FETCH FLUSH FORCE GRANT HANDLER IMPORT INSERT INSTALL
    KILL LISTEN LOAD LOCK MERGE MOVE NOTIFY OPTIMIZE PRAGMA PREPARE PURGE REFRESH REINDEX RENAME REPAIR REPLACE RESET
    REVOKE ROLLBACK SAVEPOINT SECURITY SET SHUTDOWN SIGNAL START STOP TRUNCATE UNINSTALL UNLOCK UPDATE USE VACUUM
    XA""".split()
)
# Functions that read or write files, or reach other servers.
FILE_FUNCTION = re.compile(
    r"""^(?: load_file | read_\w+ | scan_\w+ | \w+_scan(?:_\w+)? | parquet_\w+ | sniff_csv | glob | getenv | st_read\w*
      | pg_read_\w+ | pg_ls_\w+ | pg_stat_file | pg_current_logfile | lo_\w+ | loread | lowrite | dblink\w* | sys_exec
      | sys_eval | shell_\w+ | iceberg_\w+ | delta_\w+ | from_substrait\w* )$""",
    re.VERBOSE,
)
# Functions that run a statement out of a text, so that nothing here can see what it reads.
TEXT_FUNCTION = re.compile(
    r"^(?: query | query_table | (?:query|table|cursor|schema|database)_to_xml\w* | ts_stat )$", re.VERBOSE
)
WRITING_FUNCTION = re.compile(
    r"""^(?: set_config | nextval | setval | pg_terminate_backend | pg_cancel_backend | pg_reload_conf | pg_rotate_\w+
      | pg_switch_wal | pg_promote | pg_create_\w+ | pg_drop_\w+ | pg_replication_\w+ | pg_logical_\w+ | pg_notify
      | pg_stat_reset\w* | pg_backup\w* | pg_start_backup | pg_stop_backup | force_checkpoint | checkpoint
      | write_log | brin_(?:summarize|desummarize)_\w+ | gin_clean_pending_list )$""",
    re.VERBOSE,
)
LOCK_FUNCTION = re.compile(
    r"^(?: (?:get|release|release_all|is_free|is_used)_locks? | pg_(?:try_)?advisory_\w+ )$", re.VERBOSE
)
HOST_FUNCTION = re.compile(
    r"""^(?: inet_(?:server|client)_(?:addr|port) | txid_current\w* | pg_current_(?:xact_id\w*|snapshot)
      | pg_postmaster_start_time | pg_conf_load_time | currtid2? )$""",
    re.VERBOSE,
)
# duckdb_tables() and the like are not here: they show the paths of files and the tables behind overlays.
DUCKDB_TABLE_FUNCTIONS = frozenset(
    """range generate_series unnest json_each json_tree generate_subscripts repeat repeat_row duckdb_functions
    duckdb_keywords duckdb_types pg_timezone_names histogram histogram_values regexp_split_to_table""".split()
)
# A table name that DuckDB would open as a file.
FILE_NAME = re.compile(
    r"[/\\*?\[]|\.(?:csv|tsv|txt|parquet|json|jsonl|ndjson|xlsx|arrow|db|duckdb|gz|zst)$|^\w+:", re.IGNORECASE
)
SHOWN = {
    "duckdb": re.compile(r"^SHOW\s+(TABLES|DATABASES)\b", re.IGNORECASE),
    "mysql": re.compile(
        r"""^SHOW\s+(?:(?:FULL|EXTENDED)\s+)*
        (TABLES|COLUMNS|FIELDS|CREATE\s+(?:TABLE|VIEW)|INDEX|INDEXES|KEYS|TABLE\s+STATUS|WARNINGS|ERRORS
         |CHARACTER\s+SET|CHARSET|COLLATION)\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
}

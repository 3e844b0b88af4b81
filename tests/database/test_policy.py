"""What a statement may do, judged by its text alone: data rows of statement, dialect and reason."""

from __future__ import annotations

import pytest

from finassay.database import QueryError, QueryPolicy, QueryRefused, check, tables_read

ALLOWED = [
    ("duckdb", "SELECT 1"),
    ("duckdb", "FROM prices"),
    ("duckdb", "(SELECT 1) UNION ALL (SELECT 2)"),
    ("duckdb", "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT * FROM t"),
    ("duckdb", "SELECT * FROM range(3)"),
    ("duckdb", "SELECT 'DROP TABLE prices; -- not a statement'"),
    ("duckdb", 'SELECT "drop" FROM t'),
    ("duckdb", "DESCRIBE prices"),
    ("duckdb", "SUMMARIZE prices"),
    ("duckdb", "PIVOT prices ON symbol USING sum(volume)"),
    ("duckdb", "UNPIVOT prices ON open, close INTO NAME what VALUE v"),
    ("duckdb", "EXPLAIN ANALYZE SELECT 1"),
    ("duckdb", "SELECT * FROM information_schema.tables"),
    ("duckdb", "SELECT $$text; with a semicolon$$"),
    ("mysql", "SELECT 5 - -1 # a comment\n"),
    ("mysql", "SELECT /*+ MAX_EXECUTION_TIME(1000) */ 1"),
    ("mysql", "SELECT '/*! not a comment */', \"it's; -- text\", 'a\\'; b'"),
    ("mysql", "SHOW TABLES"),
    ("mysql", "SHOW FULL COLUMNS FROM prices"),
    ("mysql", "SHOW CREATE TABLE prices"),
    ("mysql", "DESCRIBE prices"),
    ("mysql", "EXPLAIN FORMAT=JSON SELECT 1"),
    ("mysql", "SET @x := 1, @y = (SELECT max(volume) FROM prices)"),
    ("mysql", "SELECT @rank := @rank + 1 FROM prices, (SELECT @rank := 0) r"),
    ("mysql", "SELECT SLEEP(0.1), BENCHMARK(10, 1)"),  # bounded by the time limit
    ("mysql", "SELECT @@version, @@session.sql_mode, @@GLOBAL.time_zone"),
    ("mysql", "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES"),
    ("mysql", "DESCRIBE information_schema.tables"),
    ("postgres", "SELECT E'it\\'s' || $tag$; text$tag$"),
    ("postgres", "SHOW search_path"),
    ("postgres", "EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1"),
    ("postgres", "SELECT * FROM pg_catalog.pg_class"),
    ("postgres", "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"),
    ("postgres", "SELECT current_setting('TimeZone'), pg_typeof(1), 'prices'::regclass"),
    ("postgres", "SHOW TIME ZONE"),
    ("postgres", "TABLE prices"),
    ("postgres", "SELECT pg_sleep(1)"),
]

REFUSED = [
    ("duckdb", "COPY prices TO 'x.csv'", "not_read_only"),
    ("duckdb", "ATTACH 'x.db'", "not_read_only"),
    ("duckdb", "INSTALL httpfs", "not_read_only"),
    ("duckdb", "PRAGMA database_list", "not_read_only"),
    ("duckdb", "SET threads = 1", "not_read_only"),
    ("duckdb", "EXPORT DATABASE 'x'", "not_read_only"),
    ("duckdb", "EXPLAIN ANALYZE INSERT INTO t VALUES (1)", "not_read_only"),
    ("duckdb", "EXPLAIN EXPLAIN DROP TABLE t", "not_read_only"),
    ("duckdb", "SELECT * INTO name FROM prices", "not_read_only"),
    ("duckdb", "UNPIVOT prices ON open INTO mine", "not_read_only"),
    ("postgres", "SELECT unpivot.* INTO name FROM prices AS unpivot", "not_read_only"),
    ("duckdb", "SELECT * FROM read_csv('/etc/passwd')", "file_access"),
    ("duckdb", "SELECT * FROM \"READ_TEXT\"('/etc/passwd')", "file_access"),
    ("duckdb", "SELECT * FROM '/etc/passwd'", "file_access"),
    ("duckdb", "SELECT * FROM \"data.parquet\"", "file_access"),
    ("duckdb", "SELECT * FROM prices WHERE symbol IN (SELECT a FROM 'x.csv')", "file_access"),
    ("duckdb", "FROM glob('*')", "file_access"),
    ("duckdb", "SELECT * FROM parquet_metadata('x')", "file_access"),
    ("duckdb", "SELECT * FROM sqlite_scan('a', 'b')", "file_access"),
    ("duckdb", "SELECT * FROM duckdb_secrets()", "file_access"),
    ("duckdb", "SELECT getenv('HOME')", "file_access"),
    # Relations of DuckDB's own that name files of the host, or what lies behind overlays and in other schemas.
    *[("duckdb", f"SELECT * FROM {name}", "schema_not_allowed") for name in (
        "pragma_database_list", "main.pragma_database_list", "duckdb_databases", "duckdb_logs", "duckdb_views",
        "duckdb_tables", "sqlite_master", "pg_views", "pg_catalog.pg_settings", "information_schema.views")],
    *[("duckdb", f"SELECT * FROM {name}()", "file_access") for name in (
        "duckdb_databases", "duckdb_settings", "duckdb_temporary_files", "duckdb_logs", "duckdb_views",
        "duckdb_tables", "duckdb_columns")],
    ("duckdb", "SELECT * FROM pragma_table_info('other.prices')", "file_access"),
    ("duckdb", "SELECT current_setting('temp_directory')", "not_allowed"),
    ("duckdb", "SELECT current_setting('temp_' || 'directory')", "not_allowed"),
    ("duckdb", "SHOW ALL TABLES", "not_read_only"),
    ("duckdb", "SELECT * FROM query('DROP TABLE prices')", "dynamic_sql"),
    ("duckdb", "SELECT * FROM query_table('prices')", "dynamic_sql"),
    ("duckdb", "SELECT * FROM finassay_base.main.prices", "schema_not_allowed"),
    ("duckdb", "SELECT * FROM temp.prices", "schema_not_allowed"),
    ("mysql", "SELECT * FROM mysql.user", "schema_not_allowed"),
    *[("mysql", f"SELECT * FROM {name}", "schema_not_allowed") for name in (
        "information_schema.processlist", "`INFORMATION_SCHEMA`.`PROCESSLIST`", "information_schema.files",
        "information_schema.global_variables", "information_schema.user_privileges", "performance_schema.threads")],
    *[("mysql", f"SELECT {name}", "not_allowed") for name in (
        "@@datadir", "@@GLOBAL.datadir", "@@`secure_file_priv`", "1 + (SELECT @@hostname)", "@@hot.key_buffer_size")],
    ("mysql", "SHOW TABLES WHERE @@datadir LIKE '/var%'", "not_allowed"),
    *[("postgres", f"SELECT {name}()", "not_allowed") for name in (
        "pg_postmaster_start_time", "pg_conf_load_time", "txid_current", "txid_current_snapshot",
        "pg_current_xact_id")],
    ("mysql", "SHOW TABLES WHERE EXISTS (SELECT 1)", "not_read_only"),
    ("mysql", "SELECT GET_LOCK('a', 0)", "not_read_only"),
    ("mysql", "SELECT RELEASE_ALL_LOCKS()", "not_read_only"),
    ("mysql", "SHOW VARIABLES", "not_read_only"),
    ("mysql", "SHOW DATABASES", "not_read_only"),
    ("mysql", "SELECT * FROM prices p, `Market`.prices", "schema_not_allowed"),  # database names have case
    ("mysql", "SHOW TABLES FROM mysql", "schema_not_allowed"),
    ("mysql", "SHOW COLUMNS FROM user FROM mysql", "schema_not_allowed"),
    ("mysql", "SHOW CREATE TABLE mysql.user", "schema_not_allowed"),
    ("mysql", "DESCRIBE mysql.user", "schema_not_allowed"),
    ("mysql", "SHOW GRANTS", "not_read_only"),
    ("mysql", "SELECT load_file('/etc/passwd')", "file_access"),
    ("mysql", "SELECT LOAD_FILE ('/etc/passwd')", "file_access"),
    ("mysql", "SELECT 1 INTO OUTFILE '/tmp/x'", "file_access"),
    ("mysql", "SELECT 1 INTO DUMPFILE '/tmp/x'", "file_access"),
    ("mysql", "SELECT 1 INTO @x", "not_read_only"),
    ("mysql", "SELECT * FROM prices LOCK IN SHARE MODE", "row_lock"),
    ("mysql", "SELECT * FROM (SELECT * FROM prices FOR UPDATE) t", "row_lock"),
    ("mysql", "DO SLEEP(1)", "not_read_only"),
    ("mysql", "HANDLER prices OPEN", "not_read_only"),
    ("mysql", "LOCK TABLES prices READ", "not_read_only"),
    ("mysql", "DELIMITER //", "not_read_only"),
    ("mysql", "SET SESSION sql_mode = ''", "not_read_only"),
    ("mysql", "SET @x = 1, sql_mode = ''", "not_read_only"),
    ("mysql", "SET GLOBAL general_log = 1", "not_read_only"),
    ("mysql", "SET NAMES gbk", "not_read_only"),
    ("mysql", "SET @x = (SELECT load_file('x'))", "file_access"),
    ("mysql", "PREPARE s FROM 'DROP TABLE t'", "not_read_only"),
    ("mysql", "EXECUTE s", "not_read_only"),
    ("mysql", "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t", "not_read_only"),
    ("mysql", "REPLACE INTO prices VALUES (1)", "not_read_only"),
    # What the server executes and a parser takes for a comment.
    ("mysql", "SELECT 1 /*! INTO OUTFILE '/tmp/x' */", "executable_comment"),
    ("mysql", "SELECT 1 /*!50000 INTO OUTFILE '/tmp/x' */", "executable_comment"),
    ("mysql", "SELECT 1 /*M! INTO OUTFILE '/tmp/x' */", "executable_comment"),
    ("mysql", "SELECT 1 /*!999999 */", "executable_comment"),
    ("mysql", "SELECT 1--1 INTO OUTFILE '/tmp/x'", "ambiguous_text"),
    ("mysql", "SELECT 1 -- \r /* \n INTO OUTFILE '/tmp/x' -- */", "ambiguous_text"),
    ("mysql", "SELECT 'a\\'' /*! INTO OUTFILE '/tmp/x' */", "executable_comment"),
    ("mysql", "SELECT \"a\\\" /* \" /*! INTO OUTFILE 'x' */", "executable_comment"),
    ("mysql", "SELECT `a``/*` /*! INTO OUTFILE 'x' */", "executable_comment"),
    ("mysql", "SELECT 1 # /*\n/*! INTO OUTFILE 'x' */", "executable_comment"),
    ("mysql", "SELECT 1;DROP TABLE prices", "several_statements"),
    ("mysql", "SELECT 1\0", "ambiguous_text"),
    ("postgres", "SELECT pg_read_file('/etc/passwd')", "file_access"),
    ("postgres", "SELECT \"pg_read_file\"('/etc/passwd')", "file_access"),
    ("postgres", "SELECT pg_catalog.pg_read_file('/etc/passwd')", "file_access"),
    ("postgres", "SELECT U&\"pg\\005fread_file\"('/etc/passwd')", "ambiguous_text"),
    ("postgres", "SELECT lo_import('/etc/passwd')", "file_access"),
    # What a privileged role may read: passwords, values of forbidden tables, the host, statements of others.
    *[("postgres", f"SELECT * FROM {name}", "schema_not_allowed") for name in (
        "pg_shadow", "pg_authid", "pg_catalog.pg_authid", "pg_user", "pg_roles", "pg_stats", "pg_statistic",
        "pg_hba_file_rules", "pg_file_settings", "pg_settings", "pg_largeobject", "pg_stat_activity",
        "pg_stat_statements", "pg_proc", "pg_database", '"pg_shadow"', "PG_SHADOW",
        "information_schema.enabled_roles")],
    *[("postgres", f"SELECT {call}", "not_allowed") for call in (
        "current_setting('data_directory')", "pg_catalog.current_setting('hba_file')", "current_setting($$x$$ || 'y')",
        "pg_stat_get_activity(NULL)", "pg_show_all_settings()", "pg_get_viewdef(16384)", "inet_server_addr()",
        "relname FROM pg_class WHERE pg_relation_size(oid) > 0", "16384::regclass", "CAST(x AS regclass) FROM prices",
        "currtid2('public.prices', '(1,1)')")],
    *[("postgres", f"SELECT {call}", "not_read_only") for call in (
        "pg_advisory_lock(1)", "pg_try_advisory_xact_lock(1)", "pg_advisory_unlock_all()",
        "brin_summarize_new_values('prices')")],
    ("postgres", "SHOW data_directory", "not_allowed"),
    ("postgres", 'SHOW "hba_file"', "not_allowed"),
    ("postgres", "SHOW ALL", "not_allowed"),
    ("postgres", "SHOW search_path; DROP TABLE prices", "several_statements"),
    ("postgres", "SELECT * FROM dblink('', 'SELECT 1') AS t(a int)", "file_access"),
    ("postgres", "SELECT query_to_xml('SELECT 1', true, true, '')", "dynamic_sql"),
    ("postgres", "SELECT set_config('default_transaction_read_only', 'off', false)", "not_read_only"),
    ("postgres", "SELECT pg_terminate_backend(1)", "not_read_only"),
    ("postgres", "WITH gone AS (DELETE FROM prices RETURNING *) SELECT * FROM gone", "not_read_only"),
    ("postgres", "WITH new AS (INSERT INTO prices VALUES (1) RETURNING *) SELECT * FROM new", "not_read_only"),
    ("postgres", "COPY prices TO PROGRAM 'sh'", "not_read_only"),
    ("postgres", "DO $$ BEGIN DELETE FROM prices; END $$", "not_read_only"),
    ("postgres", "EXPLAIN (ANALYZE) DELETE FROM prices", "not_read_only"),
    ("postgres", "SELECT E'a'\n'\\'', pg_read_file($$x$$) -- '", "ambiguous_text"),
    ("postgres", "SELECT * FROM prices FOR SHARE", "row_lock"),
    ("postgres", "SELECT * FROM secret.prices", "schema_not_allowed"),
    ("postgres", "SET ROLE admin", "not_read_only"),
    ("postgres", "LISTEN x", "not_read_only"),
    ("postgres", "BEGIN", "not_read_only"),
    ("postgres", "COMMIT; DROP TABLE prices", "several_statements"),
]  # fmt: skip
SCHEMAS = {"duckdb": "main", "mysql": "market", "postgres": "public"}


@pytest.mark.parametrize(("dialect", "sql"), ALLOWED)
def test_what_only_reads_is_allowed(dialect: str, sql: str) -> None:
    assert check(sql, dialect, QueryPolicy(), SCHEMAS[dialect]) is not None


@pytest.mark.parametrize(("dialect", "sql", "reason"), REFUSED)
def test_everything_else_is_refused_with_its_reason(dialect: str, sql: str, reason: str) -> None:
    with pytest.raises(QueryRefused) as caught:
        check(sql, dialect, QueryPolicy(), SCHEMAS[dialect])
    assert caught.value.reason == reason
    assert caught.value.exit_code == 1


def test_allowed_schemas_replace_the_default() -> None:
    policy = QueryPolicy(schemas=("research",))
    check("SELECT * FROM research.prices", "postgres", policy, "public")
    check("WITH prices AS (SELECT 1) SELECT * FROM prices", "postgres", policy, "public")
    for sql in ("SELECT * FROM prices", "SELECT * FROM public.prices"):
        with pytest.raises(QueryRefused, match="The schema public may not be read"):
            check(sql, "postgres", policy, "public")


def test_a_table_expression_does_not_lend_its_name_to_the_table_inside_it() -> None:
    sql = "WITH prices AS (SELECT * FROM prices) SELECT * FROM prices"
    with pytest.raises(QueryRefused, match="The schema public may not be read"):
        check(sql, "postgres", QueryPolicy(schemas=("research",)), "public")


def test_session_variables_need_mysql_itself() -> None:
    with pytest.raises(QueryRefused) as caught:
        check("SET @x := 1", "mysql", QueryPolicy(), "main", engine="duckdb")
    assert caught.value.reason == "session_variable"


def test_a_refusal_points_at_the_place() -> None:
    with pytest.raises(QueryRefused) as caught:
        check("SELECT a,\n  load_file('x')\nFROM t", "mysql", QueryPolicy(), "market")
    place = caught.value.place
    assert place is not None
    assert (place.line, place.column, place.text) == (2, 3, "  load_file('x')")
    assert str(place).endswith("\n      load_file('x')\n      ^")


@pytest.mark.parametrize("sql", ["", "  ", ";", "-- nothing", "/* nothing */ ;;"])
def test_an_empty_statement_is_an_error(sql: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        check(sql, "duckdb", QueryPolicy(), "main")


def test_deep_nesting_is_an_error_and_not_a_crash() -> None:
    with pytest.raises(QueryError):
        check("SELECT " + "(" * 20_000 + "1" + ")" * 20_000, "duckdb", QueryPolicy(), "main")


def test_long_conditions_are_fine() -> None:
    condition = " OR ".join(f"volume = {i}" for i in range(3000))
    check(f"SELECT * FROM prices WHERE {condition}", "duckdb", QueryPolicy(), "main")


def test_the_judgement_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    for _, sql, _ in REFUSED:
        with pytest.raises(QueryRefused):
            check(sql, next(d for d, s, _ in REFUSED if s == sql), QueryPolicy(), "market")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("sql", ["SELECT a FROM t WHERE (", "SELECT a b c FROM t", "SELECT 1 +"])
def test_a_syntax_error_has_no_codes_of_a_terminal(sql: str) -> None:
    for read in (lambda: tables_read(sql, "duckdb"), lambda: check(sql, "duckdb", QueryPolicy(), "main")):
        with pytest.raises(QueryError) as caught:
            read()
        assert "\x1b" not in str(caught.value)


def test_a_syntax_error_shows_words_of_the_statement_and_none_of_the_parser() -> None:
    with pytest.raises(QueryError, match="Expected table name but got WHERE near 'WHERE'") as caught:
        check("SELECT symbol,\n FROM WHERE prices", "duckdb", QueryPolicy(), "main")
    assert "Token" not in str(caught.value)

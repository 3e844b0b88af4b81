-- Ways to see past an as-of view, one statement a line (\n is a line break); for every engine and protocol, where most are
-- no statement at all. test_ways_round.py sends each.

-- other names
SELECT * FROM secret
SELECT * FROM leaky
SELECT * FROM leakier
SELECT * FROM "secret"
SELECT * FROM `secret`
SELECT * FROM SECRET
SELECT * FROM /* x */ secret
SELECT * FROM finassay_meta
SELECT * FROM main.secret
SELECT * FROM public.secret
SELECT * FROM other.report
SELECT * FROM other.secret
SELECT * FROM asof_other.report
SELECT * FROM `asof_other`.`report`
SELECT * FROM asof_market.secret
SELECT * FROM ASOF_MARKET.report
SELECT * FROM mysql.user
SELECT * FROM finassay_base.main.report
SELECT * FROM FINASSAY_BASE.report
SELECT * FROM memory.main.secret
SELECT * FROM "finassay_base"."main"."secret"
SELECT * FROM asof_market.public.secret
SELECT * FROM pg_temp.secret
SELECT * FROM report, secret
SELECT * FROM report JOIN secret ON true
SELECT * FROM report r NATURAL JOIN secret
SELECT * FROM (report, secret)
SELECT (SELECT max(NAME) FROM secret)
SELECT 1 WHERE EXISTS (SELECT NAME FROM secret WHERE NAME LIKE 'LE%')
SELECT * FROM report UNION SELECT ID, ID, NAME, ID, NULL, NULL, NAME, NAME FROM secret
TABLE secret
TABLE report
SELECT * FROM ONLY report
SELECT * FROM report *
SELECT * FROM ONLY (secret)
SELECT * FROM LATERAL (SELECT * FROM secret) s
VALUES ((SELECT max(NAME) FROM secret))

-- names of expressions in the way
WITH report AS (SELECT * FROM report) SELECT * FROM report
WITH RECURSIVE report AS (SELECT * FROM report UNION SELECT * FROM report) SELECT * FROM report
WITH secret AS (SELECT * FROM secret) SELECT * FROM secret
WITH a AS (WITH secret AS (SELECT 1) SELECT * FROM secret) SELECT * FROM secret
SELECT * FROM report secret, secret report
SELECT secret.NAME FROM report AS secret

-- what is not shown of what is served
SELECT * FROM report
SELECT STATUS, PRIVATE, TOUCHED FROM report
SELECT * FROM stay
SELECT max(TOUCHED) FROM report
SELECT report FROM report
SELECT report.* FROM report ORDER BY AMOUNT DESC LIMIT 1
SELECT count(*) FROM report
SELECT rowid FROM report
SELECT ctid, xmin, tableoid FROM report
SELECT _rowid FROM report
SELECT * FROM report FOR SYSTEM_TIME ALL
SELECT * FROM report PARTITION (p0)
SELECT * FROM report USE INDEX (PRIMARY)
SELECT * FROM report IGNORE INDEX (PRIMARY)
SELECT /*+ NO_INDEX(report) */ * FROM report
SELECT * FROM report TABLESAMPLE SYSTEM (100)
SELECT * FROM report USING SAMPLE 100%
SELECT * FROM report PROCEDURE ANALYSE()

-- several, hidden and executed texts
SELECT 1; SELECT * FROM secret
SELECT * FROM report; SELECT * FROM secret;
SELECT 1 -- \n; SELECT * FROM secret
SELECT 1 /*!50000 UNION SELECT NAME FROM secret */
SELECT 1 /*M! UNION SELECT NAME FROM secret */
SELECT NAME FROM report --+1 UNION SELECT NAME FROM secret\n
PREPARE p FROM 'SELECT * FROM secret'
PREPARE p AS SELECT * FROM secret
EXECUTE p
EXECUTE IMMEDIATE 'SELECT * FROM secret'
DO $$ BEGIN RAISE EXCEPTION 'x'; END $$
CALL leak()
HANDLER report OPEN

-- functions
SELECT leak()
SELECT public.leak()
SELECT asof_market.leak()
SELECT `asof_market`.`leak`()
SELECT finassay_base.main.leak()
SELECT main.leak()
SELECT * FROM leaks()
SELECT * FROM finassay_base.main.leaks()
SELECT leak(report) FROM report
SELECT leak(NULL::report)
SELECT (NULL::public.report).leak
SELECT upper(1)
SELECT public.upper(1)
SELECT 1 OPERATOR(public.+) 'a'::text
SELECT 1 + 'a'::text
SELECT r.leak FROM report r
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM read_parquet('x.parquet')
SELECT * FROM '/etc/passwd'
SELECT read_text('/etc/passwd')
SELECT * FROM query('SELECT * FROM finassay_base.main.report')
SELECT * FROM query_table('finassay_base.main.report')
SELECT LOAD_FILE('/etc/passwd')
SELECT pg_read_file('/etc/passwd')
SELECT lo_import('/etc/passwd')
SELECT pg_ls_dir('.')
SELECT * FROM dblink('dbname=asof_market', 'SELECT name FROM secret') AS t(n text)
SELECT query_to_xml('SELECT * FROM secret', true, true, '')
SELECT table_to_xml('report', true, true, '')
SELECT set_config('search_path', 'public', false)
SELECT current_setting('data_directory')
SELECT current_setting('search_path')
SELECT @@datadir
SELECT @@hostname, (SELECT max(NAME) FROM report)
SELECT stats(AMOUNT) FROM report
SELECT stats(PUBLISHED) FROM report LIMIT 1

-- catalogs and statistics
SELECT * FROM information_schema.tables
SELECT * FROM information_schema.columns
SELECT t.table_rows, r.NAME FROM information_schema.tables t, report r
SELECT table_name FROM INFORMATION_SCHEMA.`TABLES` WHERE (SELECT count(*) FROM report) > 0
SELECT * FROM information_schema.statistics
SELECT * FROM information_schema.views
SELECT * FROM information_schema.routines
SELECT * FROM information_schema.innodb_sys_tablestats
SELECT * FROM information_schema.table_statistics
SELECT * FROM mysql.innodb_table_stats
SELECT * FROM performance_schema.table_io_waits_summary_by_table
SELECT * FROM sys.schema_table_statistics
SELECT * FROM duckdb_tables()
SELECT * FROM duckdb_tables
SELECT * FROM duckdb_views()
SELECT * FROM duckdb_columns()
SELECT * FROM duckdb_functions()
SELECT * FROM duckdb_types()
SELECT * FROM duckdb_settings()
SELECT * FROM pragma_storage_info('finassay_base.main.report')
SELECT * FROM pragma_table_info('finassay_base.main.secret')
SELECT * FROM sqlite_master
SELECT * FROM pg_catalog.pg_class
SELECT relname, reltuples FROM pg_class
SELECT c.reltuples FROM pg_class c, report r
SELECT * FROM pg_stats
SELECT * FROM pg_catalog.pg_stats, report
SELECT * FROM pg_statistic
SELECT * FROM pg_stat_user_tables
SELECT * FROM pg_views
SELECT * FROM pg_matviews
SELECT * FROM pg_proc
SELECT prosrc, ID FROM pg_proc, report
SELECT * FROM pg_tables
SELECT * FROM pg_indexes
SELECT pg_relation_size('report')
SELECT pg_get_viewdef('leaky')
SELECT to_regclass('public.secret'), max(ID) FROM report
SELECT 'public.secret'::regclass, max(ID) FROM report
SELECT (NULL::public.secret).*
SELECT NULL::public.secret, max(ID) FROM report
SELECT has_table_privilege('public.secret', 'select'), max(ID) FROM report
SELECT row_to_json(s) FROM secret s

-- how the server answers
EXPLAIN SELECT * FROM report
EXPLAIN ANALYZE SELECT * FROM report
EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM report
EXPLAIN FORMAT=JSON SELECT * FROM report
EXPLAIN EXTENDED SELECT * FROM report
ANALYZE SELECT * FROM report
ANALYZE FORMAT=JSON SELECT * FROM report
DESCRIBE SELECT * FROM report
SUMMARIZE report
PROFILE SELECT 1
SHOW TABLES
SHOW FULL TABLES
SHOW TABLES FROM asof_other
SHOW TABLE STATUS
SHOW TABLE STATUS LIKE 'report'
SHOW INDEX FROM report
SHOW CREATE TABLE report
SHOW CREATE TABLE secret
SHOW CREATE VIEW leaky
SHOW CREATE FUNCTION leak
SHOW FUNCTION STATUS
SHOW DATABASES
SHOW GRANTS
SHOW PROCESSLIST
SHOW PROFILES
SHOW ENGINE INNODB STATUS
SHOW STATUS
SHOW WARNINGS
SHOW VARIABLES LIKE 'datadir'
SHOW data_directory
SHOW ALL
DESCRIBE secret
DESC report
SHOW COLUMNS FROM secret

-- other places
USE asof_other
USE finassay_base
USE main
SET search_path = public
SET search_path TO public, other
SET schema 'public'
SET ROLE admin
SET SESSION AUTHORIZATION admin
RESET ALL
DISCARD ALL
ATTACH '/tmp/x.duckdb' AS x
DETACH finassay_base
INSTALL httpfs
LOAD httpfs
PRAGMA database_list
CREATE TEMP TABLE t AS SELECT * FROM secret
CREATE TABLE t AS SELECT * FROM report
CREATE TEMPORARY VIEW report AS SELECT * FROM public.secret
CREATE OR REPLACE VIEW report AS SELECT 1
CREATE MACRO m() AS 1
INSERT INTO report SELECT * FROM report
UPDATE report SET NAME = 'x'
DELETE FROM report
DROP TABLE secret
DROP VIEW report
TRUNCATE report
ALTER TABLE report ADD x INT
GRANT ALL ON report TO research
COPY secret TO STDOUT
COPY (SELECT * FROM secret) TO STDOUT
COPY report FROM STDIN
COPY report TO '/tmp/x.csv'
COPY report TO PROGRAM 'cat'
SELECT * FROM report INTO OUTFILE '/tmp/asof.csv'
SELECT * INTO t FROM report
LOAD DATA INFILE '/etc/passwd' INTO TABLE report
EXPORT DATABASE '/tmp/x'
DECLARE c CURSOR FOR SELECT * FROM secret
LOCK TABLES report READ
VACUUM
BACKUP STAGE START
LISTEN x
NOTIFY x
KILL 1
SET @x = (SELECT max(NAME) FROM secret)
SELECT @x := NAME FROM secret
SET GLOBAL general_log = 1
SET STATEMENT max_statement_time=1 FOR SELECT * FROM secret
SET @@session.sql_mode = 'ANSI_QUOTES'
SELECT * FROM XMLTABLE('/a' PASSING query_to_xml('SELECT * FROM secret', true, true, '') COLUMNS n text)
SELECT * FROM JSON_TABLE((SELECT max(NAME) FROM secret), '$' COLUMNS (a INT PATH '$')) t
SELECT nextval('s')
SELECT lastval()
SELECT txid_current()
SELECT pg_postmaster_start_time()
SELECT pg_conf_load_time()
SELECT txid_current_snapshot()

SELECT 'plain', "double quoted", 'it''s', "say ""hi""", 'a\'b', 'tab\there';
SELECT 'a' 'b' 'c';
SELECT 'line\nfeed', 'back\\slash', '\%literal\_', 'nul\0x';
SELECT '中国' AS `列名`;
SELECT 1, -1, +1, 1.5, .5, 1., 1e3, 1.5E-2;
SELECT 9223372036854775807, -9223372036854775808 + 0;
SELECT TRUE, FALSE, NULL, true + true;
SELECT DATE '2024-01-31', TIMESTAMP '2024-01-31 10:00:00';
SELECT 1 AS 'quoted alias', 2 "other alias", 3 `back alias`;
SELECT `t`.`id`, t.`name` FROM `t` WHERE `t`.`id` = 1;
SELECT id # comment to the end
FROM t -- another comment
WHERE /* block comment */ id = 2;
SELECT /*+ NO_INDEX_MERGE(t) */ id FROM t WHERE id = 3;
SELECT 1--1, 5 - -2, 5+-2;
SELECT '' AS empty, ' ' AS blank, LENGTH('');
SELECT id FROM t WHERE name = "alpha";
SELECT 1 FROM DUAL;
SELECT 1 FROM DUAL WHERE 1 = 0;
SELECT COUNT(*), COUNT(name), COUNT(DISTINCT n) FROM t;
SELECT 0.1 + 0.2, 0.1e0 + 0.2e0;
SELECT 1.10, 1.100 = 1.1;
SELECT 'abc' AS x, 'abc' x2, 'abc';
SELECT 0x41;
SELECT x'41';
SELECT b'101';
SELECT _utf8mb4'abc';
SELECT N'abc'

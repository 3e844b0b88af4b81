-- Five securities, seven trading days, nine reports: small enough that every expected table can be checked by eye.
CREATE TABLE security (
  security_id INTEGER NOT NULL, code VARCHAR NOT NULL, name_zh VARCHAR, name_en VARCHAR,
  board INTEGER, listed_date DATE, delisted_date DATE, is_listed INTEGER);
INSERT INTO security VALUES
  (1, '600001', '河桥机械', 'Heqiao Machinery', 1, '2010-03-01', NULL, 1),
  (2, '000002', '明岚电子', 'Minglan Electronics', 1, '2015-06-15', NULL, 1),
  (3, '300003', '松屿医药', 'Songyu Pharma', 6, '2019-11-20', NULL, 1),
  (4, '600004', '平谷食品', 'Pinggu Foods', 1, '2008-09-09', '2024-03-15', 0),
  (5, '688005', '启澜软件', 'Qilan Software', 7, '2024-02-01', NULL, 1);

CREATE TABLE industry (
  row_id INTEGER NOT NULL, security_id INTEGER NOT NULL, industry_code VARCHAR, industry_name VARCHAR,
  start_date DATE, end_date DATE, is_current INTEGER);
INSERT INTO industry VALUES
  (1, 1, 'M', '机械设备', '2010-03-01', NULL, 1),
  (2, 2, 'E', '电子', '2015-06-15', '2024-04-15', 0),
  (3, 2, 'C', '计算机', '2024-04-15', NULL, 1),
  (4, 3, 'P', '医药生物', '2019-11-20', NULL, 1),
  (5, 4, 'F', '食品饮料', '2008-09-09', '2024-03-15', 0),
  (6, 5, 'C', '计算机', '2024-02-01', NULL, 1);

CREATE TABLE report (
  row_id INTEGER NOT NULL, security_id INTEGER NOT NULL, period_end DATE, disclosed_date DATE,
  revenue DECIMAL(18, 2), net_profit DECIMAL(18, 2));
INSERT INTO report VALUES
  (1, 1, '2022-12-31', '2023-04-20', 1000.00, 100.00),
  (2, 2, '2022-12-31', '2023-04-25', 750.00, 40.00),
  (3, 3, '2022-12-31', '2023-04-26', 500.00, 25.00),
  (4, 4, '2022-12-31', '2023-03-30', 300.00, 12.00),
  (5, 1, '2022-12-31', '2024-04-22', 960.00, 90.00),
  (6, 1, '2023-12-31', '2024-04-22', 1200.00, 150.00),
  (7, 2, '2023-12-31', '2024-04-28', 1000.00, 60.00),
  (8, 5, '2023-12-31', '2024-04-30', 200.00, 8.00),
  (9, 3, '2023-12-31', '2024-05-06', 450.00, -10.00);

CREATE TABLE trading_day (trade_date DATE NOT NULL, is_open INTEGER);
INSERT INTO trading_day VALUES
  ('2024-04-24', 1), ('2024-04-25', 1), ('2024-04-26', 1), ('2024-04-27', 0), ('2024-04-28', 0), ('2024-04-29', 1),
  ('2024-04-30', 1), ('2024-05-01', 0), ('2024-05-02', 0), ('2024-05-03', 0), ('2024-05-04', 0), ('2024-05-05', 0),
  ('2024-05-06', 1), ('2024-05-07', 1);

CREATE TABLE price (security_id INTEGER NOT NULL, trade_date DATE NOT NULL, close DECIMAL(18, 2), volume BIGINT);
INSERT INTO price VALUES
  (1, '2024-04-24', 10.00, 100), (1, '2024-04-25', 10.20, 110), (1, '2024-04-26', 10.10, 120),
  (1, '2024-04-29', 10.50, 130), (1, '2024-04-30', 11.00, 140), (1, '2024-05-06', 11.20, 150),
  (1, '2024-05-07', 11.10, 160),
  (2, '2024-04-24', 20.00, 200), (2, '2024-04-25', 19.00, 210), (2, '2024-04-26', 19.50, 190),
  (2, '2024-04-29', 18.00, 220), (2, '2024-04-30', 19.00, 230), (2, '2024-05-06', 19.20, 240),
  (2, '2024-05-07', 19.10, 250),
  (3, '2024-04-24', 30.00, 80), (3, '2024-04-25', 30.60, 90), (3, '2024-04-26', 29.40, 70),
  (3, '2024-04-29', 30.00, 60), (3, '2024-04-30', 31.50, 100), (3, '2024-05-06', 28.00, 300),
  (3, '2024-05-07', 27.50, 200),
  (5, '2024-04-24', 50.00, 40), (5, '2024-04-25', 52.00, 50), (5, '2024-04-26', 51.00, 45),
  (5, '2024-04-29', 53.00, 55), (5, '2024-04-30', 55.00, 60), (5, '2024-05-06', 54.00, 65),
  (5, '2024-05-07', 56.00, 70);

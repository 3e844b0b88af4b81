WITH par AS (SELECT DATE '2021-07-02' AS t, TIMESTAMP '2021-07-03' AS cut),
conv AS (
  SELECT p.INNERCODE, p.CONVERTPRICE, p.VALIDDATE AS from_day, LEAD(p.VALIDDATE) OVER (PARTITION BY p.INNERCODE ORDER BY p.VALIDDATE, p.INFOPUBLDATE, p.ID) AS to_day
  FROM bond_conbdconvertprice p, par WHERE p.INFOPUBLDATE < par.cut
),
bal AS (
  SELECT z.MAINCODE, z.TOTALSIZE, z.ENDDATE AS from_day, LEAD(z.ENDDATE) OVER (PARTITION BY z.MAINCODE ORDER BY z.ENDDATE, z.INFOPUBLDATE, z.ID) AS to_day
  FROM bond_size z, par WHERE z.INFOPUBLDATE < par.cut
),
rat AS (
  SELECT r.MAINCODE, r.CRCODE, r.CRDATE AS from_day, least(LEAD(r.CRDATE) OVER w, r.RATINGEFFECTIVEENDDATE) AS to_day
  FROM bond_bdcreditgrading r, par WHERE r.CRTYPECODE = 1 AND r.INFOPUBLDATE < par.cut
  WINDOW w AS (PARTITION BY r.MAINCODE ORDER BY r.CRDATE, r.INFOPUBLDATE, r.ID)
),
s AS (
  SELECT c.SECUCODE, conv.CONVERTPRICE, bal.TOTALSIZE, q.CLOSEPRICE, (q.CLOSEPRICE / (q.STOCKPRICE * 100 / conv.CONVERTPRICE) - 1) * 100 AS premium
  FROM par JOIN bond_conbdexchangequote q ON q.TRADINGDAY = par.t AND q.TURNOVERVOLUME > 0
  JOIN bond_conbdbasicinfo c ON c.INNERCODE = q.INNERCODE AND c.ENDDATE > par.t + INTERVAL 1 YEAR
  JOIN bond_code b ON b.INNERCODE = q.INNERCODE
  JOIN conv ON conv.INNERCODE = q.INNERCODE AND par.t >= conv.from_day AND par.t < COALESCE(conv.to_day, DATE '9999-12-31')
  JOIN bal ON bal.MAINCODE = b.MAINCODE AND par.t >= bal.from_day AND par.t < COALESCE(bal.to_day, DATE '9999-12-31')
  JOIN rat ON rat.MAINCODE = b.MAINCODE AND par.t >= rat.from_day AND par.t < COALESCE(rat.to_day, DATE '9999-12-31')
  ANTI JOIN (SELECT k.INNERCODE FROM bond_conbdcallinfo k, par WHERE k.CALLTYPE = 3 AND k.INSERTTIME < par.cut) k ON k.INNERCODE = q.INNERCODE
  WHERE rat.CRCODE >= 960 AND bal.TOTALSIZE > 0 AND bal.TOTALSIZE <= 20
)
SELECT SECUCODE AS bond_code, round(CONVERTPRICE, 2) AS conv_price, round(premium, 2) AS premium, round(CLOSEPRICE + premium, 2) AS score, round(TOTALSIZE, 2) AS balance
FROM s ORDER BY CLOSEPRICE + premium, bond_code LIMIT 8

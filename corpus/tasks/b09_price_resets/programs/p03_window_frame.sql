WITH steps AS (
  SELECT p.INNERCODE, b.MAINCODE, b.SECUCODE, p.INFOPUBLDATE AS notice, p.CONVERTPRICE AS new_price, p.CHANGEREASON,
         max(struct_pack(v := p.VALIDDATE, i := p.INFOPUBLDATE, id := p.ID, price := p.CONVERTPRICE))
           OVER (PARTITION BY p.INNERCODE ORDER BY p.INFOPUBLDATE RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 1 DAY PRECEDING) AS old
  FROM bond_conbdconvertprice p JOIN bond_code b USING (INNERCODE)
),
ev AS (
  SELECT s.*, s.old.price AS old_price FROM steps s
  WHERE s.CHANGEREASON = '向下修正' AND s.notice BETWEEN DATE '2019-01-01' AND DATE '2024-12-31' AND s.old IS NOT NULL
    AND NOT EXISTS (FROM bond_conbdcallinfo k WHERE k.INNERCODE = s.INNERCODE AND k.CALLTYPE = 3 AND k.INSERTTIME < s.notice + INTERVAL 1 DAY)
),
bal AS (
  SELECT ev.INNERCODE, ev.notice, z.TOTALSIZE FROM ev JOIN bond_size z ON z.MAINCODE = ev.MAINCODE AND greatest(z.ENDDATE, z.INFOPUBLDATE) <= ev.notice
  QUALIFY ROW_NUMBER() OVER (PARTITION BY ev.INNERCODE, ev.notice ORDER BY z.ENDDATE DESC, z.INFOPUBLDATE DESC, z.ID DESC) = 1
),
lab AS (
  SELECT ev.INNERCODE, ev.notice, arg_max(q.CLOSEPRICE, q.TRADINGDAY) / arg_min(q.CLOSEPRICE, q.TRADINGDAY) - 1 AS r
  FROM ev JOIN bond_conbdexchangequote q ON q.INNERCODE = ev.INNERCODE AND q.TURNOVERVOLUME > 0 AND q.TRADINGDAY > ev.notice AND q.TRADINGDAY <= ev.notice + INTERVAL 20 DAY
  GROUP BY ev.INNERCODE, ev.notice
)
SELECT ev.notice, ev.SECUCODE AS bond_code, ev.old_price, ev.new_price, round((1 - ev.new_price / ev.old_price) * 100, 2) AS cut, round(bal.TOTALSIZE, 4) AS balance, round(lab.r * 100, 2) AS ret
FROM ev LEFT JOIN bal USING (INNERCODE, notice) LEFT JOIN lab USING (INNERCODE, notice)
ORDER BY ev.notice, bond_code

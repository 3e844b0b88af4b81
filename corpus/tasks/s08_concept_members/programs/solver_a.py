# 概念成员数（只用观察日日终前已公告/入库的信息）
import duckdb
import pandas as pd

con = duckdb.connect("core.duckdb", read_only=True)
SQL = """
with st as (
  select INNERCODE, CHANGETYPE from lc_liststatus
  where CHANGEDATE <= $d::timestamp and INSERTTIME < $nx::timestamp
  qualify row_number() over (partition by INNERCODE order by CHANGEDATE desc, INSERTTIME desc, ID desc) = 1
)
select l.CONCEPTCODE::int as concept_code, l.CONCEPTNAME as concept, count(distinct m.INNERCODE) as members
from lc_conceptlist l
join lc_coconcept m on m.CONCEPTCODE = l.CONCEPTCODE
join secumain s on s.INNERCODE = m.INNERCODE
join st on st.INNERCODE = m.INNERCODE
where l.CONCEPTCODE in (8005, 8012, 8015, 8019, 8020, 8021, 8023)
  and l.INFOPUBLDATE < $nx::timestamp and l.BEGINDATE <= $d::timestamp
  and (l.ENDDATE is null or l.ENDDATE > $d::timestamp)
  and m.INFOPUBLDATE < $nx::timestamp and m.INDATE <= $d::timestamp
  and (m.OUTDATE is null or m.OUTDATE > $d::timestamp)
  and s.SECUCATEGORY = 1 and s.LISTEDSECTOR in (1, 2, 6) and s.SECUMARKET in (83, 90)
  and st.CHANGETYPE in (1, 3, 6)
group by 1, 2
"""
out = []
for d in ("2022-09-15", "2023-03-15"):
    t = pd.Timestamp(d)
    x = con.execute(SQL, {"d": d, "nx": str(t + pd.Timedelta(days=1))}).df()
    x.insert(0, "obs_date", t.date())
    out.append(x)
result = (pd.concat(out, ignore_index=True)
          .sort_values(["obs_date", "members", "concept_code"], ascending=[True, False, True])
          .reset_index(drop=True))

"""Documents: true to the ledger, nothing from after their publication, in two languages, varied, their role untold."""

from __future__ import annotations

import re
from datetime import date, timedelta

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finassay.world import EventType, materialise
from finassay.world._blocks._documents_cn import IDLE
from finassay.world._blocks._documents_style import Genre, change, genre, mixed, money, phrases, write
from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._tables._documents import document_truth
from support.worlds import CONFIG

HAN = re.compile(r"[\u4e00-\u9fff]")
GENRES = sorted(name for name, value in phrases().items() if isinstance(value, Genre))


@pytest.fixture(scope="module")
def table(world):
    return materialise(world, ["documents"])["documents"]


@pytest.fixture(scope="module")
def truth(world):
    return document_truth(world)


@pytest.fixture(scope="module")
def db(table, truth):
    connection = duckdb.connect()
    connection.register("documents", table)
    connection.register("truth", truth)
    return connection


def test_every_document_has_twelve_columns_and_says_its_piece_in_both_languages(table):
    assert table.num_columns == 12
    assert table.num_rows > 3000
    for zh, en in (("title_zh", "title_en"), ("text_zh", "text_en")):
        for chinese, english in zip(table[zh].to_pylist(), table[en].to_pylist(), strict=True):
            assert HAN.search(chinese)
            assert "{" not in chinese + english
            assert "None" not in english
            assert english[0] == english[0].upper()
            assert "  " not in english


def test_english_texts_hold_no_chinese_but_the_short_name_a_company_takes(db):
    found = db.execute(
        "SELECT genre, text_en FROM documents WHERE regexp_matches(text_en, '[一-龥]')"
    ).fetchall()
    assert {kind for kind, _ in found} <= {"filing"}
    assert all("short name" in text for _, text in found)


@pytest.mark.parametrize("name", GENRES)
def test_a_genre_has_dozens_of_ways_to_say_it(name):
    found = genre(name)
    assert found.variants >= 24
    for group in (found.titles, *found.parts):
        assert len({pair.zh for pair in group}) == len(group)
        for pair in group:
            assert set(re.findall(r"{\w+}", pair.zh)) <= {*re.findall(r"{\w+}", pair.en), "{number}"} | SPOKEN


# What only one language needs: a sector's or a series' name in it, a ratio in its own words
SPOKEN = {
    "{sector_zh}",
    "{series_zh}",
    "{ratio_zh}",
    "{new}",
    "{name}",
    "{symbol}",
    "{code}",
    "{full}",
    "{editor}",
}


def test_texts_are_varied(db):
    for kind, count, distinct in db.execute(
        "SELECT genre, COUNT(*), COUNT(DISTINCT text_zh) FROM documents GROUP BY 1"
    ).fetchall():
        assert distinct > 0.6 * count, kind


@pytest.mark.parametrize("market", ["CN", "US"])
def test_three_distractors_for_two_pieces_of_causal_news(world, market):
    """World.md, 4: 1.5 distractors per causal item; within five deviations of the draws, each 1 or 2."""
    news = [
        e for e in world.ledger.of(EventType.NEWS) if e.payload.market == market and e.payload.sector is None
    ]
    ends = {"merger", "deficiency"}
    causal = sum(e.payload.causal and e.payload.topic not in ends for e in news)
    distractors = sum(not e.payload.causal for e in news)
    assert causal > 200
    assert abs(distractors / causal - 1.5) < 5 * 0.5 / causal**0.5 + 0.05  # some fall on days without trading


def test_a_document_is_published_with_its_event_or_after_it(world, truth):
    for number, published in zip(
        truth["event_id"].to_pylist(), truth["published_at"].to_pylist(), strict=True
    ):
        told = world.ledger.by_id[number].disclosed_at
        assert told <= published <= told + timedelta(days=2)


def test_what_is_published_by_the_snapshot_is_there_and_nothing_else(table, truth):
    last = CONFIG.moment
    assert max(table["insert_time"].to_pylist()) <= last
    there = set(table["document_id"].to_pylist())
    for number, published in zip(
        truth["document_id"].to_pylist(), truth["published_at"].to_pylist(), strict=True
    ):
        if published <= last - timedelta(minutes=90):
            assert number in there
        elif published > last:
            assert number not in there


def test_no_column_tells_the_role(db):
    """Kind and source occur with causes and with distractors alike; numbers say nothing."""
    both = db.execute(
        "SELECT source FROM documents JOIN truth USING (document_id) WHERE genre = 'news'"
        " GROUP BY 1 HAVING COUNT(DISTINCT role) < 3"
    ).fetchall()
    assert both == []
    roles = {r for (r,) in db.execute("SELECT DISTINCT role FROM truth").fetchall()}
    assert roles == {"cause", "distractor", "notice", "echo"}


def test_every_us_filing_has_its_text(world, db):
    filings = materialise(world, ["us_filing"])["us_filing"]
    db.register("us_filing", filings)
    missing = db.execute(
        "SELECT COUNT(*) FROM us_filing f LEFT JOIN documents d ON d.document_id = f.document_id"
        " AND d.published_at = f.accepted_at WHERE d.id IS NULL"
    ).fetchall()
    assert missing == [(0,)]
    assert filings.num_rows > 500


def test_the_figures_of_a_filing_are_those_of_its_facts(world, db):
    """Net income in words, as a reader would round the fact of the same filing."""
    for name in ("us_filing", "us_fact"):
        db.register(name, materialise(world, [name])[name])
    found = db.execute(
        "SELECT d.text_en, f.value FROM us_filing g JOIN documents d USING (document_id) JOIN us_fact f"
        " ON f.accession = g.accession AND f.tag = 'NetIncomeLoss' AND f.period_end = g.period_end"
        " AND f.quarters = CASE g.fiscal_period WHEN 'FY' THEN 4 ELSE 1 END WHERE g.amends IS NULL"
    ).fetchall()
    assert len(found) > 500
    for text, value in found:
        size = abs(value)
        words = (
            f"${size / 1e9:,.2f} billion"
            if size >= 1e9
            else f"${size / 1e6:,.1f} million"
            if size >= 1e5
            else f"${size:,.2f}"
        )
        assert words in text


def test_a_company_is_called_by_the_name_of_the_day(world, db):
    """Until a marking with ST takes effect no title but the notice's own has the new name; then some have."""
    marked = [
        e for e in world.ledger.of(EventType.RENAME) if e.payload.abbreviation.startswith(("ST", "*ST"))
    ]
    seen = 0
    for event in marked:
        inner = next(issuer.inner for issuer in world.issuers if issuer.entity == event.entity)
        titles = db.execute(
            "SELECT d.published_at, d.title_zh FROM documents d JOIN truth t USING (document_id)"
            " WHERE d.entities = ? AND t.event_id <> ? AND d.published_at BETWEEN ? AND ?",
            [
                str(inner),
                event.event_id,
                event.valid_from - timedelta(days=100),
                event.valid_from + timedelta(days=100),
            ],
        ).fetchall()
        for published, title in titles:
            has = event.payload.abbreviation in title
            assert published.date() >= event.valid_from or not has
            seen += has
    assert seen > 10


def test_causal_news_about_a_chinese_share_moves_it_on_the_session_that_it_says(world):
    """On those days the share moves its way far more often than half of the time; on idle items' days it does not."""
    quotes, first = world.quotes, window()[0]
    moved = np.zeros((window()[1] - first, len(world.issuers) + 1))
    moved[quotes.session - first, quotes.entity] = quotes.close / quotes.previous - 1
    right, total = 0, 0
    for event in world.ledger.of(EventType.NEWS):
        if event.payload.market == "CN" and event.payload.causal:
            total += 1
            right += (
                moved[sessions().at_or_after(event.valid_from) - first, event.entity] * event.payload.move > 0
            )
    assert total > 200
    assert right / total > 0.75


def test_the_same_world_is_written_in_the_same_words(world, table):
    assert materialise(world, ["documents"])["documents"].equals(table)


@given(st.floats(1.0, 1e13), st.sampled_from(["CNY", "USD"]))
def test_amounts_in_words_are_within_half_a_percent(value, currency):
    words = money(value, currency)
    units = {"亿": 1e8, "万": 1e4, "": 1.0}
    zh = re.fullmatch(r"([\d,.]+)([亿万]?)(美?元)", words.zh)
    en = re.fullmatch(r"(?:\$|RMB )([\d,.]+)(?: (billion|million))?", words.en)
    assert zh
    assert en
    assert (zh[3] == "美元") is (currency == "USD")
    assert float(zh[1].replace(",", "")) * units[zh[2]] == pytest.approx(value, rel=0.005)
    scale = {"billion": 1e9, "million": 1e6, None: 1.0}[en[2]]
    assert float(en[1].replace(",", "")) * scale == pytest.approx(value, rel=0.5 if value < 1e6 else 0.005)


@pytest.mark.parametrize(
    ("now", "before", "words"),
    [
        (110.0, 100.0, "up 10.0% from a year earlier"),
        (75.0, 100.0, "down 25.0% from a year earlier"),
        (100.0, 100.0, "little changed from a year earlier"),
        (5.0, -1.0, "against a loss a year earlier"),
        (-5.0, 1.0, "swinging to a loss"),
        (5.0, None, "with no comparable figure a year earlier"),
    ],
)
def test_changes_in_words(now, before, words):
    assert change(now, before).en == words


def test_choices_hang_on_what_is_told_alone():
    assert mixed(1, 2) == mixed(1, 2)
    assert len({mixed(1, n) for n in range(10_000)}) == 10_000
    facts = {"name": "Example Corp.", "code": "EXMP"}
    assert write("post_up", facts, 7) == write("post_up", facts, 7 + genre("post_up").variants)


def test_dates_are_of_the_market(db):
    """Chinese documents of companies come outside trading hours but for those over lunch."""
    found = db.execute(
        "SELECT COUNT(*) FROM documents WHERE market = 'CN' AND genre = 'filing'"
        " AND hour(published_at) * 60 + minute(published_at) BETWEEN 13 * 60 AND 14 * 60 + 59"
    ).fetchone()
    assert found == (0,)
    assert db.execute("SELECT MIN(published_at) FROM documents").fetchone()[0].date() >= date(2013, 1, 1)


CLOSE = {"CN": ("XSHG", 15), "US": ("XNYS", 16)}
AFTER_CLOSE = re.compile(r"盯了一天|今天又是织布机|all day|again today")
ON_AN_EVE = re.compile(r"明天|tomorrow")


@pytest.mark.parametrize("market", ["CN", "US"])
def test_posts_look_back_on_a_session_after_its_close_and_ahead_to_one_on_its_eve(db, market):
    exchange, hour = CLOSE[market]
    posts = db.execute(
        "SELECT published_at, title_zh || text_zh, title_en || text_en FROM documents"
        " WHERE genre = 'post' AND market = ?",
        [market],
    ).fetchall()
    back, ahead, early = 0, 0, 0
    for at, *texts in posts:
        closed = at.date() in sessions(exchange) and at.hour >= hour
        eve = at.date() + timedelta(days=1) in sessions(exchange)
        for text in texts:
            assert closed or not AFTER_CLOSE.search(text), (at, text)
            assert eve or not ON_AN_EVE.search(text), (at, text)
        assert len({bool(AFTER_CLOSE.search(text)) for text in texts}) == 1
        back += bool(AFTER_CLOSE.search(texts[0]))
        ahead += bool(ON_AN_EVE.search(texts[0]))
        early += not closed
    assert min(back, ahead, early) > 20


def test_items_of_a_filing_are_those_of_its_form(world, db):
    """Form 10-K: Part I, Item 1A; Part II, Items 7 and 8. Form 10-Q: Part I, Items 1 and 2; Part II, Item 1A."""
    db.register("us_filing", materialise(world, ["us_filing"])["us_filing"])
    found = db.execute(
        "SELECT f.form, d.text_zh, d.text_en FROM us_filing f JOIN documents d USING (document_id)"
    )
    wanted = {
        "10-K": {
            "Management's": ("Part II, Item 7", "第二部分第7项 管理层"),
            "Financial statements": ("Part II, Item 8", "第二部分第8项 财务报表"),
            "risk factors": ("Part I, Item 1A", "第一部分第1A项所述的风险因素"),
        },
        "10-Q": {
            "Management's": ("Part I, Item 2", "第一部分第2项 管理层"),
            "Financial statements": ("Part I, Item 1", "第一部分第1项 财务报表"),
            "risk factors": ("Part II, Item 1A", "第二部分第1A项 风险因素"),
        },
    }
    seen = {(form, words): 0 for form in wanted for words in wanted[form]}
    for form, zh, en in found.fetchall():
        places = wanted.get(form, {})  # an amendment names no item
        numbered = {words for words in places if words in en}
        assert sorted(re.findall(r"Part I+, Item \d+A?", en)) == sorted(
            places[words][0] for words in numbered
        )
        assert len(re.findall(r"第\S+部分第\d+A?项", zh)) == len(numbered)
        for words in numbered:
            assert places[words][1] in zh
            seen[form, words] += 1
    assert min(seen.values()) > 5, seen


def test_no_sentence_of_a_distractor_is_in_many_of_them(db):
    """Items without news end in one of eight sentences or more of their kind: none is in a fifteenth of all."""
    endings = [phrase.zh for kind in IDLE for phrase in genre(kind).parts[2]]
    assert len(endings) == len(set(endings)) >= 8 * len(IDLE)
    assert all(len(part) >= 4 for kind in IDLE for part in genre(kind).parts)
    texts = [
        text
        for (text,) in db.execute(
            "SELECT text_zh FROM documents JOIN truth USING (document_id)"
            " WHERE genre = 'news' AND role = 'distractor'"
        ).fetchall()
    ]
    for ending in endings:
        assert 0 < sum(ending in text for text in texts) < len(texts) / 15, ending


def _said(pair, language):
    """A pattern of a phrase, whatever it is filled in with; by its end where it is a title of a name alone."""
    return re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(pair[language])))


def test_a_title_and_its_body_are_about_one_matter(db):
    """A canteen is not a move of headquarters, a lock-up no sale by a holder: in both languages."""
    news = db.execute(
        "SELECT title_zh, text_zh, title_en, text_en FROM documents WHERE genre = 'news'"
    ).fetchall()
    kinds = [name for name in GENRES if any(pair.about for pair in genre(name).titles)]
    assert "facility" in kinds
    seen = dict.fromkeys(kinds, 0)
    for name in kinds:
        found = genre(name)
        for title in found.titles:
            patterns = [_said(title, language) for language in (0, 1)]
            for zh, body_zh, en, body_en in news:
                if not (patterns[0].fullmatch(zh) and patterns[1].fullmatch(en)):
                    continue
                seen[name] += 1
                for part in found.parts:
                    for pair in part:
                        if pair.about and pair.about != title.about:
                            assert not _said(pair, 0).search(body_zh), (zh, body_zh)
                            assert not _said(pair, 1).search(body_en), (en, body_en)
                opening = [pair for pair in found.parts[0] if pair.about == title.about]
                assert any(_said(pair, 0).match(body_zh) for pair in opening), (zh, body_zh)
    assert min(seen.values()) > 20, seen


def test_posts_that_look_back_on_two_years_are_of_companies_listed_longer(db, world):
    listed = {}
    for kind in (EventType.SECURITY, EventType.US_SECURITY):
        for event in world.ledger.of(kind):
            number = event.payload.inner if kind is EventType.SECURITY else event.payload.security
            listed[str(number)] = event.valid_from
    posts = db.execute(
        "SELECT entities, published_at, text_zh, text_en FROM documents WHERE genre = 'post'"
    ).fetchall()
    held, young = 0, 0
    for entity, at, zh, en in posts:
        old = (at.date() - listed[entity]).days > 2 * 365
        assert ("两年了" in zh) == ("Two years in" in en)
        assert old or "两年了" not in zh, (entity, at)
        held += "两年了" in zh
        young += not old
    assert min(held, young) > 20


PRODUCTS = re.compile("召回|新产品|产品线|供货合同|采购协议|开工率|项目可动工")
SERVICES = ("银行", "非银金融", "交通运输", "房地产", "社会服务", "传媒")


def test_banks_and_others_that_make_nothing_recall_no_product(db, world):
    """Chinese companies by the industries that they were known to have been in, US ones by the SIC of their filings."""
    industries, manufacturing = {}, {}
    for event in world.ledger.of(EventType.INDUSTRY_SET):
        industries.setdefault(event.entity, []).append((event.disclosed_at.date(), event.payload.names[0]))
    for event in world.ledger.of(EventType.US_SECURITY):
        manufacturing[event.entity] = 2000 <= (event.payload.sic or 0) < 4000
    told = dict.fromkeys(("CN", "US"), 0)
    makers = 0
    for number, title, text in db.execute(
        "SELECT event_id, title_zh, text_zh FROM documents JOIN truth USING (document_id)"
        " WHERE genre = 'news' AND role = 'cause'"
    ).fetchall():
        event = world.ledger.by_id[number]
        if event.payload.topic not in ("order", "approval", "recall") or event.type is not EventType.NEWS:
            continue
        market = event.payload.market
        known = [name for day, name in industries.get(event.entity, []) if day <= event.disclosed_at.date()]
        service = (
            any(name in SERVICES for name in known) if market == "CN" else not manufacturing[event.entity]
        )
        assert not (service and PRODUCTS.search(title + text)), (title, text)
        told[market] += service
        makers += bool(PRODUCTS.search(title + text))
    assert all(told.values()), told
    assert makers > 10


def test_an_amendment_that_changes_nothing_states_no_figures(db, world):
    """One that restates says what is stated now; one that supplies exhibits names no amount."""
    seen = {True: 0, False: 0}
    for event in world.ledger.of(EventType.US_AMENDMENT):
        found = db.execute(
            "SELECT text_zh, text_en FROM documents WHERE document_id = ?", [f"US-{event.payload.accession}"]
        ).fetchall()
        for zh, en in found:
            assert ("$" in en) is ("元" in zh) is event.payload.restates, en
            seen[event.payload.restates] += 1
    assert min(seen.values()) > 3, seen

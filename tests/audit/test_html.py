"""Audits as one page of HTML: nothing in a program, a row or a message becomes a part of the page."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from finassay.audit import Audited, Baseline, Certificate, Verdict, Waiver, html_page, judge
from finassay.cli import app
from finassay.core import ExitCode
from finassay.temporal import Catalog, catalog_yaml

LEAK = "SELECT FIRM, MAX(PROFIT) AS best FROM report WHERE PERIOD <= DATE '2024-06-30' GROUP BY FIRM"
EVIL = (
    "\"'></pre></style></title><script>alert(1)</script><img src=x onerror=alert(1)>&lt;<!--]]>\x00\u202e\x1b"
)
VOID = {"meta"}
NOTED = {"notes": ["why"], "warnings": ["look"]}  # what this certificate has none of


class Page(HTMLParser):
    """What a browser would build: the elements in order, their attributes, the text; unclosed ones are an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text = ""
        self.styles = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "style":
            self.styles += data
        else:
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


@pytest.fixture(scope="module")
def certificate(audited: Callable[..., Certificate]) -> Certificate:
    return audited(LEAK)


def spoiled(value: Any, keep: set[str]) -> Any:
    """Put the evil text behind every text of a document but those whose key is to be kept."""
    if isinstance(value, dict):
        # the columns of a witness are names of a stranger's too
        value = value | {k: _renamed(value[k]) for k in ("row", "altered") if isinstance(value.get(k), dict)}
        return {key: item if key in keep else spoiled(item, keep) for key, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item, keep) for item in value]
    return value + EVIL if isinstance(value, str) else value


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return {key + EVIL: value for key, value in row.items()}


def hostile(certificate: Certificate) -> Certificate:
    """Return a certificate in which every text that is not out of a closed list is evil."""
    document = certificate.model_dump(mode="json")
    document |= NOTED
    keep: set[str] = set()
    while True:
        try:
            return Certificate.model_validate(spoiled(document, keep))
        except ValidationError as error:  # the fields of closed lists are those that refuse it
            keep |= {str(part) for one in error.errors() for part in one["loc"][-1:]}
            keep |= {str(one["loc"][0]) for one in error.errors() if "[key]" in map(str, one["loc"])}


def render(*found: Audited, title: str = "research", baseline: Baseline | None = None) -> str:
    judged = judge(found, baseline, date(2026, 3, 31))
    return html_page(judged, title, baseline=baseline is not None)


def leak(certificate: Certificate, program: str = "leak.sql") -> Audited:
    return Audited(program, certificate, exit_code=ExitCode.FAILED)


def test_a_page_says_what_was_found(certificate: Certificate) -> None:
    text = Page(render(leak(certificate))).text
    witness = certificate.witnesses[0]
    assert witness.row is not None
    for said in ("FAIL", "leak.sql", witness.says, *witness.missing, *witness.added, witness.overlay, LEAK):
        assert said in text, said
    for column, value in witness.row.items():
        assert column in text
        assert (value or "NULL") in text
    assert certificate.digest in text


def test_every_text_of_a_certificate_may_be_hostile(certificate: Certificate) -> None:
    evil = hostile(certificate)
    for spoiled_text in (
        evil.program,
        evil.subject.sql_code or "",
        evil.witnesses[0].table,
        *(evil.witnesses[0].row or {}),
    ):
        assert EVIL in spoiled_text, "the hostile certificate is hostile"
    good = Page(render(leak(certificate.model_copy(update=NOTED))))
    bad = Page(render(leak(evil, "leak.sql" + EVIL), title="research" + EVIL))
    assert bad.tags == good.tags, "not one element more"
    assert [(tag, name) for tag, name, _ in bad.attributes] == [(t, n) for t, n, _ in good.attributes]
    assert "<script>alert(1)</script>" in bad.text, "it is shown as text"


def test_errors_reasons_and_waivers_may_be_hostile(certificate: Certificate) -> None:
    finding = judge([leak(certificate)], None, date(2026, 3, 31))[0].findings[0]
    waiver = {**finding.violation.model_dump(), "expires": date(2026, 3, 31)}

    def page(evil: str) -> Page:
        undecided = certificate.model_copy(
            update={"verdict": Verdict.UNKNOWN, "witnesses": [], "reasons": ["low_power" + evil]}
        )
        return Page(
            render(
                leak(certificate),
                Audited("broken.sql", error="broken" + evil, exit_code=ExitCode.BAD_INPUT),
                Audited("open.sql", undecided, exit_code=ExitCode.UNKNOWN),
                baseline=Baseline(waivers=(Waiver(**waiver, reason="why" + evil, owner="who" + evil),)),
            )
        )

    good, bad = page(""), page(EVIL)
    assert bad.tags == good.tags
    assert bad.text.count("<script>alert(1)</script>") >= 4


def test_nothing_runs_and_nothing_is_fetched(certificate: Certificate) -> None:
    text = render(leak(hostile(certificate)), leak(certificate))
    page = Page(text)
    assert not {"script", "img", "link", "iframe", "object", "form", "svg", "base"} & set(page.tags)
    assert all(not name.startswith("on") and name not in {"src", "style"} for _, name, _ in page.attributes)
    links = [value for _, name, value in page.attributes if name == "href"]
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert links == [f"#{one}" for one in ids], "links lead to the programs of this page alone"
    assert "url(" not in page.styles
    assert "@import" not in page.styles


def test_the_policy_of_the_page_allows_its_style_and_nothing_else(certificate: Certificate) -> None:
    page = Page(render(leak(certificate)))
    [policy] = [v or "" for _, name, v in page.attributes if name == "content" and "default-src" in (v or "")]
    assert "default-src 'none'" in policy
    digest = base64.b64encode(hashlib.sha256(page.styles.encode()).digest()).decode()
    assert re.findall(r"'sha256-([^']+)'", policy) == [digest]
    assert "unsafe" not in policy


def test_a_page_can_be_read_on_a_phone(certificate: Certificate) -> None:
    """The page is as wide as the screen; what may be wider, tables and code, scrolls in its own box."""
    page = Page(render(leak(certificate)))
    assert ("meta", "content", "width=device-width, initial-scale=1") in page.attributes
    boxes = sum(value == "wide" for _, name, value in page.attributes if name == "class")
    assert boxes == page.tags.count("table") > 0
    for rule in (
        r"\.wide\{[^}]*overflow-x:auto",
        r"pre\{[^}]*overflow-x:auto",
        r"body\{[^}]*overflow-wrap:anywhere",
    ):
        assert re.search(rule, page.styles), rule


def test_controls_are_written_out_and_any_text_can_be_saved(certificate: Certificate) -> None:
    failed = Audited("a\u202egnp\ud800.sql", error="Its name is not UTF-8.", exit_code=ExitCode.BAD_INPUT)
    text = render(leak(certificate), failed)
    assert r"a\u202egnp\ud800.sql" in text
    text.encode("utf-8")


def test_several_programs_have_an_overview(certificate: Certificate) -> None:
    failed = Audited("broken.sql", error="broken.sql is empty.", exit_code=ExitCode.BAD_INPUT)
    page = Page(render(leak(certificate), failed, baseline=Baseline()))
    assert [v for _, name, v in page.attributes if name == "href"] == ["#p1", "#p2"]
    assert "A1 report (new)" in page.text
    assert "broken.sql is empty." in page.text
    assert "a" not in Page(render(leak(certificate))).tags


def test_equal_audits_give_equal_pages(certificate: Certificate) -> None:
    assert render(leak(certificate)) == render(leak(certificate.model_copy()))


def test_the_command_writes_a_page(
    tmp_path: Path, market: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")
    (tmp_path / "far.sql").write_text("SELECT X FROM stranger -- </pre><script>alert(1)</script>")
    given = ["--db", market, "--catalog", "small.yaml", "--as-of", "2024-06-30", "--format", "html"]
    done = CliRunner().invoke(app, ["audit", "far.sql", *given])
    assert done.exit_code == 3, done.output
    assert done.stdout.startswith("<!doctype html>")
    page = Page(done.stdout)
    assert "script" not in page.tags
    assert "The catalog says nothing of the table stranger." in page.text

"""`finassay contract propose`: drafts on standard output or in a file, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from finassay.cli import app
from finassay.temporal import load_contract


def run(*arguments: str):
    return CliRunner().invoke(app, ["contract", "propose", *arguments])


def test_a_draft_that_is_sure_exits_with_0() -> None:
    result = run("以2024-12-24日终为信息截点，列出成分股", "--name", "stock_001")
    assert result.exit_code == 0, result.output
    assert "contract: stock_001" in result.stdout
    assert "mark: confirm" not in result.stdout


def test_what_must_be_confirmed_exits_with_3_and_is_named() -> None:
    result = run("as of 2024-12-24, the net profit of 2023 as reported by filings", "--format", "json")
    assert result.exit_code == 3
    document = json.loads(result.stdout)
    assert document["unconfirmed"] == ["version"]
    assert document["contract"]["as_of"] == {"date": "2024-12-24", "boundary": "eod"}
    assert "to be confirmed (change the mark to 'sure'): version" in result.stderr


def test_programs_are_read_by_their_suffix_and_the_draft_is_written_once(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("SELECT SECUCODE FROM secumain WHERE LISTEDDATE <= '2024-12-24'")
    out = tmp_path / "contract.yaml"
    result = run(str(tmp_path / "q.sql"), "截至2024-12-24", "--catalog", "gildata", "--out", str(out))
    assert result.exit_code == 3
    contract = load_contract(out)
    assert contract.sources == ("secumain",)
    assert contract.life is not None
    again = run(str(tmp_path / "q.sql"), "--out", str(out))
    assert again.exit_code == 2
    assert "exists" in again.stderr


def test_a_file_that_is_missing_or_no_program(tmp_path: Path) -> None:
    missing = run(str(tmp_path / "none.sql"))
    assert missing.exit_code == 2
    assert "cannot be read" in missing.stderr
    (tmp_path / "p.py").write_text("def (:")
    broken = run(str(tmp_path / "p.py"))
    assert broken.exit_code == 2
    assert "not Python" in broken.stderr

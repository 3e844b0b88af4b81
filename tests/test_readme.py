"""The README's five-minute example is run as it stands: same program, same data, same output but for the times."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(language: str, holding: str) -> str:
    """The code block of a language that holds a text."""
    return next(
        text for text in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL) if holding in text
    )


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d+ (ms|s)\b", "- \\1", re.sub(r" +", " ", text)).strip()


@pytest.mark.jail
def test_the_first_example_gives_the_output_shown(tmp_path: Path) -> None:
    (tmp_path / "market").mkdir()
    (tmp_path / "market" / "prices.csv").write_text(block("csv", "symbol"))
    (tmp_path / "study.py").write_text(block("python", "db_connector"))
    command, _, shown = block("console", "finassay run study.py").partition("\n")
    arguments = command.removeprefix("$ finassay ").split()
    done = subprocess.run(
        [sys.executable, "-m", "finassay", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    jail = r"jail bubblewrap \S+"  # the version is the machine's
    assert re.sub(jail, "", without_times(done.stdout)) == re.sub(jail, "", without_times(shown))
    assert {path.name for path in (tmp_path / "result").iterdir()} == {
        "result.parquet",
        "result.csv",
        "trace.json",
    }


def test_the_pages_it_points_to_exist() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    assert [link for link in links if not (Path(__file__).parents[1] / link).exists()] == []

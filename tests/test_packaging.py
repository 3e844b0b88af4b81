"""What is shipped: locks, licence, versions, and the look of the sources."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import finassay

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MOST_LINES = 600


def locked(lock: Path) -> dict[str, list[str]]:
    """Return the entries of a lock by name, each as one line with its hashes."""
    text = re.sub(r"^\s*#.*\n", "", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    entries: dict[str, list[str]] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            entries.setdefault(canonicalize_name(re.split(r"[=\[; ]", line, maxsplit=1)[0]), []).append(line)
    return entries


def versions(lock: Path) -> set[tuple[str, str]]:
    return {
        (name, re.search(r"==([^ ;]+)", entry)[1])
        for name, entries in locked(lock).items()
        for entry in entries
    }


def names(requirements: list[object]) -> set[str]:
    """The packages asked for; a group that is included in another is locked as itself."""
    return {canonicalize_name(Requirement(text).name) for text in requirements if isinstance(text, str)}


def tracked() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: the tracked files are not known")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_has_one_version_and_hashes(lock):
    entries = [entry for entries in locked(lock).values() for entry in entries]
    assert entries
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+(\[[a-z,-]+\])?==\S+ ", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_host(lock):
    assert not re.search(
        r"://|^\s*(-i|-f|--index|--extra-index|--find-links|--trusted)", lock.read_text(), re.MULTILINE
    )


def test_everything_asked_for_is_locked():
    project = PROJECT["project"]
    asked = names(project["dependencies"])
    asked |= {name for extra in project["optional-dependencies"].values() for name in names(extra)}
    asked |= {name for group in PROJECT["dependency-groups"].values() for name in names(group)}
    asked |= names(PROJECT["build-system"]["requires"])
    assert asked - set(locked(ROOT / "requirements" / "dev.txt")) == set()


def test_the_demo_lock_is_a_part_of_the_whole_one():
    assert versions(ROOT / "requirements" / "demo.txt") <= versions(ROOT / "requirements" / "dev.txt")


def test_the_demo_lock_holds_the_program_and_no_test_tools():
    demo = set(locked(ROOT / "requirements" / "demo.txt"))
    assert names(PROJECT["project"]["dependencies"]) <= demo
    assert demo & {"pytest", "ray", "mypy", "mkdocs"} == set()


def test_one_version_everywhere():
    version = PROJECT["project"]["version"]
    assert finassay.__version__ == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_licence_is_apache_2_in_full():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert all(f"\n   {section}. " in text for section in range(1, 10))  # it has nine sections
    assert "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["project"]["license"] == "Apache-2.0"


# Split, so that this file does not find itself
MACHINE_PATH = re.compile(rb"(?<![\w./~-])/(?:" + rb"work" + rb"|ro" + rb"ot|home|Users" + rb")/[\w.-]+")


def test_no_tracked_file_names_a_path_of_a_machine():
    found = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content[:8000]:
            found += [
                f"{path.relative_to(ROOT)}: {match.decode()}" for match in MACHINE_PATH.findall(content)
            ]
    assert found == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_module_says_what_it_is_and_is_of_a_size_to_read(path):
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert text.startswith(('"""', 'r"""')), "the docstring is not the first line"
    assert text.count("\n") <= MOST_LINES

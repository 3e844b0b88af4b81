"""Imports go one way: a room may import the rooms above it in DESIGN.md, section 2, and none below."""

from __future__ import annotations

import ast
import re
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

# From the top of the house to its bottom; rooms on one line do not know each other
ROOMS = [
    ["finassay.core"],
    ["finassay.executor"],
    ["finassay.statistics"],
    ["finassay.temporal"],
    ["finassay.database"],
    ["finassay.grading"],
    ["finassay.indicators"],
    ["finassay.trading"],
    ["finassay.world"],
    ["finassay.documents"],
    ["finassay.execution"],
    ["finassay.audit"],
    ["finassay.results"],
    ["finassay.suites.buysideflow", "finassay.suites.bizfinbench", "finassay.suites.findeepindicator"],
    ["finassay.harness"],
    ["finassay.reporting"],
    ["finassay.web"],
    ["finassay.integrations"],
    ["finassay.cli"],
]
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}
HALLS = {"finassay.suites", "finassay.__main__"}  # packages between rooms, and the door to finassay.cli


def room_of(module: str) -> str | None:
    """Return the room a module lies in, or None for the top of the house and for unknown places."""
    return next((room for room in FLOOR if module == room or module.startswith(f"{room}.")), None)


def module_name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, source: Path) -> set[str]:
    """Every module a file imports, inside functions and under TYPE_CHECKING too, by its absolute name."""
    module = module_name(path, source)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            base = resolve_name("." * node.level + base, package) if node.level else base
            # "from finassay import database" imports a room by the name after the import
            found.update(
                {f"{base}.{alias.name}" for alias in node.names}
                if base in {"finassay", "finassay.suites"}
                else {base}
            )
    return found


def violations(source: Path) -> list[str]:
    """Return a line per import that goes the wrong way, and per module outside every room."""
    found = []
    for path in sorted(source.rglob("*.py")):
        module = module_name(path, source)
        here = room_of(module)
        if here is None and module not in {"finassay", *HALLS}:
            found.append(f"{module} lies in no room")
            continue
        for name in sorted(imports(path, source)):
            if name.split(".")[0] == "inspect_ai" and here != "finassay.harness":
                found.append(f"{module} imports inspect_ai: only finassay.harness may")
            there = room_of(name)
            floor = FLOOR[here] if here else -1 if module == "finassay" else len(ROOMS)
            if there is not None and there != here and FLOOR[there] >= floor:
                found.append(f"{module} imports {name}, which is not above it")
    return found


def test_imports_go_one_way():
    assert violations(SOURCE) == []


# The rules themselves, each broken by a house of one or two files


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"finassay/core/_x.py": "import finassay.database"}, "finassay.core._x imports finassay.database"),
        ({"finassay/core/_x.py": "def f():\n    from finassay.cli import app"}, "imports finassay.cli"),
        ({"finassay/core/_x.py": "from finassay import audit"}, "imports finassay.audit"),
        ({"finassay/core/_x.py": "from ..database._types import X"}, "imports finassay.database._types"),
        (
            {"finassay/suites/buysideflow/_x.py": "from finassay.suites import bizfinbench"},
            "imports finassay.suites.bizfinbench",
        ),
        ({"finassay/audit/_x.py": "import inspect_ai.model"}, "only finassay.harness may"),
        ({"finassay/kitchen/__init__.py": ""}, "finassay.kitchen lies in no room"),
        ({"finassay/__init__.py": "from finassay.core import InputError"}, "finassay imports finassay.core"),
    ],
)
def test_a_broken_rule_is_found(tmp_path, files, complaint):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    [found] = violations(tmp_path)
    assert complaint in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("finassay/database/_x.py", "from finassay.core import InputError"),
        ("finassay/harness/_x.py", "import inspect_ai"),
        ("finassay/suites/buysideflow/_x.py", "from finassay.audit import audit"),
        ("finassay/cli/_x.py", "import finassay\nfrom finassay import __version__"),
    ],
)
def test_what_is_allowed_passes(tmp_path, name, text):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text)
    assert violations(tmp_path) == []


def test_the_oracle_shares_no_code_with_what_makes_tables() -> None:
    """Its answers are held against the tables, so that an error of theirs must not be its own."""
    world = SOURCE / "finassay" / "world"
    makers = {"_materialise", "_tables", "_makers", "_vendor", "_versions", "_blocks"}
    for path in [world / "oracle.py", *sorted(world.glob("_oracle_*.py"))]:
        lines = path.read_text(encoding="utf-8").partition("if TYPE_CHECKING:")[0]
        found = {
            name for name in re.findall(r"finassay\.world\.([\w.]+)", lines) if name.split(".")[0] in makers
        }
        assert not found, f"{path.name} imports {found}"

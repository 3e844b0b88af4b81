"""Write the JSON schema of every public format to docs/schemas/; with --check, say which files are out of date."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.execution._submission import SubmissionFile
from finassay.execution._trace import Trace
from finassay.grading import OutputContract

if TYPE_CHECKING:
    from pydantic import BaseModel

FORMATS: dict[str, type[BaseModel]] = {
    "output-contract": OutputContract,
    "submission": SubmissionFile,
    "trace": Trace,
}
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schemas"


def schema_text(model: type[BaseModel]) -> str:
    """The schema as it lies in the file."""
    return json.dumps(model.model_json_schema(), ensure_ascii=False, indent=2) + "\n"


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for name, model in FORMATS.items():
        path, text = FOLDER / f"{name}.json", schema_text(model)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if not check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(stale)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())

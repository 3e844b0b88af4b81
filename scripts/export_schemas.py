"""Write the JSON schema of every public format to docs/schemas/; with --check, say which files are out of date."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from finassay.audit import baseline_schema, certificate_schema
from finassay.audit._corpus import task_schema, truth_schema
from finassay.execution._submission import SubmissionFile
from finassay.execution._trace import Trace
from finassay.grading import OutputContract
from finassay.results import Difference, ResultRow, Summary, Verification
from finassay.temporal import catalog_schema, contract_schema

FORMATS: dict[str, Callable[[], dict[str, Any]]] = {
    "baseline": baseline_schema,
    "catalog": catalog_schema,
    "certificate": certificate_schema,
    "contract": contract_schema,
    "corpus-task": task_schema,
    "corpus-truth": truth_schema,
    "output-contract": OutputContract.model_json_schema,
    "result-row": ResultRow.model_json_schema,
    "results-difference": Difference.model_json_schema,
    "results-summary": Summary.model_json_schema,
    "results-verification": Verification.model_json_schema,
    "submission": SubmissionFile.model_json_schema,
    "trace": Trace.model_json_schema,
}
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schemas"


def schema_text(schema: Callable[[], dict[str, Any]]) -> str:
    """The schema as it lies in the file."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for name, schema in FORMATS.items():
        path, text = FOLDER / f"{name}.json", schema_text(schema)
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

"""Agreement coefficients by irrCAC, for tests to compare with: JSON cases on stdin, JSON results on stdout.

irrCAC pins an old scipy, so it lives in an environment of its own:

    python3.11 -m venv .venv-oracles
    .venv-oracles/bin/pip install --require-hashes -r requirements/oracles.txt

A case is {"ratings": [[label or null, ...], ...], "categories": [...], "weights": "identity"}; a result holds, for each
coefficient, its value, standard error and interval. The whole scale is passed: irrCAC would infer it from the data.
"""

import json
import sys

import pandas as pd
from irrCAC.raw import CAC


def coefficients(case: dict) -> dict:
    ratings = pd.DataFrame(case["ratings"], dtype=float)
    cac = CAC(ratings, weights=case["weights"], categories=case["categories"], digits=12)
    results = {}
    for name in ("gwet", "fleiss", "krippendorff"):
        found = getattr(cac, name)()["est"]
        low, high = found["confidence_interval"]
        results[name] = {
            "value": float(found["coefficient_value"]),
            "standard_error": float(found["se"]),
            "low": float(low),
            "high": float(high),
        }
    return results


if __name__ == "__main__":
    json.dump([coefficients(case) for case in json.load(sys.stdin)], sys.stdout)

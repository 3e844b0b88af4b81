"""A process of its own for one shard: reads the plan from standard input, leaves a log."""

from __future__ import annotations

import json
import sys

from finassay.core import FinassayError
from finassay.harness._evaluate import EvaluationPlan, run_shard

if __name__ == "__main__":
    asked = json.load(sys.stdin)
    try:
        run_shard(EvaluationPlan(**asked["plan"]), asked["shard"])
    except FinassayError as error:
        sys.stderr.write(f"finassay: {error}\n")
        sys.exit(int(error.exit_code))

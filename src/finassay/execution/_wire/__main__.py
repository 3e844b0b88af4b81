"""The entry point of the broker's process; `finassay.execution.Broker` starts it and nobody else should."""

from __future__ import annotations

from finassay.execution._wire._process import main

if __name__ == "__main__":
    main()

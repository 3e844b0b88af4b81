"""`python -m finassay`: the command line."""

from __future__ import annotations

from finassay.cli import main

if __name__ == "__main__":
    main()

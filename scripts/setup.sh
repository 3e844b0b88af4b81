#!/bin/sh
# Make or renew a virtual environment from a lock file: setup.sh LOCK VENV
# Needs Python 3.11 or later and its pip; PYTHON names the interpreter. Does nothing where all is up to date.
set -eu

lock=$1
venv=$2
python=${PYTHON:-python3}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    found=$("$python" --version 2>&1 | head -n 1)
    echo "finassay needs Python 3.11 or later; '$python' is: ${found:-not there}." >&2
    echo "Install one and name it: make PYTHON=/path/to/python3.11 ..." >&2
    exit 2
fi

state_of() { cat "$1" pyproject.toml | "$python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'; }
stamp_of() { echo "$venv/.finassay-$(basename "$1" .txt)"; }
for complete in "$lock" requirements/dev.txt; do # dev.txt holds all that any other lock does
    if [ -x "$venv/bin/finassay" ] && [ "$(cat "$(stamp_of "$complete")" 2>/dev/null)" = "$(state_of "$complete")" ]; then
        exit 0
    fi
done

# Debian's python3 may lack ensurepip (its package python3-venv): then the outer pip installs into the environment
if [ ! -x "$venv/bin/python" ] && ! "$python" -m venv "$venv" >/dev/null 2>&1; then
    "$python" -m venv --without-pip "$venv"
fi
if "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    pip() { "$venv/bin/python" -m pip "$@"; }
else
    pip() { "$python" -m pip --python "$venv/bin/python" "$@"; }
fi

echo "Installing $lock into $venv (once; some minutes on a slow line) ..."
pip install --quiet --disable-pip-version-check --require-hashes --requirement "$lock"
pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
state_of "$lock" >"$(stamp_of "$lock")"

#!/bin/sh
# Build the wheel without network, install it in a clean environment from the lock, and use it there: check_wheel.sh VENV
set -eu

venv=$1
python=${PYTHON:-python3}
most=5000000 # bytes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$venv/bin/python" -m build --wheel --no-isolation --outdir "$work/dist" . >"$work/build.log" || { cat "$work/build.log"; exit 1; }
wheel=$(ls "$work"/dist/*.whl)
size=$(wc -c <"$wheel")
echo "$(basename "$wheel"): $size bytes"
if [ "$size" -gt "$most" ]; then
    echo "The wheel has $size bytes; at most $most are allowed. Is there data in src/?" >&2
    exit 1
fi

"$python" -m venv "$work/clean" >/dev/null 2>&1 || "$python" -m venv --without-pip "$work/clean"
pip() { "$python" -m pip --python "$work/clean/bin/python" --disable-pip-version-check --quiet "$@"; }
pip install --require-hashes --requirement requirements/demo.txt
pip install --no-deps --no-index "$wheel"
pip check

mkdir "$work/market"
printf 'symbol,close\nAAA,10.5\nBBB,20.0\n' >"$work/market/prices.csv"
printf 'SELECT symbol, close FROM prices WHERE close > 15\n' >"$work/question.sql"
cd "$work"
clean/bin/finassay --help >/dev/null
clean/bin/finassay run question.sql --db market --jail "${JAIL:-auto}" >answer.txt || { cat answer.txt; exit 1; }
grep -q BBB answer.txt || { echo "expected the row of BBB in:" >&2; cat answer.txt >&2; exit 1; }
echo "The wheel works in a clean environment."

#!/bin/sh
# Make or renew the separate environment of irrCAC, which needs older numerical libraries than ours: setup_oracles.sh VENV
set -eu

lock=requirements/oracles.txt
venv=$1
python=${PYTHON:-python3}
stamp="$venv/.finassay-oracles"
state=$("$python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$lock")

[ "$(cat "$stamp" 2>/dev/null)" = "$state" ] && exit 0
echo "Installing $lock into $venv (once) ..."
[ -x "$venv/bin/python" ] || "$python" -m venv --without-pip "$venv"
"$python" -m pip --python "$venv/bin/python" install --quiet --disable-pip-version-check --require-hashes --requirement "$lock"
echo "$state" >"$stamp"

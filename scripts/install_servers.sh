#!/bin/sh
# Install the database servers that tests use: Debian's mariadb-server and postgresql. They are started by the tests
# themselves, on a free loopback port and in a private folder; no service needs to run.
set -eu

missing=""
command -v mariadbd >/dev/null 2>&1 || [ -x /usr/sbin/mariadbd ] || missing="$missing mariadb-server"
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null 2>&1 || missing="$missing postgresql"

if [ -z "$missing" ]; then
    echo "MariaDB and PostgreSQL are installed."
    exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing:$missing"
    echo "As root on Debian or Ubuntu: apt-get install --no-install-recommends$missing"
    echo "Elsewhere: install MariaDB 10.6+ and PostgreSQL 13+ so that mariadbd and postgres are found on PATH."
    echo "Without them the tests that need a server are skipped (they fail where CI=true)."
    exit 1
fi

# Debian starts a service for each on installation; the tests want none.
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing

"""Real database servers for tests: MariaDB and PostgreSQL on a free loopback port, in a private folder."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

PASSWORD = "s3cret/pass@word"  # with characters that a URL must escape
QUOTED_PASSWORD = "s3cret%2Fpass%40word"
START_SECONDS = 60.0


@dataclass(frozen=True)
class Server:
    """A running server: `admin` may do everything, `reader` has SELECT on every database of the tests."""

    kind: str
    host: str
    port: int

    def admin_url(self, database: str = "test") -> str:
        return f"{self._scheme}://admin:{QUOTED_PASSWORD}@{self.host}:{self.port}/{database}"

    def reader_url(self, database: str = "test") -> str:
        return f"{self._scheme}://reader:{QUOTED_PASSWORD}@{self.host}:{self.port}/{database}"

    @property
    def _scheme(self) -> str:
        return "mysql" if self.kind == "mariadb" else "postgresql"

    def execute(self, *statements: str, database: str = "test") -> None:
        """Run statements as the administrator, each on its own."""
        if self.kind == "mariadb":
            import pymysql

            arguments = self.driver_arguments(database)
            with pymysql.connect(**arguments, autocommit=True) as connection, connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
            return
        import psycopg

        with psycopg.connect(**self.driver_arguments(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def driver_arguments(self, database: str = "test") -> dict[str, object]:
        """What the driver's own `connect` takes, as the administrator."""
        name = "database" if self.kind == "mariadb" else "dbname"
        common = {"host": self.host, "port": self.port, "user": "admin", "password": PASSWORD, name: database}
        return common | ({"charset": "utf8mb4", "local_infile": True} if self.kind == "mariadb" else {})

    @contextlib.contextmanager
    def database(self, name: str) -> Iterator[str]:
        """A fresh database that `reader` may read, dropped at the end."""
        drop = f"DROP DATABASE IF EXISTS {name}" + (" WITH (FORCE)" if self.kind == "postgres" else "")
        self.execute(drop, f"CREATE DATABASE {name}")
        if self.kind == "mariadb":
            self.execute(f"GRANT SELECT, SHOW VIEW ON {name}.* TO reader@'%'")
        else:
            self.execute(
                "GRANT USAGE ON SCHEMA public TO reader",
                "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader",
                database=name,
            )
        try:
            yield name
        finally:
            self.execute(drop)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    """A MariaDB server with databases `test` and users `admin` and `reader`."""
    install = _program("mariadb-install-db", "/usr/bin")
    server = _program("mariadbd", "/usr/sbin", "/usr/libexec")
    if not (install and server):
        _absent("MariaDB", "mariadb-server")
    with _folder("mysql") as (folder, prefix):
        data, port = folder / "data", free_port()
        _run(
            [
                *prefix,
                install,
                "--no-defaults",
                f"--datadir={data}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--innodb-log-file-size=8M",
            ],
            folder / "install.log",
        )
        command = [
            *prefix,
            server,
            "--no-defaults",
            f"--datadir={data}",
            f"--socket={folder}/s",
            f"--pid-file={folder}/pid",
            f"--port={port}",
            "--bind-address=127.0.0.1",
            "--skip-networking=0",
            "--skip-name-resolve",
            "--innodb-buffer-pool-size=64M",
            "--innodb-log-file-size=8M",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-doublewrite=0",
            "--innodb-use-native-aio=0",
            "--aria-pagecache-buffer-size=8M",
            "--performance-schema=0",
            "--skip-log-bin",
            "--local-infile=1",
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_general_ci",
            "--max-connections=40",
        ]
        with _running(command, folder / "server.log", lambda: _mariadb_ready(folder / "s")):
            yield Server("mariadb", "127.0.0.1", port)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server with database `test` and roles `admin` (superuser) and `reader`."""
    homes = [str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    initdb, server = _program("initdb", *homes), _program("postgres", *homes)
    if not (initdb and server):
        _absent("PostgreSQL", "postgresql")
    with _folder("postgres") as (folder, prefix):
        data, port = folder / "data", free_port()
        password = folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        _run(
            [
                *prefix,
                initdb,
                "-D",
                str(data),
                "-U",
                "admin",
                "--auth=scram-sha-256",
                f"--pwfile={password}",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "--no-instructions",
            ],
            folder / "install.log",
        )
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": folder,
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "shared_buffers": "64MB",
            "autovacuum": "off",
            "max_connections": 40,
            "max_parallel_workers_per_gather": 0,
            "jit": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with _running(
            [*prefix, server, "-D", str(data), *options], folder / "server.log", lambda: _postgres_ready(port)
        ):
            yield Server("postgres", "127.0.0.1", port)


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _mariadb_ready(path: Path) -> None:
    import pymysql

    if not path.is_socket():
        raise FileNotFoundError(path)  # pymysql would leave its own socket open
    with pymysql.connect(unix_socket=str(path), user="root") as connection, connection.cursor() as cursor:
        for statement in (
            "CREATE DATABASE IF NOT EXISTS test",
            f"CREATE USER IF NOT EXISTS admin@'%' IDENTIFIED BY '{PASSWORD}'",
            "GRANT ALL ON *.* TO admin@'%' WITH GRANT OPTION",
            f"CREATE USER IF NOT EXISTS reader@'%' IDENTIFIED BY '{PASSWORD}'",
            "GRANT SELECT, SHOW VIEW ON test.* TO reader@'%'",
        ):
            cursor.execute(statement)


def _postgres_ready(port: int) -> None:
    import psycopg

    arguments = {"host": "127.0.0.1", "port": port, "user": "admin", "password": PASSWORD}
    with psycopg.connect(**arguments, dbname="postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE test")
        connection.execute(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")


def _program(name: str, *folders: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


def _absent(what: str, package: str) -> None:
    message = f"{what} is not installed; run scripts/install_servers.sh (Debian package {package})"
    if os.environ.get("CI", "").lower() in {"1", "true", "yes"}:
        pytest.fail(message)
    pytest.skip(message)


@contextlib.contextmanager
def _folder(user: str) -> Iterator[tuple[Path, list[str]]]:
    """A private folder owned by the server's user, and the words that make a command run as that user.

    The servers refuse to run as root. Sockets lie in it, so its path is kept short.
    """
    folder = Path(tempfile.mkdtemp(prefix="fa-"))
    prefix: list[str] = []
    if os.geteuid() == 0:
        entry = pwd.getpwnam(user)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        prefix = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
    try:
        yield folder, prefix
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: Sequence[str], log: Path) -> None:
    with log.open("wb") as stream:
        done = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, cwd="/", check=False)
    if done.returncode:
        pytest.fail(f"{command} failed:\n{log.read_text(errors='replace')[-3000:]}")


@contextlib.contextmanager
def _running(command: Sequence[str], log: Path, ready: Callable[[], None]) -> Iterator[None]:
    """Run a server until the block ends; `ready` raises until it answers, and then prepares it."""
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, cwd="/")
    try:
        _wait(process, log, ready)
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], log: Path, ready: Callable[[], None]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            ready()
        except Exception as error:  # noqa: BLE001 - any failure means: not yet
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"the server did not start ({error}):\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.1)
        else:
            return

"""A Postgres of the benchmarks' own in a temporary folder, gone at the end however it comes."""

import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
from psycopg import sql

from series_pipelines.postgres.connection import connect
from series_pipelines.postgres.embedded.server import EmbeddedPostgres, start_embedded
from series_pipelines.postgres.migrate import migrate

REMOVE_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Server:
    """The running Postgres and a folder for whatever else a benchmark must put somewhere."""

    postgres: EmbeddedPostgres
    folder: Path

    @contextmanager
    def fresh_database(self) -> Iterator[str]:
        """Give a migrated, empty database, dropped afterwards: as its owner, who may empty and vacuum its tables."""
        name = f"bench_{uuid4().hex[:12]}"
        url = urlunsplit(urlsplit(self.postgres.owner_url)._replace(path=f"/{name}"))
        owner = sql.Identifier(urlsplit(url).username or "")
        self.administer(sql.SQL("create database {} owner {}").format(sql.Identifier(name), owner))
        try:
            with connect(url, purpose="bench") as conn:
                migrate(conn)
            yield url
        finally:
            self.administer(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))

    def checkpoint(self) -> None:
        """Write all dirty pages, so that none falls due inside a measurement."""
        self.administer(sql.SQL("checkpoint"))

    def find_version(self) -> str:
        """Return the server's version."""
        with psycopg.connect(self.postgres.admin_url) as admin:
            return f"{admin.info.server_version // 10_000}.{admin.info.server_version % 10_000}"

    def administer(self, statement: sql.SQL | sql.Composed) -> None:
        """Run one statement as the superuser."""
        with psycopg.connect(self.postgres.admin_url, autocommit=True) as admin:
            admin.execute(statement)


@contextmanager
def start_server() -> Iterator[Server]:
    """Start Postgres; stop it and remove its folder also after Ctrl-C, SIGTERM and SIGHUP."""
    _handle_signals(_interrupt)
    # Postgres may run as another user than root, who must be able to pass through this folder.
    folder = Path(tempfile.mkdtemp(prefix="series-bench-"))
    folder.chmod(0o755)
    try:
        postgres = start_embedded(folder / "home")
        try:
            yield Server(postgres, folder)
        finally:
            # A second Ctrl-C must not stop the cleaning up.
            _handle_signals(signal.SIG_IGN)
            postgres.close()
    finally:
        _remove(folder)
        _handle_signals(signal.SIG_DFL)


def _remove(folder: Path) -> None:
    # Postgres stops by itself when its last user is gone, and writes a little while it does.
    deadline = time.monotonic() + REMOVE_SECONDS
    while folder.exists() and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.05)


def _handle_signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def vacuum(url: str) -> None:
    """Bring a database's statistics and visibility maps to where autovacuum would have brought them."""
    with connect(url, purpose="bench vacuum", autocommit=True) as conn:
        conn.execute("vacuum analyze")

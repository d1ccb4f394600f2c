"""A Postgres for tests, our own or somebody's, and a fresh database on it."""

import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from series_pipelines.postgres.connection import connect
from series_pipelines.postgres.embedded.server import is_running
from series_pipelines.postgres.migrate import migrate
from series_pipelines.postgres.protection import admit_writer
from series_pipelines.postgres.queries import find_sql_folder

ADMIN_URL = "SERIES_TEST_ADMIN_URL"
MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 4 << 30
HOME_PREFIX = "series-test-"


@dataclass(frozen=True)
class Server:
    """Its writer, who may do what the application may, the owner of the tables, and a superuser."""

    url: str
    owner_url: str
    admin_url: str


def make_home() -> Path:
    """Make a folder for a server, in memory if there is room: hundreds of databases are made and dropped in it."""
    if MEMORY.is_dir():
        for home in MEMORY.glob(f"{HOME_PREFIX}*"):
            # Of a session that was killed.
            if time.time() - home.stat().st_mtime > 3_600 and not is_running(home):
                shutil.rmtree(home, ignore_errors=True)
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ENOUGH_BYTES
    home = Path(tempfile.mkdtemp(prefix=HOME_PREFIX, dir=MEMORY if has_room else None))
    home.chmod(0o755)
    return home


def replace_database(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


def migrate_database(owner_url: str, url: str) -> None:
    """Make the tables as their owner, and let the writer in."""
    with connect(owner_url, purpose="migrate") as conn:
        migrate(conn)
        admit_writer(conn, urlsplit(url).username or "")


def copy_migrations(folder: Path, keep: Callable[[str], bool] = lambda name: True) -> Path:
    """Copy the heart's migrations, or some of them, and return the folder to migrate from."""
    for file in (find_sql_folder() / "ingest" / "migrations").glob("*.sql"):
        if keep(file.name):
            target = folder / "ingest" / "migrations" / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    return folder


def share_server(admin_url: str) -> Iterator[Server]:
    """Use somebody's server with roles of this session's own, and leave nothing behind."""
    writer = f"series_{uuid.uuid4().hex[:12]}"
    owner = f"{writer}_owner"
    parts = urlsplit(admin_url)
    url, owner_url = [
        parts._replace(netloc=f"{role}:{role}@{parts.hostname}:{parts.port or 5432}").geturl()
        for role in (writer, owner)
    ]
    with psycopg.connect(admin_url, autocommit=True) as admin:
        for role in (writer, owner):
            admin.execute(f"create role {role} login password '{role}'")
        yield Server(url, owner_url, admin_url)
        for (database,) in admin.execute("select datname from pg_database where datdba = %s::regrole", [owner]):
            admin.execute(f"drop database {database} with (force)")
        for role in (writer, owner):
            admin.execute(f"drop role {role}")


def create_database(postgres: Server, template: str) -> Iterator[str]:
    name = f"t_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres.admin_url, autocommit=True) as admin:
        # A tenth of the time that it takes by way of the log; before Postgres 15 there is no other.
        strategy = "strategy file_copy" if admin.info.server_version >= 150_000 else ""
        owner = urlsplit(postgres.owner_url).username
        admin.execute(f"create database {name} template {template} owner {owner} {strategy}")
        yield replace_database(postgres.url, name)
        admin.execute(f"drop database {name} with (force)")

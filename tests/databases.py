"""A Postgres for tests, our own or somebody's, and a fresh database on it."""

import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

ADMIN_URL = "SERIES_TEST_ADMIN_URL"
MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 4 << 30


@dataclass(frozen=True)
class Server:
    url: str
    admin_url: str


def find_fast_folder() -> Path | None:
    """Return a folder in memory with room for a server: hundreds of databases are made and dropped in it."""
    return MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ENOUGH_BYTES else None


def replace_database(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


def share_server(admin_url: str) -> Iterator[Server]:
    """Use somebody's server with a role of this session's own, and leave nothing behind."""
    role = f"series_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute(f"create role {role} login password '{role}'")
        parts = urlsplit(admin_url)
        yield Server(parts._replace(netloc=f"{role}:{role}@{parts.hostname}:{parts.port or 5432}").geturl(), admin_url)
        for (database,) in admin.execute("select datname from pg_database where datdba = %s::regrole", [role]):
            admin.execute(f"drop database {database} with (force)")
        admin.execute(f"drop role {role}")


def create_database(postgres: Server, template: str) -> Iterator[str]:
    name = f"t_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres.admin_url, autocommit=True) as admin:
        # A tenth of the time that it takes by way of the log; before Postgres 15 there is no other.
        strategy = "strategy file_copy" if admin.info.server_version >= 150_000 else ""
        role = urlsplit(postgres.url).username
        admin.execute(f"create database {name} template {template} owner {role} {strategy}")
        yield replace_database(postgres.url, name)
        admin.execute(f"drop database {name} with (force)")

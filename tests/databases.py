"""A Postgres for tests, our own or somebody's, and a fresh database on it."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

import psycopg

ADMIN_URL = "SERIES_TEST_ADMIN_URL"


@dataclass(frozen=True)
class Server:
    url: str
    admin_url: str


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
        admin.execute(f"create database {name} template {template} owner {urlsplit(postgres.url).username}")
        yield replace_database(postgres.url, name)
        admin.execute(f"drop database {name} with (force)")

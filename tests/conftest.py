"""One real Postgres a session, one migrated template, one fresh database a test."""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from series_pipelines.settings import load_settings
from series_pipelines.store.connection import Connection, connect
from series_pipelines.store.embedded import EmbeddedPostgres, start_embedded
from series_pipelines.store.migrate import migrate

TEMPLATE = "series_template"


def replace_database(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    home = Path(tempfile.mkdtemp(prefix="series-test-"))
    home.chmod(0o755)
    server = start_embedded(home)
    yield server
    server.close()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def template(postgres: EmbeddedPostgres) -> str:
    with psycopg.connect(postgres.admin_url, autocommit=True) as admin:
        admin.execute(f"create database {TEMPLATE} owner series")
        # What is lost in a power cut does not matter here, and commits are the most of a test.
        admin.execute("alter role series set synchronous_commit = off")
    with connect(replace_database(postgres.url, TEMPLATE), purpose="test") as conn:
        migrate(conn)
    return TEMPLATE


def create_database(postgres: EmbeddedPostgres, template: str) -> Iterator[str]:
    name = f"t_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres.admin_url, autocommit=True) as admin:
        admin.execute(f"create database {name} template {template} owner series")
        yield replace_database(postgres.url, name)
        admin.execute(f"drop database {name} with (force)")


@pytest.fixture
def database_url(postgres: EmbeddedPostgres, template: str) -> Iterator[str]:
    """The address of a migrated, empty database of this test's own."""
    yield from create_database(postgres, template)


@pytest.fixture
def conn(database_url: str) -> Iterator[Connection]:
    """A connection to this test's database."""
    with connect(database_url, purpose="test") as connection:
        yield connection


@pytest.fixture
def series_environment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """This process's environment with this test's database in it, as a user would set it."""
    for name in [name for name in os.environ if name.startswith("SERIES_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SERIES_DATABASE_URL", database_url)
    monkeypatch.setenv("SERIES_DEMO_LATENCY_MS", "0")
    load_settings.cache_clear()
    yield dict(os.environ)
    load_settings.cache_clear()

"""One real Postgres a session, one migrated template, one fresh database a test.

`SERIES_TEST_ADMIN_URL=postgresql://superuser:password@host/postgres make test` tries another server than our own.
"""

import os
import shutil
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from click.testing import CliRunner, Result

from series_pipelines.app.settings import load_settings
from series_pipelines.cli import series
from series_pipelines.ingest.lane import lane
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.postgres.embedded.server import start_embedded
from tests.support.cli_results import Run
from tests.support.databases import (
    ADMIN_URL,
    Server,
    create_database,
    make_home,
    migrate_database,
    replace_database,
    share_server,
)


@pytest.fixture(scope="session", autouse=True)
def _collect_as_usual() -> None:
    """Collect garbage as any process does: what a test leaves open is to be found while that test runs."""
    lane._spare_collections = lambda: None  # type: ignore[assignment]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    if given := os.environ.get(ADMIN_URL):
        yield from share_server(given)
        return
    home = make_home()
    server = start_embedded(home)
    yield Server(server.url, server.owner_url, server.admin_url)
    server.close()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def template(postgres: Server) -> str:
    name = f"template_{uuid.uuid4().hex[:12]}"
    owner, writer = (urlsplit(url).username or "" for url in (postgres.owner_url, postgres.url))
    with psycopg.connect(postgres.admin_url, autocommit=True) as admin:
        admin.execute(f"create database {name} owner {owner}")
        # What is lost in a power cut does not matter here, and commits are the most of a test.
        for role in (owner, writer):
            admin.execute(f"alter role {role} set synchronous_commit = off")
    with psycopg.connect(replace_database(postgres.admin_url, name), autocommit=True) as admin:
        # Before Postgres 15 it belongs to the superuser, and all may create in it.
        admin.execute(f"alter schema public owner to {owner}")
    migrate_database(*(replace_database(url, name) for url in (postgres.owner_url, postgres.url)))
    return name


@pytest.fixture
def database_url(postgres: Server, template: str) -> Iterator[str]:
    """The address of a migrated, empty database of this test's own."""
    yield from create_database(postgres, template)


@pytest.fixture
def conn(database_url: str) -> Iterator[Connection]:
    """The writer's connection to this test's database: what it may not do, the application may not."""
    with connect(database_url, purpose="test") as connection:
        yield connection


@pytest.fixture
def owner_url(postgres: Server, database_url: str) -> str:
    """The address of this test's database for the role that owns its tables."""
    return replace_database(postgres.owner_url, urlsplit(database_url).path.removeprefix("/"))


@pytest.fixture
def owner(owner_url: str) -> Iterator[Connection]:
    """The owner's connection to this test's database, to migrate, to alter and to empty tables."""
    with connect(owner_url, purpose="test owner", autocommit=True) as connection:
        yield connection


@pytest.fixture
def series_environment(database_url: str, owner_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """This process's environment with this test's database in it, as a user would set it."""
    for name in [name for name in os.environ if name.startswith("SERIES_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SERIES_DATABASE_URL", database_url)
    monkeypatch.setenv("SERIES_OWNER_URL", owner_url)
    monkeypatch.setenv("SERIES_DEMO_LATENCY_MS", "0")
    load_settings.cache_clear()
    yield dict(os.environ)
    load_settings.cache_clear()


@pytest.fixture
def run(series_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in this process, on eight demo products that were listed before today."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    monkeypatch.setenv("SERIES_DEMO_EPOCH", today.isoformat())
    monkeypatch.setenv("SERIES_DEMO_PRODUCTS", "8")
    monkeypatch.setenv("SERIES_HOME", str(tmp_path))
    load_settings.cache_clear()

    def invoke(*arguments: str) -> Result:
        result = CliRunner().invoke(series, arguments, prog_name="series")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return invoke

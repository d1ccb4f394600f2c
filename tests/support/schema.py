"""Writes sql/<domain>/schema.sql: the tables as its migrations make them, to be read. `make schema` writes them all.

A domain's schema is what a dump says after its migrations and did not say before them; months of the ledger, which
depend on the day, and the list of migrations are left out.
"""

import os
import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from series_pipelines.postgres.connection import connect
from series_pipelines.postgres.embedded.server import find_install, start_embedded
from series_pipelines.postgres.migrate import DOMAINS, migrate
from series_pipelines.postgres.queries import find_sql_folder
from tests.support.databases import Server, make_home, replace_database

HEADER = """-- The tables of this domain as its migrations make them, to be read. `make schema` writes them.
-- Owners and grants are left out: the owner migrates, and `admit_writer` says what the writer may.
"""
LEFT_OUT = ("public.schema_migration", "public.ing_cursor_event_2*", "ledger_archive.*_2*")
NOISE = re.compile(r"(?m)^(?:--.*|\\(?:un)?restrict .*|SET .*;|SELECT pg_catalog\.set_config.*;)\n?")


def read_schemas(server: Server) -> dict[str, str]:
    """Return what schema.sql of each domain is to say."""
    schemas: dict[str, str] = {}
    known: set[str] = set()
    for count, domain in enumerate(DOMAINS, 1):
        with _create_database(server) as url:
            with connect(url, purpose="schema") as conn:
                migrate(conn, domains=DOMAINS[:count])
            statements = [statement for statement in _dump(url) if statement not in known]
        known |= set(statements)
        schemas[domain] = f"{HEADER}\n" + "\n\n".join(statements) + "\n"
    return schemas


def find_file(domain: str) -> Path:
    """Return where the schema of a domain stands."""
    return find_sql_folder() / domain / "schema.sql"


@contextmanager
def _create_database(server: Server) -> Iterator[str]:
    """Give the owner's address of an empty database."""
    name, owner = f"schema_{uuid.uuid4().hex[:12]}", urlsplit(server.owner_url).username
    with psycopg.connect(server.admin_url, autocommit=True) as admin:
        admin.execute(f"create database {name} owner {owner} template template0")
        try:
            with psycopg.connect(replace_database(server.admin_url, name), autocommit=True) as inside:
                inside.execute(f"alter schema public owner to {owner}")
            yield replace_database(server.owner_url, name)
        finally:
            admin.execute(f"drop database {name} with (force)")


def _dump(url: str) -> Iterator[str]:
    """Yield the statements of a dump, without what depends on the server or the day."""
    parts = urlsplit(url)
    program = shutil.which("pg_dump", path=str(find_install() / "bin"))
    assert program is not None
    asked = [program, "--schema-only", "--no-owner", "--no-privileges"]
    asked += [f"--exclude-table={pattern}" for pattern in LEFT_OUT]
    environment = {**os.environ, "PGPASSWORD": parts.password or ""}
    address = parts._replace(netloc=f"{parts.username}@{parts.hostname}:{parts.port}").geturl()
    text = subprocess.run([*asked, address], env=environment, check=True, capture_output=True, text=True).stdout
    for statement in re.split(r"\n{3,}", NOISE.sub("\n", text)):
        if statement.strip() and not statement.strip().startswith("CREATE SCHEMA public"):
            yield statement.strip("\n")


def main() -> None:
    """Write all schemas."""
    home = make_home()
    server = start_embedded(home)
    try:
        for domain, text in read_schemas(Server(server.url, server.owner_url, server.admin_url)).items():
            find_file(domain).write_text(text, encoding="utf-8")
            print(f"sql/{domain}/schema.sql")
    finally:
        server.close()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()

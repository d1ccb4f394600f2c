"""Applies sql/<domain>/migrations once each, under one lock; a file that changed after that is refused.

Domains come in the order in which they may build on each other, files of a domain in the order of their names.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from series_pipelines.errors import MigrationRefused
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import find_sql_folder

DOMAINS: Final = ("ingest",)
MIGRATION_LOCK: Final = 0x5E21E5
_CREATE: Final = """
create table if not exists schema_migration (
    domain text not null, name text not null, digest text not null, applied_at timestamptz not null default now(),
    constraint schema_migration_pkey primary key (domain, name)
)"""
# Before there were domains, all was of the first one.
_ADD_DOMAIN: Final = """
alter table schema_migration add column domain text not null default 'ingest';
alter table schema_migration alter column domain drop default, drop constraint schema_migration_pkey,
    add constraint schema_migration_pkey primary key (domain, name)"""


class Migration(NamedTuple):
    """One file of a domain."""

    domain: str
    file: Path

    def __str__(self) -> str:
        return f"{self.domain}/{self.file.name}"


def list_migrations(folder: Path, domains: Sequence[str] = DOMAINS) -> list[Migration]:
    """Return the files of some domains in the order in which they are applied."""
    return [
        Migration(domain, file) for domain in domains for file in sorted((folder / domain).glob("migrations/*.sql"))
    ]


def migrate(conn: Connection, folder: Path | None = None, domains: Sequence[str] = DOMAINS) -> list[str]:
    """Apply what is not applied yet and return its names. Safe when many processes start together."""
    folder = folder or find_sql_folder()
    files = list_migrations(folder, domains)
    if not files:
        raise MigrationRefused(f"no migrations found in {folder}")
    conn.commit()
    conn.execute("select pg_advisory_lock(%s)", [MIGRATION_LOCK])
    conn.commit()
    try:
        _prepare(conn)
        return _apply_all(conn, files)
    finally:
        conn.rollback()
        conn.execute("select pg_advisory_unlock(%s)", [MIGRATION_LOCK])
        conn.commit()


def _prepare(conn: Connection) -> None:
    conn.execute(_CREATE)
    cursor = conn.execute("select * from schema_migration limit 0")
    if "domain" not in [column.name for column in cursor.description or ()]:
        conn.execute(_ADD_DOMAIN)
    conn.commit()


def _apply_all(conn: Connection, files: Sequence[Migration]) -> list[str]:
    rows = conn.execute("select domain, name, digest from schema_migration").fetchall()
    applied = {(domain, name): digest for domain, name, digest in cast(list[tuple[str, str, str]], rows)}
    fresh: list[str] = []
    for migration in files:
        text, name = migration.file.read_bytes(), migration.file.name
        digest = hashlib.sha256(text).hexdigest()
        known = applied.get((migration.domain, name))
        if known == digest:
            continue
        if known is not None:
            raise MigrationRefused(
                f"migration {migration} was changed after it was applied: restore it and add a new file instead"
            )
        conn.execute(cast(Any, text.decode("utf-8")))
        conn.execute(
            "insert into schema_migration (domain, name, digest) values (%s, %s, %s)",
            [migration.domain, name, digest],
        )
        conn.commit()
        fresh.append(str(migration))
    return fresh

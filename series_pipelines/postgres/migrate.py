"""Applies sql/migrations once each, in name order, under one lock; a file that changed after that is refused."""

import hashlib
from pathlib import Path
from typing import Any, Final, cast

from series_pipelines.errors import MigrationRefused
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import find_sql_folder

MIGRATION_LOCK: Final = 0x5E21E5
_CREATE: Final = """
create table if not exists schema_migration (
    name text primary key, digest text not null, applied_at timestamptz not null default now()
)"""


def migrate(conn: Connection, folder: Path | None = None) -> list[str]:
    """Apply what is not applied yet and return its names. Safe when many processes start together."""
    files = sorted((folder or find_sql_folder() / "migrations").glob("*.sql"))
    if not files:
        raise MigrationRefused(f"no migrations found in {folder or find_sql_folder() / 'migrations'}")
    conn.commit()
    conn.execute("select pg_advisory_lock(%s)", [MIGRATION_LOCK])
    conn.commit()
    try:
        return _apply_all(conn, files)
    finally:
        conn.rollback()
        conn.execute("select pg_advisory_unlock(%s)", [MIGRATION_LOCK])
        conn.commit()


def _apply_all(conn: Connection, files: list[Path]) -> list[str]:
    conn.execute(_CREATE)
    conn.commit()
    rows = conn.execute("select name, digest from schema_migration").fetchall()
    applied = dict(cast(list[tuple[str, str]], rows))
    fresh: list[str] = []
    for file in files:
        text = file.read_bytes()
        digest = hashlib.sha256(text).hexdigest()
        if file.name in applied:
            if applied[file.name] != digest:
                raise MigrationRefused(
                    f"migration {file.name} was changed after it was applied: restore it and add a new file instead"
                )
            continue
        conn.execute(cast(Any, text.decode("utf-8")))
        conn.execute("insert into schema_migration (name, digest) values (%s, %s)", [file.name, digest])
        conn.commit()
        fresh.append(file.name)
    return fresh

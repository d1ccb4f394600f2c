"""The roles of an embedded Postgres: one owns the database and migrates it, the other writes."""

from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

OWNER, WRITER = "series_owner", "series"


def ensure_roles(admin_url: str, owner_password: str, writer_password: str, is_password_new: bool) -> None:
    """Make the roles and the database where they are missing; a role that was both becomes the owner."""
    with psycopg.connect(admin_url, autocommit=True, connect_timeout=2) as admin:
        known = {name for (name,) in admin.execute("select rolname from pg_roles")}
        has_database = bool(admin.execute("select from pg_database where datname = 'series'").rowcount)
        if WRITER in known and OWNER not in known:
            _divide_role(admin_url, has_database, owner_password, writer_password)
        else:
            for role, password in ((OWNER, owner_password), (WRITER, writer_password)):
                if role not in known:
                    admin.execute(_name_role("create role {} login password {}", role, password))
                elif role == OWNER and is_password_new:
                    admin.execute(_name_role("alter role {} password {}", role, password))
        if not has_database:
            admin.execute(_name_role("create database series owner {} template template0", OWNER))


def _divide_role(admin_url: str, has_database: bool, owner_password: str, writer_password: str) -> None:
    """Let the one role of an older folder be the owner, and give its name to a writer, who takes Dagster's tables."""
    if has_database:
        admin_url = urlunsplit(urlsplit(admin_url)._replace(path="/series"))
    with psycopg.connect(admin_url, connect_timeout=2) as admin:
        admin.execute("alter role series rename to series_owner")
        admin.execute(_name_role("alter role {} password {}", OWNER, owner_password))
        admin.execute(_name_role("create role {} login password {}", WRITER, writer_password))
        owned = """
            select oid::regclass::text from pg_class
            where relnamespace = to_regnamespace('dagster') and relkind in ('r', 'v')"""
        for (table,) in admin.execute(owned).fetchall():
            admin.execute(sql.SQL("alter table {} owner to series").format(sql.SQL(table)))


def _name_role(statement: str, role: str, *values: str) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(role), *(sql.Literal(value) for value in values))

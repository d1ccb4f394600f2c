"""Where the data is: the database of the settings, or the embedded one, started and migrated when first needed.

Work is done as the writer. The owner migrates, and moves months of the ledger aside when a person asks for it.
"""

from contextlib import suppress
from functools import cache
from pathlib import Path

from series_pipelines.app.settings import Settings
from series_pipelines.errors import DatabaseUnavailable, EmbeddedPostgresError, MigrationRefused, NotPermitted
from series_pipelines.postgres.connection import Connection, connect, translated_errors
from series_pipelines.postgres.embedded.server import is_made, share_embedded
from series_pipelines.postgres.failures import read_first_line
from series_pipelines.postgres.migrate import migrate
from series_pipelines.postgres.protection import admit_writer, find_role


def find_database(settings: Settings) -> str:
    """Return the writer's URL. The embedded database belongs to us alone, so it is migrated without being asked."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    # Asked every time: if the server died, whoever needs it next starts it again.
    postgres = share_embedded(settings.home.absolute())
    _migrate_once(postgres.owner_url, postgres.url)
    return postgres.url


def open_connection(settings: Settings, purpose: str, autocommit: bool = False) -> Connection:
    """Open the writer's connection for a purpose."""
    return connect(find_database(settings), purpose=purpose, autocommit=autocommit)


def open_for_export(url: str) -> Connection:
    """Open a connection whose statements may last as long as their reader takes."""
    return connect(url, purpose="read", statement_timeout_ms=0)


def find_owner_database(settings: Settings) -> str:
    """Return the URL of the role that owns the tables; the writer's where one role is both."""
    if settings.database_url is None:
        return share_embedded(settings.home.absolute()).owner_url
    return (settings.owner_url or settings.database_url).get_secret_value()


def migrate_database(settings: Settings) -> list[str]:
    """Bring the tables up to date and let the writer in; return what was applied."""
    owner_url = find_owner_database(settings)
    if settings.database_url is None:
        return _migrate(owner_url, share_embedded(settings.home.absolute()).url)
    return _migrate(owner_url, settings.database_url.get_secret_value())


def find_existing_database(settings: Settings) -> str:
    """Return the database's URL, or say where none was found: a question makes no database."""
    if not has_database(settings):
        home = settings.home.absolute()
        above = _find_home_above(home)
        raise DatabaseUnavailable(
            f"no database in {home} yet: set SERIES_HOME to the folder that has one"
            f"{f' ({above}?)' if above else ''}, or SERIES_DATABASE_URL; `series dev` or `series ingest` make one here"
        )
    return find_database(settings)


def _find_home_above(home: Path) -> Path | None:
    for folder in home.parent.parents:
        # What can't be looked into may be anybody's.
        with suppress(EmbeddedPostgresError):
            if is_made(folder / home.name):
                return folder / home.name
    return None


def has_database(settings: Settings) -> bool:
    """Whether there is a database already; one with an address is not ours to make."""
    return settings.database_url is not None or is_made(settings.home.absolute())


@cache
def _migrate_once(owner_url: str, writer_url: str) -> None:
    _migrate(owner_url, writer_url)


def _migrate(owner_url: str, writer_url: str) -> list[str]:
    with translated_errors(), connect(writer_url, purpose="migrate") as conn:
        writer = find_role(conn)
    with translated_errors(), connect(owner_url, purpose="migrate") as conn:
        owner = find_role(conn)
        try:
            with translated_errors():
                applied = migrate(conn)
                if owner != writer:
                    admit_writer(conn, writer)
        except NotPermitted as error:
            reason = read_first_line(error.__cause__ or error)
            raise MigrationRefused(
                f"the role {owner} may not migrate ({reason}): set SERIES_OWNER_URL to the role that owns the tables"
            ) from error
    return applied

"""Where the data is: the database of the settings, or the embedded one, started and migrated when first needed.

Work is done as the writer. The owner migrates, and moves months of the ledger aside when a person asks for it.
"""

from functools import cache

import psycopg

from series_pipelines.errors import MigrationRefused
from series_pipelines.settings import Settings
from series_pipelines.store.connection import connect, translated_errors
from series_pipelines.store.embedded import share_embedded
from series_pipelines.store.migrate import migrate
from series_pipelines.store.protection import admit_writer, find_role


def find_database(settings: Settings) -> str:
    """Return the writer's URL. The embedded database belongs to us alone, so it is migrated without being asked."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    # Asked every time: if the server died, whoever needs it next starts it again.
    postgres = share_embedded(settings.home.absolute())
    _migrate_once(postgres.owner_url, postgres.url)
    return postgres.url


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


@cache
def _migrate_once(owner_url: str, writer_url: str) -> None:
    _migrate(owner_url, writer_url)


def _migrate(owner_url: str, writer_url: str) -> list[str]:
    with translated_errors(), connect(writer_url, purpose="migrate") as conn:
        writer = find_role(conn)
    with translated_errors(), connect(owner_url, purpose="migrate") as conn:
        owner = find_role(conn)
        try:
            applied = migrate(conn)
            if owner != writer:
                admit_writer(conn, writer)
        except psycopg.errors.InsufficientPrivilege as error:
            reason = str(error).partition("\n")[0]
            raise MigrationRefused(
                f"the role {owner} may not migrate ({reason}): set SERIES_OWNER_URL to the role that owns the tables"
            ) from error
    return applied

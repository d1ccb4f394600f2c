"""Where the data is: the database of the settings, or the embedded one, started and migrated when first needed."""

from contextlib import suppress
from functools import cache
from pathlib import Path

from series_pipelines.errors import DatabaseUnavailable, EmbeddedPostgresError
from series_pipelines.settings import Settings
from series_pipelines.store.connection import connect, translated_errors
from series_pipelines.store.embedded import is_made, start_embedded
from series_pipelines.store.migrate import migrate


def find_database(settings: Settings) -> str:
    """Return the database's URL. The embedded one belongs to us alone, so it is migrated without being asked."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    # Asked every time: if the server died, whoever needs it next starts it again.
    url = start_embedded(settings.home.absolute()).url
    _migrate_once(url)
    return url


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
def _migrate_once(url: str) -> None:
    with translated_errors(), connect(url, purpose="migrate") as conn:
        migrate(conn)

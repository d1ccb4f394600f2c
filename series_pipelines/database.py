"""Where the data is: the database of the settings, or the embedded one, started and migrated when first needed."""

from functools import cache

from series_pipelines.settings import Settings
from series_pipelines.store.connection import connect, translated_errors
from series_pipelines.store.embedded import start_embedded
from series_pipelines.store.migrate import migrate


def find_database(settings: Settings) -> str:
    """Return the database's URL. The embedded one belongs to us alone, so it is migrated without being asked."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    # Asked every time: if the server died, whoever needs it next starts it again.
    url = start_embedded(settings.home.absolute()).url
    _migrate_once(url)
    return url


@cache
def _migrate_once(url: str) -> None:
    with translated_errors(), connect(url, purpose="migrate") as conn:
        migrate(conn)

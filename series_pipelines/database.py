"""Where the data is: the database of the settings, or the embedded one, started and migrated when first needed."""

from functools import cache
from pathlib import Path

from series_pipelines.settings import Settings
from series_pipelines.store.connection import connect
from series_pipelines.store.embedded import start_embedded
from series_pipelines.store.migrate import migrate


def find_database(settings: Settings) -> str:
    """Return the database's URL. The embedded one belongs to us alone, so it is migrated without being asked."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    return _start_embedded(settings.home.absolute())


@cache
def _start_embedded(home: Path) -> str:
    url = start_embedded(home).url
    with connect(url, purpose="migrate") as conn:
        migrate(conn)
    return url

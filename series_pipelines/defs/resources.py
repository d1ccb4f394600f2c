"""Turns settings into plain objects for assets and sensors. It has no config, so no secret can end up in a run."""

from dagster import ConfigurableResource

from series_pipelines.core.clock import Clock
from series_pipelines.database import find_database
from series_pipelines.settings import Settings, load_settings
from series_pipelines.sources import load_registry
from series_pipelines.store.connection import Connection, connect
from series_pipelines.system_clock import SystemClock
from series_pipelines.vendors.registry import Registry


class SeriesResource(ConfigurableResource):  # type: ignore[type-arg]
    """The database, the vendors and the clock."""

    @property
    def settings(self) -> Settings:
        """What the environment says."""
        return load_settings()

    @property
    def clock(self) -> Clock:
        """The real clock."""
        return SystemClock()

    def connect(self, purpose: str, autocommit: bool = False) -> Connection:
        """Open a connection to the series' database."""
        return connect(find_database(self.settings), purpose=purpose, autocommit=autocommit)

    def load_registry(self) -> Registry:
        """Make the configured vendors."""
        return load_registry(self.settings)

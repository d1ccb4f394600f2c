"""Turns settings into plain objects for assets and sensors. It has no config, so no secret can end up in a run."""

from dataclasses import replace

from dagster import ConfigurableResource

from series_pipelines.actions.workshop import Workshop
from series_pipelines.app.clock import SystemClock
from series_pipelines.app.database import open_connection
from series_pipelines.app.settings import Settings, load_settings
from series_pipelines.app.sources import load_registry, make_workshop
from series_pipelines.core.clock import Clock
from series_pipelines.postgres.connection import Connection
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
        return open_connection(self.settings, purpose, autocommit)

    def make_workshop(self) -> Workshop:
        """Return what actions that ask vendors work with."""
        return replace(make_workshop(self.settings, self.clock), connect=self.connect, load_registry=self.load_registry)

    def load_registry(self) -> Registry:
        """Make the configured vendors."""
        return load_registry(self.settings)

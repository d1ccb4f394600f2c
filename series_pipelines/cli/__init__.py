"""The command line `series`, thin. Commands import what they need when they run, so that help comes at once."""

from series_pipelines.cli.app import main, series

__all__ = ["main", "series"]

"""What Dagster loads."""

from series_pipelines.defs.build import build_definitions

defs = build_definitions()

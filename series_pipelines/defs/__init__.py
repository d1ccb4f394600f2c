"""The Dagster shell: the only package that imports dagster. It shows, triggers and bounds; it decides nothing."""

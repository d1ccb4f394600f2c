"""The series as dynamic partitions; the partition key is the series id."""

from functools import cache

from dagster import DynamicPartitionsDefinition

from series_pipelines.core.tables import TABLES


@cache
def find_partitions(table_name: str) -> DynamicPartitionsDefinition:
    """Return the partitions of one table of series."""
    return DynamicPartitionsDefinition(name=TABLES[table_name].partitions)

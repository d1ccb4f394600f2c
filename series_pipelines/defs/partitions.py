"""The series as dynamic partitions; the partition key is the series id."""

from typing import Final

from dagster import DynamicPartitionsDefinition

from series_pipelines.core.series import TableName

SERIES_PARTITIONS: Final[dict[TableName, DynamicPartitionsDefinition]] = {
    "ohlc_v2": DynamicPartitionsDefinition(name="ohlc_series"),
    "interest_rate": DynamicPartitionsDefinition(name="interest_rate_series"),
}

"""Tables as metadata."""

from collections.abc import Mapping, Sequence
from typing import Any

from dagster import MetadataValue, TableColumn, TableMetadataValue, TableRecord, TableSchema


def make_table(columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> TableMetadataValue:
    """Return rows as a table of named columns, each with its kind."""
    records = [TableRecord(dict(zip(columns, row, strict=True))) for row in rows]
    return MetadataValue.table(
        records=records, schema=TableSchema([TableColumn(name, kind) for name, kind in columns.items()])
    )

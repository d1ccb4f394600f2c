"""Peek as asset metadata: how busy each capability is, and what keeps it."""

from typing import Any

from dagster import MetadataValue, TableColumn, TableRecord, TableSchema

from series_pipelines.ingest.backlog import Backlog
from series_pipelines.ingest.peek import PEEK_COLUMNS, list_capabilities


def describe_backlog(backlog: Backlog) -> dict[str, Any]:
    """Return Peek: global numbers, and a table of capabilities."""
    records = [
        TableRecord({name: "" if value is None else value for name, value in row.items()})
        for row in list_capabilities(backlog)
    ]
    schema = TableSchema(columns=[TableColumn(name, kind) for name, kind in PEEK_COLUMNS.items()])
    return {
        "global_in_flight": MetadataValue.int(backlog.in_flight),
        "capability_count": MetadataValue.int(len(backlog.capabilities)),
        "global_head_backlog": MetadataValue.int(backlog.head_backlog),
        "global_tail_backlog": MetadataValue.int(backlog.tail_backlog),
        "capabilities": MetadataValue.table(records=records, schema=schema),
    }

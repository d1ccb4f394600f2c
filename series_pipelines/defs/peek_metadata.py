"""Peek as asset metadata: how busy each capability is, and what keeps it.

Dagster's page leaves a table 350 pixels on a screen of 1280. So names are short here, a capability is the prefix it
serves, and what does not fit is in `series peek`.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from dagster import MetadataValue

from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import clean_text
from series_pipelines.core.times import format_span
from series_pipelines.defs.tables import make_table
from series_pipelines.ingest.standing.backlog import Backlog, CapabilityBacklog

COLUMNS: Final = {"prefix": "string", "heads": "int", "tails": "int", "state": "string"}


def describe_backlog(backlog: Backlog) -> dict[str, Any]:
    """Return Peek: global numbers, and a table of capabilities for each table of series."""
    metadata: dict[str, Any] = {
        "lanes": MetadataValue.int(backlog.in_flight),
        "heads": MetadataValue.int(backlog.head_backlog),
        "tails": MetadataValue.int(backlog.tail_backlog),
    }
    for table in TABLES.values():
        known = [found for found in backlog.capabilities.values() if found.state.table_name == table.name]
        if known:
            metadata[table.nouns] = make_table(COLUMNS, _list_rows(known))
    failing = [found for found in backlog.capabilities.values() if found.is_paused and found.state.last_error]
    if failing:
        lines = [f"{name_lane(found)}: {clean_text(found.state.last_error)}" for found in failing]
        metadata["errors"] = MetadataValue.text("; ".join(lines))
    return metadata


def name_lane(capability: CapabilityBacklog) -> str:
    """Name a capability for people, what differs first, as tags are cut: `SWAP bars of DEMO, backward`."""
    state = capability.state
    whose, _, what = _shorten(state.product_prefix).rpartition("/")
    nouns = TABLES[state.table_name].nouns
    return f"{what} {nouns}{f' of {whose}' if whose else ''}, {state.direction}"


def _list_rows(known: Sequence[CapabilityBacklog]) -> list[tuple[str, int, int, str]]:
    prefixes = Counter(found.state.product_prefix for found in known)
    return [
        (
            _shorten(found.state.product_prefix)
            + (f" {found.state.direction}" if prefixes[found.state.product_prefix] > 1 else ""),
            found.due_heads,
            found.due_tails,
            _describe_state(found),
        )
        for found in known
    ]


def _describe_state(capability: CapabilityBacklog) -> str:
    if capability.is_paused:
        left_ms = (capability.state.next_eligible_ms or 0) - capability.now_ms
        return f"rests {format_span(left_ms)}"
    return "works" if capability.state.in_flight else ""


def _shorten(prefix: str) -> str:
    return prefix.rstrip("/") or "all"

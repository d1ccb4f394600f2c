"""Peek as Dagster shows it: what tells lanes apart comes first, and its tables fit a screen of 1280 pixels."""

import pytest

from series_pipelines.core.duration import HOUR_MS
from series_pipelines.core.tables import TABLES
from series_pipelines.defs.peek_metadata import describe_backlog, name_lane
from series_pipelines.ingest.standing.backlog import Backlog, CapabilityBacklog
from series_pipelines.ingest.storing.capabilities import CapabilityState
from series_pipelines.vendors.exchanges.table import EXCHANGES

NOW_MS = 1_700_000_000_000
LETTERS = 36
"""On a screen of 1280 Dagster leaves a table 350 pixels: four cells of 15 and the letters, of 8 each. Cells break at
spaces, so a table is as wide as the longest word of each column."""
SEEN_OF_A_TAG = 21
"""So many letters of `lane: …` are seen in the list of runs on a screen of 1280."""
PREFIXES = sorted({offer.prefix for exchange in EXCHANGES.values() for offer in exchange.offers})


def make_capability(prefix: str, table_name: str = "ohlc_v2", paused_ms: int | None = None) -> CapabilityBacklog:
    known = dict.fromkeys(CapabilityState._fields) | {"cap_key": f"{table_name} {prefix}", "table_name": table_name}
    known |= {"product_prefix": prefix, "direction": "backward", "in_flight": True}
    known |= {"next_eligible_ms": None if paused_ms is None else NOW_MS + paused_ms}
    return CapabilityBacklog(CapabilityState(**known), NOW_MS, 9_999, 9_999, 99_999)  # type: ignore[arg-type]


@pytest.mark.parametrize("table_name", TABLES)
@pytest.mark.parametrize("paused_ms", [None, 1_000, 299_000, 20 * HOUR_MS, 9_999 * HOUR_MS])
def test_a_table_of_all_exchanges_fits_a_screen_of_1280(table_name: str, paused_ms: int | None) -> None:
    known = [make_capability(prefix, table_name, paused_ms) for prefix in PREFIXES]
    table = describe_backlog(Backlog({found.state.cap_key: found for found in known}))[TABLES[table_name].nouns]
    rows = [
        tuple(table.schema.columns[at].name for at in range(4)),
        *(record.data.values() for record in table.records),
    ]
    columns = zip(*rows, strict=True)
    assert len(rows) == 1 + len(PREFIXES) > 10
    assert sum(max(len(word) for cell in column for word in str(cell).split() or [""]) for column in columns) <= LETTERS


def test_lanes_of_one_exchange_differ_in_what_is_seen_of_their_tags() -> None:
    seen = [
        f"lane: {name_lane(make_capability(prefix, table_name))}"[:SEEN_OF_A_TAG]
        for prefix in PREFIXES
        if prefix.startswith("HYPERLIQUID/")
        for table_name in TABLES
    ]
    assert len(seen) == len(set(seen)) > 2


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("DEMO/SWAP/", "SWAP bars of DEMO, backward"),
        ("A/B/C/", "C bars of A/B, backward"),
        ("DEMO/", "DEMO bars, backward"),
        ("", "all bars, backward"),
    ],
)
def test_a_lane_is_named_by_what_differs_first(prefix: str, name: str) -> None:
    assert name_lane(make_capability(prefix)) == name

"""What series cover: their time by kind, their gaps, their lag, and when all of it will be known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from series_pipelines.actions.answers import Json, describe_range, to_iso
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.series import Standing, StandingReader
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class SeriesCoverage:
    """A series and how it stands; nothing is known of a retired one but its ranges."""

    known: KnownSeries
    standing: Standing

    def as_json(self) -> Json:
        """Return what the series covers, misses, and waits for."""
        coverage, facts, left_ms = self.standing.coverage, self.standing.facts, self.standing.left_ms
        return {
            "series_id": self.known.series_id,
            "table_name": self.known.table_name,
            "active": self.known.active,
            "percent": round(coverage.percent, 2),
            "covered_seconds": coverage.covered_ms // 1000,
            "life": describe_range(coverage.life),
            "range": describe_range(coverage.union),
            "gaps": [describe_range(gap) for gap in coverage.gaps],
            "lag_seconds": None if coverage.lag_ms is None else coverage.lag_ms // 1000,
            "kinds": {kind: span_ms // 1000 for kind, span_ms in coverage.kinds.items()},
            "unknown_seconds": coverage.unknown_ms // 1000,
            "complete_in_seconds": None if left_ms is None else left_ms // 1000,
            "floor_kind": facts.floor_kind,
            "floor_at": to_iso(facts.floor_ms),
            "floor_grounds": list(facts.floor_grounds),
            "failures": facts.failures,
        }


def measure_series(conn: Connection, chosen: Sequence[KnownSeries], now_ms: int) -> list[SeriesCoverage]:
    """Measure some series, in their order, with a few reads a table."""
    reader = StandingReader(conn)
    standings: dict[tuple[str, str], Standing] = {}
    for name in dict.fromkeys(known.table_name for known in chosen):
        wanted = [known for known in chosen if known.table_name == name]
        active = states.read_facts(conn, name, series_ids=[known.series_id for known in wanted])
        facts_of = {facts.series_id: facts for facts in active}
        facts = [facts_of.get(known.series_id) or _make_retired_facts(known) for known in wanted]
        standings |= {(name, each.facts.series_id): each for each in reader.read(name, facts, now_ms)}
    return [SeriesCoverage(known, standings[known.table_name, known.series_id]) for known in chosen]


def _make_retired_facts(known: KnownSeries) -> SeriesFacts:
    values: dict[str, Any] = {name: 0 if kind is int else None for name, kind in SeriesFacts.__annotations__.items()}
    return SeriesFacts(**values | {"series_id": known.series_id, "cap_key": known.cap_key, "floor_grounds": ()})

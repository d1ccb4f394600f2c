"""Holding coverage against rows, evidence, clocks and page spans, and taking back what does not stand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from series_pipelines.actions.answers import Json, to_iso
from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.proving.verify import Fault, mend, verify_series
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.clock import read_clock
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class Verification:
    """What does not stand, and what of it was taken back."""

    faults: tuple[Fault, ...]

    @property
    def stands(self) -> bool:
        """Whether nothing is left that does not stand."""
        return all(fault.is_mended for fault in self.faults)

    def as_json(self) -> list[Json]:
        """Return each fault."""
        return [
            {
                "series_id": fault.series_id,
                "table_name": fault.table_name,
                "what": fault.what,
                "start": to_iso(fault.window.start_ms),
                "end": to_iso(fault.window.end_ms),
                "taken_back": fault.is_mended,
            }
            for fault in self.faults
        ]


def verify_chosen(
    conn: Connection,
    chosen: Sequence[KnownSeries] | None,
    table_name: str | None,
    now_ms: int,
    clock_tolerance_ms: int,
    *,
    do_mend: bool = False,
) -> Verification:
    """Verify the coverage of some series, or of all, of one table or of each."""
    limit_ms = max(now_ms, read_clock(conn)) + clock_tolerance_ms
    names: Iterable[str] = TABLES if table_name is None else (table_name,)
    found: list[Fault] = []
    for name in names:
        wanted = None if chosen is None else [each.series_id for each in chosen if each.table_name == name]
        found += verify_series(conn, name, wanted, limit_ms, clock_tolerance_ms)
    conn.commit()
    return Verification(tuple(mend(conn, found, limit_ms, now_ms, clock_tolerance_ms) if do_mend else found))

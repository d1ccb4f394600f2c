"""How series stand at one moment: what each covers, how late it is, how long until nothing of it is unknown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from series_pipelines.core.ranges import Range
from series_pipelines.ingest.pages.outcome import has_stood_still
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.cadences import read_cadences
from series_pipelines.ingest.standing.coverage import Coverage, measure_coverage
from series_pipelines.ingest.standing.lag import Lag, measure_lag
from series_pipelines.ingest.standing.paces import estimate_left, read_paces
from series_pipelines.ingest.storing import coverage as coverage_store
from series_pipelines.ingest.storing import states
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class Standing:
    """One series: what is known of it, what it covers, how late it is."""

    facts: SeriesFacts
    cadence: Cadence
    ranges: Sequence[Range]
    coverage: Coverage
    lag: Lag | None
    left_ms: int | None
    """How long it may take until nothing behind is unknown."""

    @property
    def is_known(self) -> bool:
        """Whether all its time behind the newest row is data, or proven to have none, and no answer was refused."""
        return self.coverage.is_start_proven and not self.coverage.behind_ms and not self.refused_ms

    @property
    def refused_ms(self) -> int:
        """How much of its time has only answers that were refused."""
        return self.coverage.kinds.get("quarantined", 0)

    @property
    def is_ill(self) -> bool:
        """Whether somebody has to look: what is not known is not just still to be fetched."""
        return not self.is_known and (self.refused_ms > 0 or has_stood_still(self.facts))


def read_standings(conn: Connection, table_name: str, now_ms: int) -> list[Standing]:
    """Read how every active series of a table stands, with a few queries."""
    return list(StandingReader(conn).read(table_name, states.read_facts(conn, table_name), now_ms, of_all=True))


class StandingReader:
    """Reads how series stand; what all of them share, their capabilities' grace and pace, is read once."""

    def __init__(self, conn: Connection, find_cadence: Callable[[str, SeriesFacts], Cadence] | None = None) -> None:
        self._conn = conn
        self._find_cadence = find_cadence or read_cadences(conn)
        self._paces = read_paces(conn)

    def read(
        self, table_name: str, known: Sequence[SeriesFacts], now_ms: int, *, of_all: bool = False
    ) -> Iterator[Standing]:
        """Yield how some series of a table stand, in their order, or all of them."""
        series_ids = None if of_all else [facts.series_id for facts in known]
        accounts = coverage_store.read(self._conn, table_name, series_ids)
        for facts in known:
            account = accounts.get(facts.series_id) or coverage_store.Account()
            cadence = self._find_cadence(table_name, facts)
            coverage = measure_coverage(facts, cadence, account.ranges, now_ms, account.evidence)
            left_ms = estimate_left(self._paces, facts, coverage)
            yield Standing(facts, cadence, account.ranges, coverage, measure_lag(facts, cadence, now_ms), left_ms)

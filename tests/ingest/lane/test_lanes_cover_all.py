"""For any vendor, lanes run to the end cover all it has, in a bounded number of requests, and then they stop."""

import threading
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.core.ranges import Range, find_gaps, find_missing
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import Direction, Limits, Reply, Request, Vendor
from series_pipelines.vendors.demo.vendor import DemoVendor
from tests.support.narrowing import expect
from tests.support.simulation import NOON_MS, MovableClock, World, empty_tables, make_product, make_vendor


@dataclass(frozen=True)
class Case:
    direction: Direction
    duration: str | None
    page_rows: int
    bars: int
    is_listing_known: bool = True
    retention_bars: int | None = None
    outage: tuple[int, int] | None = None
    delisted_bars_ago: int | None = None
    concurrent: int = 1

    @property
    def step_ms(self) -> int:
        return parse_duration(self.duration).nominal_ms if self.duration else 8 * HOUR_MS

    @property
    def series_id(self) -> str:
        return f"SIM/X/{self.duration}" if self.duration else "SIM/X"

    @property
    def table_name(self) -> str:
        return "ohlc_v2" if self.duration else "interest_rate"


cases = st.builds(
    Case,
    direction=st.sampled_from(["backward", "forward"]),
    duration=st.sampled_from(["PT1M", "PT1M", "PT1H", "P1D", None]),
    page_rows=st.integers(2, 40),
    bars=st.integers(1, 150),
    is_listing_known=st.booleans(),
    # Pauses last up to 20 minutes: what a vendor keeps for less than that is gone when we come back.
    retention_bars=st.none() | st.integers(60, 120),
    outage=st.none() | st.tuples(st.integers(0, 120), st.integers(1, 60)),
    delisted_bars_ago=st.none() | st.integers(1, 40),
    concurrent=st.sampled_from([1, 1, 3]),
)


class OneAtATime:
    """Passes requests on and remembers whether two lanes ever asked at once for more than was allowed."""

    def __init__(self, vendor: DemoVendor, most: int) -> None:
        self.name = vendor.name
        self.services, self.products = vendor.services, vendor.products
        self._vendor = vendor
        self._slots = threading.BoundedSemaphore(most)
        self.overran = False

    def fetch(self, request: Request) -> Reply:
        if not self._slots.acquire(blocking=False):
            self.overran = True
            raise AssertionError("two lanes at once")
        try:
            return self._vendor.fetch(request)
        finally:
            self._slots.release()


def find_outages(case: Case) -> tuple[Range, ...]:
    if case.outage is None:
        return ()
    first, length = case.outage
    start_ms = NOON_MS - (case.bars - first) * case.step_ms
    return (Range(start_ms, start_ms + length * case.step_ms),)


def build(case: Case, clock: MovableClock) -> tuple[DemoVendor, Vendor]:
    start_ms = NOON_MS - case.bars * case.step_ms
    outages = find_outages(case)
    delisting_ms = None if case.delisted_bars_ago is None else NOON_MS - case.delisted_bars_ago * case.step_ms
    product = make_product(
        "SIM/X",
        start_ms,
        is_listing_known=case.is_listing_known,
        delisting_ms=delisting_ms if delisting_ms is None or delisting_ms > start_ms else None,
        retention_ms=None if case.retention_bars is None else case.retention_bars * case.step_ms,
        outages=outages,
    )
    vendor = make_vendor(
        clock,
        [product],
        method="IngestOHLC" if case.duration else "IngestInterestRate",
        direction=case.direction,
        page_rows=case.page_rows,
        durations=(case.duration,) if case.duration else (),
        limits=Limits(grace_ms=1_000, concurrent=case.concurrent),
    )
    return vendor, OneAtATime(vendor, case.concurrent)


@settings(
    max_examples=30,
    deadline=None,
    # One example is a whole history of lanes: shrinking would take longer than reading the case.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(case=cases)
@example(Case("forward", "PT1M", 5, 100, False, None, (40, 50)))
@example(Case("backward", "PT1M", 5, 100, False, None, (40, 50)))
@example(Case("forward", "PT1M", 5, 120, True, 70, None))
@example(Case("backward", "PT1M", 5, 120, True, 70, None))
@example(Case("forward", "P1D", 10, 100, False, None, None, 20))
@example(Case("forward", "P1D", 40, 148, True, None, (76, 51)))
@example(Case("forward", "P1D", 4, 113, True, 115, None, 33, 1))
@example(Case("forward", "PT1H", 8, 97, False, 120, (56, 27)))
@example(Case("forward", "P1D", 15, 100, False, 93, (22, 50), None, 3))
@example(Case("backward", "PT1H", 40, 400, True, None, (90, 250)))
@example(Case("forward", "PT1H", 40, 400, False, None, (90, 250)))
@example(Case("backward", None, 40, 300, True, None, (90, 150)))
@example(Case("forward", None, 40, 300, False, None, (90, 150)))
def test_lanes_run_to_the_end_cover_all_the_vendor_has(database_url: str, conn: Connection, case: Case) -> None:
    empty_tables(conn)
    clock = MovableClock()
    vendor, watched = build(case, clock)
    had_at_start = set(vendor.expected_rows("SIM/X", case.duration, clock.now_ms()))
    world = World(database_url, [watched], clock)
    try:
        world.settle()
        had_at_end = set(vendor.expected_rows("SIM/X", case.duration, clock.now_ms()))
        rows = conn.execute(f"select (date_part('epoch', created_at) * 1000)::bigint from {case.table_name}").fetchall()
        stored = {expect(int, row[0]) for row in rows}
        covered = ranges.read(conn, case.table_name, [case.series_id])[case.series_id]
        facts = states.read_facts(conn, case.table_name)[0]
    finally:
        conn.commit()
        world.close()
    lag_ms = 8 * HOUR_MS if case.duration is None else max(MINUTE_MS, case.step_ms)
    youngest_due = clock.now_ms() - lag_ms - case.step_ms - 1_000
    # What the vendor drops while we work (retention) can't be asked of us; what is younger than the lag is not due.
    wanted = {created for created in had_at_start & had_at_end if created < youngest_due}
    assert wanted <= stored
    assert not watched.overran  # type: ignore[attr-defined]
    # An outage between two pages is proven by two answers, and stays a gap between their ranges.
    assert not facts.has_gap
    # Of rates it reaches from the last one before to the first one after.
    reach_ms = 0 if case.duration else case.step_ms
    silent = [Range(outage.start_ms - reach_ms, outage.end_ms + reach_ms) for outage in find_outages(case)]
    assert all(find_missing(silent, gap) == [] for gap in find_gaps(covered))
    if stored:
        assert covered[0].start_ms == min(stored)
        assert facts.floor_kind is not None or facts.start_ms <= (facts.listed_ms or 0)  # type: ignore[operator]
    least = -(-len(had_at_end | stored) // max(1, case.page_rows - 1))
    assert world.requests <= 3 * least + 40, f"{world.requests} requests where {least} pages hold it all"

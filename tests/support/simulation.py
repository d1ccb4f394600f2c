"""A market on a clock that tests can move, and the loop that plays the sensors' part on it."""

import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.tables import TABLES
from series_pipelines.errors import CapabilityBusy
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneReport, LaneTools
from series_pipelines.ingest.planning.cadence import find_cadence
from series_pipelines.ingest.planning.due import find_head_due, find_tail_due
from series_pipelines.ingest.standing.backlog import publish_backlogs, read_backlog
from series_pipelines.ingest.standing.decisions import decide_lanes
from series_pipelines.ingest.storing import capabilities, states
from series_pipelines.ingest.storing.compaction import compact_series
from series_pipelines.ingest.storing.writer import Written
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.contract import Direction, Limits, Product, Vendor
from series_pipelines.vendors.demo.market import DemoProduct
from series_pipelines.vendors.demo.vendor import DemoService, DemoVendor
from series_pipelines.vendors.registry import Registry

NOON_MS = 1_790_000_000_000 // DAY_MS * DAY_MS + DAY_MS // 2


class MovableClock:
    """Time passes only when someone waits."""

    def __init__(self, now_ms: int = NOON_MS) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def __call__(self) -> int:
        return self._now_ms

    def wait(self, duration_ms: int) -> None:
        self._now_ms += duration_ms


@dataclass
class World:
    """A database, some vendors and a clock."""

    url: str
    vendors: Sequence[Vendor]
    clock: MovableClock
    on_written: Callable[[Written], None] = lambda _: None
    shift_ms: int = 120_000
    reports: list[LaneReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.registry = Registry(self.vendors)
        self.conn: Connection = connect(self.url, purpose="world")
        self.sync()

    def sync(self) -> None:
        sync_universe(self.conn, self.registry, self.clock.now_ms())
        self.conn.commit()

    def close(self) -> None:
        self.conn.close()

    def read_database_clock(self, conn: Connection) -> int:
        """The database lives in this world's time too."""
        return self.clock.now_ms()

    def connect(self, purpose: str, autocommit: bool = False) -> Connection:
        return connect(self.url, purpose=purpose, autocommit=autocommit)

    def run(self, cap_key: str, order: LaneOrder) -> LaneReport:
        """Run one lane and compact what it touched, as a run does."""
        catalogue = self.registry.read()
        tools = LaneTools(self.connect, self.clock, self.on_written, read_database_clock=self.read_database_clock)
        report = run_lane(tools, catalogue.vendor_of[cap_key], catalogue.capabilities[cap_key], order)
        compact_series(self.conn, catalogue.capabilities[cap_key].table_name, sorted(report.touched))
        self.reports.append(report)
        return report

    def tick(self) -> int:
        """Play every sensor once and run the lanes they ask for, one after the other; return how many ran."""
        ran = 0
        for table_name in TABLES:
            for kind in ("head", "tail"):
                now_ms = self.clock.now_ms()
                backlog = read_backlog(self.conn, now_ms)
                publish_backlogs(self.conn, backlog, now_ms)
                self.conn.commit()
                for cap_key in decide_lanes(backlog, table_name, kind, ()).wanted:
                    try:
                        self.run(cap_key, LaneOrder(("head",) if kind == "head" else ("head", "tail"), self.shift_ms))
                        ran += 1
                    except CapabilityBusy:
                        continue
        return ran

    def settle(self, most_ticks: int = 100) -> None:
        """Tick until every series has its head and no tail is left, moving the clock over every pause."""
        for _ in range(most_ticks):
            ran = self.tick()
            wake_ms = self._find_next_work()
            if wake_ms is None:
                self._refresh_heads()
                return
            if not ran:
                self.clock.wait(max(1, wake_ms - self.clock.now_ms()))
        raise AssertionError(f"not settled after {most_ticks} ticks")

    def _find_next_work(self) -> int | None:
        """Return when a tail, or the head of a series that has nothing yet, is due next."""
        known = {state.cap_key: state for state in capabilities.read(self.conn)}
        times: list[int] = []
        for table_name in TABLES:
            for facts in states.read_facts(self.conn, table_name):
                capability = known[facts.cap_key]
                due_ms = find_tail_due(facts)
                if facts.end_ms is None and facts.head_misses < 8:
                    cadence = find_cadence(table_name, facts.series_id, capability.grace_ms, facts.interval_ms)
                    due_ms = find_head_due(facts, cadence)
                if due_ms is not None:
                    times.append(max(due_ms, capability.next_eligible_ms or 0))
        self.conn.commit()
        return min(times, default=None)

    def _refresh_heads(self) -> None:
        for cap_key in self.registry.read().capabilities:
            self.run(cap_key, LaneOrder(work=("head",), shift_ms=1_000))

    @property
    def requests(self) -> int:
        return sum(report.requests for report in self.reports)


def interrupt_main() -> NoReturn:
    """Interrupt the test as Ctrl-C would, from the thread in which a vendor is asked, which never answers."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    # Left behind; a daemon thread keeps nobody from ending.
    threading.Event().wait()
    raise AssertionError("nothing sets this event")


def make_vendor(
    clock: MovableClock,
    products: Sequence[DemoProduct],
    *,
    name: str = "sim",
    method: str = "IngestOHLC",
    prefix: str = "SIM/",
    direction: Direction = "backward",
    page_rows: int = 100,
    durations: tuple[str, ...] = ("PT1M",),
    limits: Limits | None = None,
) -> DemoVendor:
    service = DemoService(method, prefix, direction, page_rows, durations, limits or Limits(grace_ms=1_000))
    return DemoVendor(name, [service], list(products), clock=clock, sleep=lambda _: None)


def make_product(
    product_id: str,
    listing_ms: int,
    *,
    is_listing_known: bool = True,
    delisting_ms: int | None = None,
    retention_ms: int | None = None,
    outages: tuple[tuple[int, int], ...] = (),
) -> DemoProduct:
    product = Product(
        product_id,
        listed_ms=listing_ms if is_listing_known else None,
        delisted_ms=delisting_ms if is_listing_known else None,
    )
    return DemoProduct(product, listing_ms, delisting_ms, retention_ms, outages)


EMPTIED = (
    *("series_state", "product", "capability_state", "series_data_range", "ohlc_v2", "interest_rate", "ing_cursor"),
    *("coverage_evidence", "row_revision", "refresh_campaign", "rate_request", "rate_budget"),
)


def empty_tables(conn: Connection) -> None:
    """Empty every table but the ledger, so that many examples share one database; the writer may not truncate."""
    for table in EMPTIED:
        conn.execute(f"delete from {table}")
    conn.commit()

"""Lying pages through real lanes, in this process, on a clock that moves when someone waits.

A round: a fresh database, a drawn world, lanes of sensors and of persons in random order while the liars lie; then
honest neighbours must have all, then the liars tell the truth and all must have all; the oracle looks at every stop.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from unittest import mock

from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.tables import TABLES
from series_pipelines.errors import CapabilityBusy
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneTools
from series_pipelines.ingest.standing.backlog import publish_backlogs, read_backlog
from series_pipelines.ingest.standing.decisions import decide_lanes
from series_pipelines.ingest.storing.compaction import compact_series
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors import offers
from series_pipelines.vendors.registry import Registry

from .liebook import LieBook
from .oracle import BREAK, Oracle, Violation, count_rows, describe_break, end_long_pauses
from .vendor import Options, TortureVendor, make_vendors
from .worlds import draw_houses

SHARE = 0.85
CATALOGUE_SHARE = 0.9
LOOKS_AT_VENDORS = 12
LOOK_SECONDS = 1.0
MOST_WAITS = 60
HANG_MS = 10 * MINUTE_MS
SHIFT_MS = 5_000
"""Short: a lane looks around twice a second for as long as its shift lasts, also where time only seems to pass."""


class MovableClock:
    """Time passes only when someone waits."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def wait(self, duration_ms: int) -> None:
        self._now_ms += duration_ms


@dataclass
class PagesResult:
    """What a round came to."""

    seed: int
    told: Counter[str]
    told_of_catalogue: Counter[str]
    lanes: int
    pages: int
    rows: int
    violations: list[Violation]

    @property
    def is_broken_off(self) -> bool:
        return any(violation.rule == BREAK for violation in self.violations)

    @property
    def lies(self) -> int:
        return self.told.total()


@dataclass
class PagesRound:
    """One world, its lanes, and what was found."""

    url: str
    seed: int
    lies_wanted: int
    epoch_ms: int
    bars: int = 300
    only: tuple[str, ...] = ()
    on_progress: Callable[[int], None] = lambda _: None
    violations: list[Violation] = field(default_factory=list)
    lanes: int = 0
    pages: int = 0
    rows: int = 0

    def __post_init__(self) -> None:
        self.random = Random(f"pages {self.seed}")
        self.clock = MovableClock(self.epoch_ms)
        self.book = LieBook()
        options = Options(self.seed, self.epoch_ms, self.bars, SHARE, is_alone=True)
        self.vendors: list[TortureVendor] = list(make_vendors(options, self.clock.now_ms, self.book))
        self.registry = Registry(self.vendors)
        self.oracle = Oracle(self.seed, draw_houses(self.seed, self.epoch_ms, self.bars), self.book)
        self.conn: Connection = connect(self.url, purpose="torture")
        self._catalogue = self.registry.read()
        for vendor in self.vendors:
            vendor.while_hanging = lambda: self.clock.wait(HANG_MS)
            if self.only:
                vendor.lies = [name for name in vendor.lies if name in self.only]

    def run(self) -> PagesResult:
        """Run the round to its end; what it breaks off with is a violation like any other."""
        threads = threading.active_count()
        try:
            self._sync()
            self._lie()
            if self.lies_wanted:
                self._lie_about_products()
            self._complete("no honest neighbour starves", only_honest=True)
            self._ask_oracle()
            for vendor in self.vendors:
                vendor.share = vendor.catalogue_share = 0.0
                vendor.release()
            self._sync()
            self._complete("complete in the end", only_honest=False)
            self._ask_oracle()
            self.rows = count_rows(self.conn)
        except Exception as error:
            self.violations.append(describe_break(error))
        finally:
            for vendor in self.vendors:
                vendor.release()
            self.conn.close()
        if (more := threading.active_count() - threads) > 0:
            # Threads end on their own once their lane let them go; they are only to be few.
            self._note("threads end", "this process", f"{more} more than before") if more > 20 else None
        return self.sum_up()

    def sum_up(self) -> PagesResult:
        """Return what it came to so far."""
        told = Counter(name for vendor in self.vendors for name in vendor.told_of_catalogue)
        return PagesResult(self.seed, self.book.told, told, self.lanes, self.pages, self.rows, self.violations)

    def _note(self, rule: str, where: str, what: str) -> None:
        violation = Violation(rule, where, what)
        if violation not in self.violations:
            self.violations.append(violation)

    @contextmanager
    def _surviving(self, rule: str, where: str) -> Iterator[None]:
        """Write down what comes out of what must not fail, whatever it is."""
        before = dict(self.book.last)
        try:
            yield
        except CapabilityBusy as error:
            self._note(rule, where, f"CapabilityBusy: {error}")
        except BaseException as error:
            if type(error) is KeyboardInterrupt:
                raise
            changed = [lie.name for key, lie in self.book.last.items() if lie and before.get(key) is not lie]
            self._note(rule, where, f"{type(error).__name__}: {_shorten(error)} after {sorted(set(changed))[-3:]}")
            self.conn.rollback()

    def _sync(self) -> None:
        told_before = {vendor.name: len(vendor.told_of_catalogue) for vendor in self.vendors}
        liar_told: list[str] = []
        with self._surviving("a sync survives", "universe"):
            sync_universe(self.conn, self.registry, self.clock.now_ms())
            self.conn.commit()
        for vendor in self.vendors:
            liar_told += vendor.told_of_catalogue[told_before[vendor.name] :]
        self.conn.rollback()
        self._check_products(liar_told)

    def _check_products(self, told: list[str]) -> None:
        """Every honest vendor's products are known, as they are, whatever another vendor said."""
        known = {
            row[0]: row[1:]
            for row in self.conn.execute("select product_id, vendor, name, delisted_at is null from product").fetchall()
        }
        active = {row[0] for row in self.conn.execute("select series_id from series_state where active").fetchall()}
        self.conn.rollback()
        for vendor in self.vendors:
            for life in vendor.house.lives:
                expected = (vendor.name, f"product {life.product_id}", life.delisting_ms is None)
                found = known.get(life.product_id)
                # One that contradicts itself about its own products may be believed in either.
                is_own = vendor.house.lies_about_products and found is not None and found[0] == vendor.name
                if found != expected and not is_own:
                    self._note(
                        "a vendor touches only its own", life.product_id, f"is {found}, not {expected}, after {told}"
                    )
                for series_id, _ in life.list_series():
                    if series_id not in active:
                        self._note("no series retires by another's lie", series_id, f"not active after {told}")

    def _lie(self) -> None:
        idle = 0
        while self.book.total < self.lies_wanted and idle < 40:
            before = self.book.total
            chance = self.random.random()
            if chance < 0.75:
                self._run(self.random.choice(sorted(self._catalogue.capabilities)), self._draw_person_order())
            else:
                self._tick()
                self.clock.wait(self.random.choice([0, 1_000, MINUTE_MS, 20 * MINUTE_MS]))
            for vendor in self.random.sample(self.vendors, 2):
                vendor.release()
            end_long_pauses(self.conn, self.clock.now_ms())
            idle = idle + 1 if self.book.total == before else 0
            self.on_progress(self.book.total)
        if idle >= 40:
            self._note("lanes go on", "all", f"no answer was asked for in 40 lanes; {self.book.total} lies were told")

    def _lie_about_products(self) -> None:
        for vendor in self.vendors:
            vendor.catalogue_share = CATALOGUE_SHARE
        with mock.patch.object(offers, "LOOK_SECONDS", LOOK_SECONDS):
            for _ in range(LOOKS_AT_VENDORS):
                self._sync()
                for vendor in self.vendors:
                    vendor.release()

    def _draw_person_order(self) -> LaneOrder:
        return LaneOrder(("head", "tail"), self.random.choice([SHIFT_MS, 2 * MINUTE_MS]), by_person=True)

    def _tick(self) -> int:
        """Play every sensor once and run the lanes they ask for."""
        ran = 0
        for table_name in TABLES:
            for kind in ("head", "tail"):
                now_ms = self.clock.now_ms()
                backlog = read_backlog(self.conn, now_ms)
                publish_backlogs(self.conn, backlog, now_ms)
                self.conn.commit()
                for cap_key in decide_lanes(backlog, table_name, kind, ()).wanted:
                    order = LaneOrder(("head",) if kind == "head" else ("head", "tail"), SHIFT_MS)
                    self._run(cap_key, order)
                    ran += 1
        return ran

    def _run(self, cap_key: str, order: LaneOrder) -> None:
        capability = self._catalogue.capabilities.get(cap_key)
        if capability is None:
            self._note("only real capabilities are worked", cap_key, "a lane was wanted for it")
            return
        tools = LaneTools(self._connect, self.clock, read_database_clock=lambda _: self.clock.now_ms())
        with self._surviving("a lane survives", cap_key):
            report = run_lane(tools, self._catalogue.vendor_of[cap_key], capability, order)
            compact_series(self.conn, capability.table_name, sorted(report.touched))
            self.pages += report.pages
        self.conn.rollback()
        self._check_answers()
        self.lanes += 1

    def _connect(self, purpose: str, autocommit: bool) -> Connection:
        return connect(self.url, purpose=purpose, autocommit=autocommit)

    def _check_answers(self) -> None:
        """Each series whose last answer was refused has an error that says so."""
        rows = self.conn.execute("select series_id, last_error from series_state").fetchall()
        errors = {row[0]: row[1] for row in rows}
        self.conn.rollback()
        for series_id, lie in self.book.last.items():
            if lie is not None and lie.kind in ("refused", "pause") and not errors.get(series_id):
                self._note("a refused answer leaves an error", series_id, f"none after {lie.name}")

    def _complete(self, rule: str, only_honest: bool) -> None:
        incomplete: list[Violation] = []
        for _ in range(MOST_WAITS):
            self._tick()
            end_long_pauses(self.conn, self.clock.now_ms())
            incomplete = self.oracle.find_incomplete(self.conn, self.clock.now_ms(), only_honest)
            if not incomplete:
                return
            self.clock.wait(5 * MINUTE_MS)
        for violation in incomplete:
            self._note(rule, violation.where, violation.what)

    def _ask_oracle(self) -> None:
        for violation in self.oracle.find_violations(self.conn, self.clock.now_ms()):
            if violation not in self.violations:
                self.violations.append(violation)


def _shorten(error: BaseException) -> str:
    try:
        return ascii(str(error)[:160])
    except BaseException:
        return "no text"


__all__ = ["PagesResult", "PagesRound"]

"""What a lane is asked to do, what it works with, what it did, and why it ended."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, NamedTuple

from series_pipelines.core.clock import Clock
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.ingest.pages.clocks import TOLERANCE_MS
from series_pipelines.ingest.pages.floor import RECHECK_MS
from series_pipelines.ingest.planning.facts import Kind
from series_pipelines.ingest.storing.writer import Written
from series_pipelines.postgres.clock import read_clock
from series_pipelines.postgres.connection import Connection

DEFAULT_SHIFT_MS: Final = 2 * MINUTE_MS


class LaneEnd(Enum):
    """Why a lane ends."""

    SHIFT_IS_OVER = auto()
    TOLD_TO_END = auto()
    PAGES_ARE_THERE = auto()
    PERSON_WAITS = auto()
    NO_TURN = auto()
    CAPABILITY_RESTS = auto()
    NOTHING_IS_DUE = auto()


class Ending(NamedTuple):
    """Why a lane ended, for programs and for people."""

    why: LaneEnd
    text: str


@dataclass(frozen=True, slots=True)
class LaneOrder:
    """What a lane is asked to do. A person's lane serves chosen series and ends when they are up to date."""

    work: tuple[Kind, ...] = ("head", "tail")
    shift_ms: int = DEFAULT_SHIFT_MS
    series_ids: tuple[str, ...] | None = None
    max_pages: int | None = None
    window: Range | None = None
    by_person: bool = False
    run_id: str | None = None
    recheck_after_ms: int = RECHECK_MS
    """How long a proven floor stands before it is verified again."""
    clock_tolerance_ms: int = TOLERANCE_MS
    """How far a vendor's clock may stand from ours and the database's to be believed."""


@dataclass(slots=True)
class LaneReport:
    """What a lane did, and why it ended."""

    requests: int = 0
    pages: int = 0
    rows: int = 0
    trimmed: int = 0
    backoffs: int = 0
    left_behind: int = 0
    """Requests that the vendor did not answer in time."""
    touched: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    ending: Ending | None = None

    @property
    def ended(self) -> str:
        """Why it ended, as people read it."""
        return self.ending.text if self.ending else ""


@dataclass(frozen=True, slots=True)
class LaneTools:
    """What a lane works with: how to connect, the time, and who wants to know about each committed attempt."""

    connect: Callable[[str, bool], Connection]
    """Open a connection for a purpose; the second argument asks for autocommit."""
    clock: Clock
    on_written: Callable[[Written], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    """Hears, while the lane works, why it stands still."""
    on_nap: Callable[[str], None] = lambda _: None
    """Hears what the lane waits for, at each of the short naps that a wait is made of."""
    should_end: Callable[[], bool] = lambda: False
    """Say whether the lane is to end after its page, because whoever started it ends."""
    read_database_clock: Callable[[Connection], int] = read_clock

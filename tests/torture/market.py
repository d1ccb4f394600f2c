"""The truth: what each product's bars and rates are, a pure function of seed, product, duration and time.

Vendors tell it or lie about it; the oracle asks it directly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from series_pipelines.core.duration import HOUR_MS, Duration, parse_duration
from series_pipelines.core.ranges import Range
from tests.support.bars import make_bar

_MASK = (1 << 64) - 1

Row = tuple[object, ...]


@dataclass(frozen=True)
class Life:
    """A product: when it lives, what its vendor keeps of it, when nothing was traded."""

    product_id: str
    listing_ms: int
    durations: tuple[str, ...] = ()
    """Of its bars; a product without any has a rate."""
    delisting_ms: int | None = None
    is_listing_known: bool = True
    retention_ms: int | None = None
    outages: tuple[Range, ...] = ()
    interval_ms: int = 8 * HOUR_MS
    lies: bool = False
    """Whether the vendor lies about it now and then."""

    def list_series(self) -> Iterator[tuple[str, str | None]]:
        """Yield each of its series and its duration; of a rate, none."""
        if not self.durations:
            yield self.product_id, None
        for duration in self.durations:
            yield f"{self.product_id}/{duration}", duration


class Market:
    """All products' rows. `closed` rows are final; the bar that is still forming says something else."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def make_row(self, life: Life, duration: str | None, created_ms: int, is_forming: bool = False) -> Row:
        """Return the row that begins at this time, as the contract wants it."""
        number = _mix(_make_key(self.seed, life.product_id, duration or "") ^ created_ms)
        if duration is None:
            rate, settlement = number % 20_001 - 10_000, 1_000_000 + number // 20_001 % 8_000_000
            return created_ms, f"{_show(rate, 8)}", f"{_show(-rate, 8)}", _show(settlement, 2)
        first = 1_000_000 + number % 8_000_000
        last = first + (number >> 20) % 2_001 - 1_000
        high, low = max(first, last) + (number >> 34) % 500, min(first, last) - (number >> 44) % 500
        volume = (number >> 8) % 10_000_000
        if is_forming:
            last, volume = low, volume // 2
        closed_ms = parse_duration(duration).end_of_bar(created_ms)
        texts = (_show(first, 2), _show(high, 2), _show(low, 2), _show(last, 2), _show(volume, 4))
        return make_bar(created_ms, closed_ms, *texts)

    def list_times(self, life: Life, duration: str | None, start_ms: int, end_ms: int) -> Iterator[int]:
        """Yield when its rows begin, in [start, end), oldest first, whatever the vendor keeps."""
        end_ms = end_ms if life.delisting_ms is None else min(end_ms, life.delisting_ms)
        time_ms = find_start(life, duration, max(start_ms, life.listing_ms))
        while time_ms < end_ms:
            if not _is_out(life, time_ms):
                yield time_ms
            time_ms = step(life, duration, time_ms)

    def read_page(
        self, life: Life, duration: str | None, direction: str, time_ms: int, page_rows: int, now_ms: int
    ) -> list[Row]:
        """Return an honest page, oldest row first, the forming bar with it."""
        oldest_ms = life.listing_ms if life.retention_ms is None else max(life.listing_ms, now_ms - life.retention_ms)
        oldest_ms = find_start(life, duration, oldest_ms)
        latest_ms = now_ms + 1 if life.delisting_ms is None else min(now_ms + 1, life.delisting_ms)
        found: list[int] = []
        if direction == "forward":
            at_ms = find_start(life, duration, max(oldest_ms, time_ms))
            while at_ms < latest_ms and len(found) < page_rows:
                if not _is_out(life, at_ms):
                    found.append(at_ms)
                at_ms = step(life, duration, at_ms)
        else:
            at_ms = step_back(life, duration, min(time_ms, latest_ms))
            while at_ms >= oldest_ms and len(found) < page_rows:
                if not _is_out(life, at_ms):
                    found.append(at_ms)
                at_ms = step_back(life, duration, at_ms)
            found.reverse()
        return [self.make_row(life, duration, at, _ends(duration, at) > now_ms) for at in found]


def find_start(life: Life, duration: str | None, time_ms: int) -> int:
    """Return the first moment on the series' grid at or after a time."""
    if duration is None:
        return -(-time_ms // life.interval_ms) * life.interval_ms
    length = parse_duration(duration)
    start_ms = length.start_of_bar(time_ms)
    return start_ms if start_ms == time_ms else length.end_of_bar(start_ms)


def step(life: Life, duration: str | None, time_ms: int) -> int:
    """Return the next moment of the grid."""
    return time_ms + life.interval_ms if duration is None else parse_duration(duration).end_of_bar(time_ms)


def step_back(life: Life, duration: str | None, time_ms: int) -> int:
    """Return the last moment of the grid before a time."""
    if duration is None:
        return (time_ms - 1) // life.interval_ms * life.interval_ms
    return parse_duration(duration).start_of_bar(time_ms - 1)


def measure_lag(life: Life, duration: str | None) -> int:
    """Return how much of the newest time no lane can be asked for yet: what forms, and what is not due."""
    if duration is None:
        return 2 * life.interval_ms + HOUR_MS
    length: Duration = parse_duration(duration)
    bar_ms = 31 * 24 * HOUR_MS if length.months else length.nominal_ms
    return 2 * max(60_000, bar_ms) + 60_000


def _ends(duration: str | None, created_ms: int) -> int:
    return created_ms if duration is None else parse_duration(duration).end_of_bar(created_ms)


def _is_out(life: Life, time_ms: int) -> bool:
    return any(outage.start_ms <= time_ms < outage.end_ms for outage in life.outages)


@lru_cache(maxsize=4096)
def _make_key(seed: int, product_id: str, duration: str) -> int:
    return int.from_bytes(blake2b(f"{seed}/{product_id}/{duration}".encode(), digest_size=8).digest())


def _mix(number: int) -> int:
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31


def _show(units: int, decimals: int) -> str:
    sign, units = ("-", -units) if units < 0 else ("", units)
    whole, rest = divmod(units, 10**decimals)
    return f"{sign}{whole}.{rest:0{decimals}d}"

"""How much of a series' life is covered and why the rest is not, as numbers and as a bar a person can read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, NamedTuple

from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.ranges import Range, find_gaps, find_missing, find_union
from series_pipelines.ingest.pages.evidence import Evidence
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.due import has_given_all, is_at_floor
from series_pipelines.ingest.planning.facts import SeriesFacts

_SHADES: Final = " ░▒▓█"
COVERAGE_KINDS: Final = (
    *("verified_empty", "data", "outage", "pre_listing", "beyond_retention", "post_delisting", "quarantined"),
    "unknown",
)
"""All there can be of a stretch of time. Where two claim the same moment the earlier in this list has it."""
OPEN_KINDS: Final = ("unknown", "quarantined")
"""The kinds of time that remain to be asked for."""


class Stretch(NamedTuple):
    """A stretch of time of one kind."""

    kind: str
    start_ms: int
    end_ms: int


def classify(ranges: Iterable[Range], evidence: Iterable[Evidence], window: Range) -> list[Stretch]:
    """Divide a window into stretches of one kind each, oldest first, without overlap and without a rest."""
    claims: dict[str, list[Range]] = {kind: [] for kind in COVERAGE_KINDS}
    claims["data"] = list(ranges)
    for known in evidence:
        if known.is_proven:
            claims[known.kind].append(known.window)
    stretches: list[Stretch] = []
    left = [window]
    for kind in COVERAGE_KINDS[:-1]:
        if claims[kind]:
            unclaimed = [part for stretch in left for part in find_missing(claims[kind], stretch)]
            stretches += [Stretch(kind, *part) for stretch in left for part in find_missing(unclaimed, stretch)]
            left = unclaimed
    stretches += [Stretch("unknown", *part) for part in left]
    return sorted(stretches, key=lambda stretch: stretch.start_ms)


def sum_kinds(stretches: Iterable[Stretch]) -> dict[str, int]:
    """Return the time of each kind that there is."""
    sums: dict[str, int] = {}
    for kind, start_ms, end_ms in stretches:
        sums[kind] = sums.get(kind, 0) + end_ms - start_ms
    return sums


@dataclass(frozen=True, slots=True)
class Coverage:
    """A series at one moment: the life it should cover, what it covers, what is missing."""

    life: Range | None
    union: Range | None
    covered_ms: int
    gaps: tuple[Range, ...]
    lag_ms: int | None
    kinds: Mapping[str, int]
    """How much time of its life is of each kind."""
    unknown_ms: int
    """Time of its life of which we do not know, or were refused, what it holds."""
    behind_ms: int
    """The part of it that is older than the newest row."""
    is_start_proven: bool

    @property
    def percent(self) -> float:
        """How much of its life a series covers; never 100 while anything is missing."""
        if self.life is None:
            return 0.0
        share = 100.0 * self.covered_ms / (self.life.end_ms - self.life.start_ms)
        return min(share, 99.99) if self.covered_ms < self.life.end_ms - self.life.start_ms else 100.0


def find_knowable_end(cadence: Cadence, now_ms: int, end_ms: int | None) -> int:
    """Return until when something can be known of a series whose union ends there: a bar still forming is not missing.

    Bars go on where the union ends, in their own steps, whatever time zone its days begin in. Rates have no grid: what
    is stored is all there can be until the next one is due, and from then on anything may have come.
    """
    if cadence.duration is None:
        if end_ms is None or now_ms > end_ms + cadence.head_lag_ms + cadence.grace_ms:
            return now_ms
        return min(end_ms, now_ms)
    closed_ms = now_ms - cadence.grace_ms
    if end_ms is None:
        return cadence.duration.start_of_bar(max(0, closed_ms))
    # A vendor's clock may run before ours: what it gave is known.
    return min(now_ms, cadence.duration.end_of_last_bar(end_ms, closed_ms))


def _find_life(facts: SeriesFacts, cadence: Cadence, union: Range | None, now_ms: int) -> tuple[int, int]:
    union_end_ms = union and union.end_ms
    end_ms = find_knowable_end(cadence, now_ms, union_end_ms)
    if facts.delisted_ms is not None:
        end_ms = min(end_ms, facts.delisted_ms)
        if union_end_ms is not None and has_given_all(facts, union_end_ms, facts.delisted_ms, cadence):
            end_ms = min(end_ms, union_end_ms)
    starts = [start for start in (facts.floor_ms, facts.listed_ms, union and union.start_ms) if start is not None]
    return facts.floor_ms if facts.floor_ms is not None else min(starts, default=end_ms), end_ms


def measure_coverage(
    facts: SeriesFacts, cadence: Cadence, ranges: Sequence[Range], now_ms: int, evidence: Sequence[Evidence] = ()
) -> Coverage:
    """Measure a series between its proven or presumed start and the last that can be known of it at this moment."""
    union = find_union(ranges)
    start_ms, end_ms = _find_life(facts, cadence, union, now_ms)
    life = Range(start_ms, end_ms) if start_ms < end_ms else None
    missing_ms = sum(gap.end_ms - gap.start_ms for gap in find_missing(ranges, life)) if life else 0
    stretches = classify(ranges, evidence, life) if life else []
    unknown = [stretch for stretch in stretches if stretch.kind in OPEN_KINDS]
    return Coverage(
        life=life,
        union=union,
        covered_ms=life.end_ms - life.start_ms - missing_ms if life else 0,
        gaps=tuple(find_gaps(ranges)),
        lag_ms=None if union is None else max(0, end_ms - union.end_ms),
        kinds=sum_kinds(stretches),
        unknown_ms=sum(stretch.end_ms - stretch.start_ms for stretch in unknown),
        behind_ms=sum(
            stretch.end_ms - stretch.start_ms
            for stretch in unknown
            if union is not None and stretch.end_ms <= union.end_ms
        ),
        is_start_proven=is_at_floor(facts),
    )


def estimate_completion(behind_ms: int, page_span_ms: int | None, waiting: int, pages_per_minute: float) -> int | None:
    """Return how long it may take until nothing behind is unknown: tails take turns, a page each."""
    if not behind_ms or not page_span_ms or pages_per_minute <= 0:
        return None
    return round(ceil(behind_ms / page_span_ms) * max(1, waiting) / pages_per_minute * MINUTE_MS)


def draw_bar(ranges: Sequence[Range], life: Range, width: int) -> str:
    """Draw covered time from left (oldest) to right (now); a darker cell is covered more."""
    cells = []
    span_ms = life.end_ms - life.start_ms
    for index in range(width):
        start_ms = life.start_ms + span_ms * index // width
        cell = Range(start_ms, max(start_ms + 1, life.start_ms + span_ms * (index + 1) // width))
        missing_ms = sum(gap.end_ms - gap.start_ms for gap in find_missing(ranges, cell))
        share = 1 - missing_ms / (cell.end_ms - cell.start_ms)
        level = len(_SHADES) - 1 if share == 1 else min(len(_SHADES) - 2, ceil(share * (len(_SHADES) - 1)))
        cells.append(_SHADES[level])
    return "".join(cells)

"""How much of a series' life is covered, as numbers and as a bar a person can read."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from series_pipelines.core.plan import SeriesFacts
from series_pipelines.core.ranges import Range, find_gaps, find_missing, find_union

_SHADES: Final = " ░▒▓█"


@dataclass(frozen=True, slots=True)
class Coverage:
    """A series at one moment: the life it should cover, what it covers, what is missing."""

    life: Range | None
    union: Range | None
    covered_ms: int
    gaps: tuple[Range, ...]
    lag_ms: int | None

    @property
    def percent(self) -> float:
        """How much of its life a series covers; never 100 while anything is missing."""
        if self.life is None:
            return 0.0
        share = 100.0 * self.covered_ms / (self.life.end_ms - self.life.start_ms)
        return min(share, 99.99) if self.covered_ms < self.life.end_ms - self.life.start_ms else 100.0


def measure_coverage(facts: SeriesFacts, ranges: Sequence[Range], now_ms: int) -> Coverage:
    """Measure a series between its proven or presumed start and now, or its delisting."""
    union = find_union(ranges)
    end_ms = min(now_ms, facts.delisted_ms or now_ms)
    starts = [start for start in (facts.floor_ms, facts.listed_ms, union and union.start_ms) if start is not None]
    start_ms = facts.floor_ms if facts.floor_ms is not None else min(starts, default=end_ms)
    life = Range(start_ms, end_ms) if start_ms < end_ms else None
    missing_ms = sum(gap.end_ms - gap.start_ms for gap in find_missing(ranges, life)) if life else 0
    return Coverage(
        life=life,
        union=union,
        covered_ms=life.end_ms - life.start_ms - missing_ms if life else 0,
        gaps=tuple(find_gaps(ranges)),
        lag_ms=None if union is None else max(0, end_ms - union.end_ms),
    )


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

"""Half-open ranges [start, end) of covered time.

Only a strict overlap merges. Touching ranges stay two and count as continuous; only a strict gap is missing data.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from series_pipelines.core.duration import HOUR_MS

MAX_OVERLAP_MS: Final = HOUR_MS
"""No request reaches further into what is covered."""


class Range(NamedTuple):
    start_ms: int
    end_ms: int


def merge_overlapping(ranges: Iterable[Range]) -> list[Range]:
    """Return the fewest ranges with the same union in which only strict overlaps are merged, sorted."""
    merged: list[Range] = []
    for current in sorted(set(ranges)):
        if merged and current.start_ms < merged[-1].end_ms:
            last = merged[-1]
            merged[-1] = Range(last.start_ms, max(last.end_ms, current.end_ms))
        else:
            merged.append(current)
    return merged


def find_gaps(ranges: Iterable[Range]) -> list[Range]:
    """Return the strict gaps between ranges, oldest first. Nested and touching ranges leave none."""
    gaps: list[Range] = []
    covered_until: int | None = None
    for current in sorted(ranges):
        if covered_until is not None and covered_until < current.start_ms:
            gaps.append(Range(covered_until, current.start_ms))
        covered_until = current.end_ms if covered_until is None else max(covered_until, current.end_ms)
    return gaps


def find_union(ranges: Sequence[Range]) -> Range | None:
    """Return the earliest start and the latest end; it does not mean continuous."""
    if not ranges:
        return None
    return Range(min(r.start_ms for r in ranges), max(r.end_ms for r in ranges))


def find_missing(ranges: Iterable[Range], window: Range) -> list[Range]:
    """Return the parts of the window that no range covers, oldest first."""
    missing: list[Range] = []
    position = window.start_ms
    for current in sorted(ranges):
        if current.end_ms <= position:
            continue
        if current.start_ms >= window.end_ms:
            break
        if current.start_ms > position:
            missing.append(Range(position, current.start_ms))
        position = current.end_ms
    if position < window.end_ms:
        missing.append(Range(position, window.end_ms))
    return missing

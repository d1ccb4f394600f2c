"""What is known of a series before anything is decided: what it covers, its attempts, its product's life."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Kind = Literal["head", "tail"]
Target = Literal["head", "gap", "start"]


class SeriesDue(NamedTuple):
    """What a sensor reads of every series, again and again."""

    series_id: str
    cap_key: str
    start_ms: int | None
    end_ms: int | None
    has_gap: bool
    head_attempted_ms: int | None
    head_eligible_ms: int | None
    head_misses: int
    start_eligible_ms: int | None
    gap_eligible_ms: int | None
    floor_ms: int | None
    listed_ms: int | None
    delisted_ms: int | None
    interval_ms: int | None = None
    recheck_ms: int | None = None
    may_hide_gap: bool = False
    """Whether some of its ranges overlap or touch, so that only their order tells whether there is a gap."""


class SeriesFacts(NamedTuple):
    """All the planner knows of a series: union, nearest gap, attempts, floor, and its product's life."""

    series_id: str
    cap_key: str
    start_ms: int | None
    end_ms: int | None
    gap_start_ms: int | None
    gap_end_ms: int | None
    head_attempted_ms: int | None
    head_eligible_ms: int | None
    head_misses: int
    tail_attempted_ms: int | None
    start_eligible_ms: int | None
    start_misses: int
    gap_eligible_ms: int | None
    gap_misses: int
    failures: int
    page_span_ms: int | None
    floor_ms: int | None
    floor_kind: str | None
    listed_ms: int | None
    delisted_ms: int | None
    shown_ms: int | None
    interval_ms: int | None = None
    """The shortest time between the newest rates seen; None for bars."""
    floor_grounds: Sequence[str] = ()
    """What speaks for the first row being the first there is."""
    nothing_earlier_ms: int | None = None
    """When the vendor first answered that nothing is earlier than the first row."""
    recheck_ms: int | None = None
    """When the floor is to be verified again."""
    coarser_start_ms: int | None = None
    """Where the same product's history at a coarser duration is proven to begin."""
    coarser_bar_ms: int | None = None

    @property
    def has_gap(self) -> bool:
        """Whether anything between the first row and the last is missing."""
        return self.gap_end_ms is not None

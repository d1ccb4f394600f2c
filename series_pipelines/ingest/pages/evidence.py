"""Why time without data has none: what each answer of a vendor proves, and what data that comes later takes back.

A hole inside one payload is the vendor's word. A hole between pages is ours to ask for again: only two well-formed
answers apart in time make it an outage. What validation refused is quarantined until a good page covers it.
"""

import marshal
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final, Literal, cast

from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.text import show_value
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import PageRefused, VendorError
from series_pipelines.ingest.pages.check import MOST_ROWS, Page
from series_pipelines.ingest.pages.outcome import Outcome
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.due import has_given_all
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch, find_page_span

EvidenceKind = Literal["verified_empty", "outage", "pre_listing", "beyond_retention", "post_delisting", "quarantined"]

PROVEN_OUTAGE: Final = 2
"""So many answers apart in time make an outage; fewer leave the time unknown."""
MOST_VALUES: Final = 50
MOST_CHARACTERS: Final = 1_000
"""What a row holds at most, and a value, to be looked at whole: more than any row that could be good."""
FLOOR_EVIDENCE: Final[dict[str | None, EvidenceKind]] = {"listing": "pre_listing", "retention": "beyond_retention"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One stretch without data, and the answer that says why."""

    kind: EvidenceKind
    window: Range
    request: str
    digest: str
    observed_ms: int
    confirmed_ms: int
    confirmations: int = 1

    @property
    def is_proven(self) -> bool:
        """Whether it says more than that we do not know."""
        return self.kind != "outage" or self.confirmations >= PROVEN_OUTAGE


def find_evidence(
    facts: SeriesFacts, fetch: Fetch, got: Page | VendorError, outcome: Outcome, cadence: Cadence, now_ms: int
) -> tuple[Evidence, ...]:
    """Return what an answer says about time without data."""
    if isinstance(got, Page):
        found = list(_read_page(facts, fetch, got, outcome, cadence, now_ms))
        digest = digest_answer(got.rows) if found else ""
    elif isinstance(got, PageRefused):
        found = list(_read_refusal(facts, fetch, cadence, now_ms))
        digest = got.digest
    else:
        return ()
    request = f"{fetch.target} {fetch.time_ms}"
    return tuple(Evidence(kind, window, request, digest, now_ms, now_ms) for kind, window in found)


def digest_answer(rows: object) -> str:
    """Return a short digest of an answer, to tell whether two answers were the same."""
    digest = blake2b(digest_size=16)
    if _is_small(rows):
        # Version 0 writes what things are worth, not which of them are the same object.
        digest.update(marshal.dumps(cast(Any, rows), 0))
    else:
        # Of what is larger than any page, what can be shown of it has to do.
        digest.update(show_value(rows).encode())
    return digest.hexdigest()


def _is_small(rows: object) -> bool:
    """Whether an answer can be written whole: a reply that is refused may hold anything, a billion times over."""
    if type(rows) not in (list, tuple) or len(cast(Sequence[object], rows)) > MOST_ROWS:
        return False
    return all(
        type(row) in (list, tuple) and len(row) <= MOST_VALUES and all(map(_is_short, row))
        for row in cast(Sequence[Any], rows)
    )


def _is_short(value: Any) -> bool:
    if type(value) is str:
        return len(value) <= MOST_CHARACTERS
    if type(value) is int:
        return value.bit_length() <= 4 * MOST_CHARACTERS
    return value is None or type(value) in (bool, float)


def _read_page(
    facts: SeriesFacts, fetch: Fetch, page: Page, outcome: Outcome, cadence: Cadence, now_ms: int
) -> Iterable[tuple[EvidenceKind, Range]]:
    for hole in page.holes:
        yield "verified_empty", hole
    if fetch.target == "gap" and not outcome.moved and _is_inside(facts):
        assert facts.gap_start_ms is not None
        assert facts.gap_end_ms is not None
        yield "outage", Range(facts.gap_start_ms, facts.gap_end_ms)
    floor = outcome.floor
    if floor.time_ms and (floor.time_ms != facts.floor_ms or fetch.target == "start"):
        yield FLOOR_EVIDENCE[floor.kind], Range(0, floor.time_ms)
    if fetch.target == "head" and facts.delisted_ms is not None:
        ends = [end for end in (facts.end_ms, page.range and page.range.end_ms) if end is not None]
        after = facts._replace(end_ms=max(ends, default=None), head_misses=outcome.misses, head_attempted_ms=now_ms)
        if after.end_ms is not None and has_given_all(after, after.end_ms, facts.delisted_ms, cadence):
            yield "post_delisting", Range(after.end_ms, LAST_MOMENT_MS)


def _is_inside(facts: SeriesFacts) -> bool:
    """Whether the gap lies between stored rows; a person's window may reach beyond them."""
    if facts.gap_start_ms is None or facts.gap_end_ms is None or facts.start_ms is None or facts.end_ms is None:
        return False
    return facts.start_ms < facts.gap_start_ms < facts.gap_end_ms < facts.end_ms


def _read_refusal(
    facts: SeriesFacts, fetch: Fetch, cadence: Cadence, now_ms: int
) -> Iterable[tuple[EvidenceKind, Range]]:
    page_ms = find_page_span(facts, cadence)
    if fetch.target == "gap" and facts.gap_start_ms is not None and facts.gap_end_ms is not None:
        window = Range(facts.gap_start_ms, facts.gap_end_ms)
    elif fetch.target == "start" and facts.start_ms is not None:
        window = Range(max(0, facts.start_ms - page_ms), facts.start_ms)
    else:
        window = Range(facts.end_ms if facts.end_ms is not None else max(0, now_ms - page_ms), now_ms)
    if window.start_ms < window.end_ms:
        yield "quarantined", window


def trim_evidence(known: Evidence, covered: Sequence[Range], holes: Sequence[Range]) -> list[Evidence]:
    """Return what is left of a stretch when a page covers time: a hole in the page says again what a hole said."""
    is_empty = known.kind == "verified_empty"
    stretches = [part for stretch in covered for part in find_missing(holes, stretch)] if is_empty else covered
    return [replace(known, window=window) for window in find_missing(stretches, known.window)]

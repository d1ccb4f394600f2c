"""Cursors without a database: what moves them, and what their events say when they are replayed."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series_pipelines.ingest.ledger.cursor import (
    CursorEvent,
    CursorValue,
    Namespace,
    backfill_namespace,
    decide,
    format_value,
    harvest_namespace,
    refresh_namespace,
    replay,
    signal_namespace,
)

SERIES = ("ohlc_v2", "SIM/A/PT1M")
FORWARD = harvest_namespace(*SERIES)
TOKENS = Namespace(*SERIES, "UPDATE", "CUSTOM", "feed", "TOKEN")
MOVING = (
    FORWARD,
    backfill_namespace(*SERIES),
    refresh_namespace(*SERIES, "campaign"),
    signal_namespace(*SERIES, "batch"),
)

namespaces = st.sampled_from(MOVING)
candidates = st.lists(st.none() | st.integers(-50, 50), max_size=30)


def record(namespace: Namespace, positions: Iterable[int | None]) -> tuple[CursorValue | None, list[CursorEvent]]:
    """Do what the store does for one writer after the other."""
    held: CursorValue | None = None
    events: list[CursorEvent] = []
    for number, position in enumerate(positions):
        candidate, prev = CursorValue(position), held or CursorValue()
        reason = decide(namespace, held, candidate)
        new = candidate if reason == "advanced" else prev
        events.append(CursorEvent(number, reason, prev, new))
        held = held if reason == "no-forward" else new
    return held, events


def furthest(namespace: Namespace, positions: Iterable[int | None]) -> CursorValue | None:
    known = [position for position in positions if position is not None]
    if not known:
        return None
    return CursorValue(max(known) if namespace.direction == "FORWARD" else min(known))


@given(namespaces, candidates)
def test_a_cursor_stands_at_the_furthest_candidate_and_its_replay_says_so(
    namespace: Namespace, positions: list[int | None]
) -> None:
    held, events = record(namespace, positions)
    replayed = replay(namespace, events)
    assert held == furthest(namespace, positions) == replayed.value
    assert (replayed.events, replayed.broken, replayed.start) == (len(positions), (), None)


@given(namespaces, candidates)
def test_no_event_steps_back(namespace: Namespace, positions: list[int | None]) -> None:
    sign = 1 if namespace.direction == "FORWARD" else -1
    for event in record(namespace, positions)[1]:
        if event.prev.position is not None:
            assert event.new.position is not None
            moved = sign * (event.new.position - event.prev.position)
            assert moved > 0 if event.reason == "advanced" else moved == 0


@given(namespaces, candidates, st.data())
def test_events_without_their_older_ones_still_tell_the_value(
    namespace: Namespace, positions: list[int | None], data: st.DataObject
) -> None:
    held, events = record(namespace, positions)
    kept = events[data.draw(st.integers(0, len(events))) :]
    replayed = replay(namespace, kept)
    assert replayed.broken == ()
    assert replayed.value == (held if kept else None)


@given(namespaces, candidates, st.data())
def test_an_event_that_is_missing_inside_is_noticed_at_the_next_that_moved(
    namespace: Namespace, positions: list[int | None], data: st.DataObject
) -> None:
    held, events = record(namespace, positions)
    moved = [event for event in events if event.reason == "advanced"]
    if len(moved) < 3:
        return
    index = data.draw(st.integers(1, len(moved) - 2))
    replayed = replay(namespace, [event for event in events if event != moved[index]])
    assert replayed.value == held
    assert len(replayed.broken) == 1
    assert moved[index].event_id < replayed.broken[0] <= moved[index + 1].event_id


@given(namespaces, candidates, st.data())
def test_who_moved_nothing_may_tell_an_older_value(
    namespace: Namespace, positions: list[int | None], data: st.DataObject
) -> None:
    """It read the cursor, then others recorded before it did."""
    held, events = record(namespace, positions)
    if not events:
        return
    seen = data.draw(st.integers(0, len(events) - 1))
    later = data.draw(st.integers(seen, len(events)))
    stale = CursorEvent(999, "no-forward", events[seen].prev, events[seen].prev)
    replayed = replay(namespace, [*events[:later], stale, *events[later:]])
    assert (replayed.value, replayed.broken) == (held, ())
    kept = replay(namespace, [stale, *events[later:]])
    assert kept.broken == ()


def test_a_value_that_only_an_unmoved_event_tells_is_a_broken_link() -> None:
    _, events = record(FORWARD, [10, 20])
    told = CursorEvent(7, "no-forward", CursorValue(50), CursorValue(50))
    replayed = replay(FORWARD, [*events, told])
    assert (replayed.value, replayed.broken) == (CursorValue(50), (7,))


def test_a_second_beginning_is_a_broken_link() -> None:
    _, events = record(FORWARD, [10, 20])
    again = CursorEvent(7, "advanced", CursorValue(), CursorValue(15))
    assert replay(FORWARD, [*events, again]).broken == (7,)
    further = replace(again, new=CursorValue(30))
    assert replay(FORWARD, [*events, further]).value == CursorValue(30)


@given(st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=10))
def test_tokens_are_not_compared_and_the_last_one_stands(tokens: list[str]) -> None:
    events = [
        CursorEvent(number, "token", CursorValue(token=before), CursorValue(token=token))
        for number, (before, token) in enumerate(zip([None, *tokens], tokens, strict=False))
    ]
    replayed = replay(TOKENS, events)
    assert (replayed.value, replayed.broken) == (CursorValue(token=tokens[-1]), ())
    assert replay(TOKENS, events[1:]).value == (CursorValue(token=tokens[-1]) if tokens[1:] else None)


def test_a_missing_token_is_a_broken_link() -> None:
    chain = [(None, "a"), ("a", "b"), ("b", "c")]
    events = [CursorEvent(i, "token", CursorValue(token=p), CursorValue(token=n)) for i, (p, n) in enumerate(chain)]
    assert replay(TOKENS, [events[0], events[2]]).broken == (2,)


@pytest.mark.parametrize(
    ("namespace", "candidate", "reason"),
    [
        (FORWARD, CursorValue(11), "advanced"),
        (FORWARD, CursorValue(10), "no-forward"),
        (FORWARD, CursorValue(9), "no-forward"),
        (FORWARD, CursorValue(None), "no-forward"),
        (backfill_namespace(*SERIES), CursorValue(9), "advanced"),
        (backfill_namespace(*SERIES), CursorValue(10), "no-forward"),
        (backfill_namespace(*SERIES), CursorValue(11), "no-forward"),
        (TOKENS, CursorValue(token="a"), "token"),
    ],
)
def test_what_moves_a_cursor_that_stands_at_ten(namespace: Namespace, candidate: CursorValue, reason: str) -> None:
    assert decide(namespace, CursorValue(10), candidate) == reason


def test_values_are_shown_as_what_they_are() -> None:
    assert format_value(FORWARD, CursorValue(0)) == "1970-01-01T00:00:00.000Z"
    assert format_value(FORWARD, CursorValue(10**18)) == str(10**18)
    assert format_value(signal_namespace(*SERIES, "batch"), CursorValue(7)) == "7"
    assert format_value(TOKENS, CursorValue(token="next")) == "next"
    assert format_value(FORWARD, None) is None

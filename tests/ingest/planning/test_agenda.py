"""The agenda serves the longest-waiting due series first, and every series in turn."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.ingest.planning.agenda import Agenda
from series_pipelines.ingest.planning.cadence import bar_cadence
from series_pipelines.ingest.planning.due import find_head_due, find_tail_due
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import plan_head, plan_tail

CADENCE = bar_cadence("PT1M", 0)
LATE_MS = CADENCE.head_lag_ms + 1
BLANK: dict[str, Any] = dict.fromkeys(SeriesFacts._fields) | {"series_id": "a", "cap_key": "c"}
BLANK |= {"head_misses": 0, "start_misses": 0, "gap_misses": 0, "failures": 0, "floor_grounds": ()}
TIMES = st.none() | st.integers(0, 30)


def make_facts(
    series_id: str,
    head_due_ms: int | None = None,
    tail_due_ms: int | None = None,
    head_attempted_ms: int | None = None,
    tail_attempted_ms: int | None = None,
) -> SeriesFacts:
    """Make a series whose head and tail become due at these times, or have nothing to do."""
    end_ms = (head_due_ms or 0) - LATE_MS
    known: dict[str, Any] = {
        "series_id": series_id,
        "start_ms": end_ms - 1,
        "end_ms": end_ms,
        "delisted_ms": end_ms if head_due_ms is None else None,
        "floor_ms": end_ms - 1 if tail_due_ms is None else None,
        "start_eligible_ms": tail_due_ms,
        "head_attempted_ms": head_attempted_ms,
        "tail_attempted_ms": tail_attempted_ms,
    }
    facts = SeriesFacts(**{**BLANK, **known})
    assert (find_head_due(facts, CADENCE), find_tail_due(facts)) == (head_due_ms, tail_due_ms)
    return facts


def make_agenda(*known: SeriesFacts, direction: str = "backward") -> Agenda:
    agenda = Agenda(lambda _: direction, lambda _: CADENCE)
    for facts in known:
        agenda.put(facts)
    return agenda


def name(taken: tuple[SeriesFacts, Any] | None) -> str | None:
    return taken and taken[0].series_id


def drain_heads(agenda: Agenda, now_ms: int) -> list[str]:
    return list(iter(lambda: name(agenda.take_head(now_ms)), None))


def test_an_empty_agenda_has_nothing_to_do() -> None:
    agenda = make_agenda()

    assert agenda.take_head(99) is None
    assert agenda.take_tail(99) is None
    assert agenda.find_next_due(with_heads=True, with_tails=True) is None
    assert (agenda.count_due_heads(99), agenda.has_tail_work()) == (0, False)


def test_a_head_is_served_before_a_tail_that_waits_longer() -> None:
    agenda = make_agenda(make_facts("a", tail_due_ms=0), make_facts("b", head_due_ms=5, head_attempted_ms=4))
    served = [agenda.take_head(9) or agenda.take_tail(9) for _ in range(3)]

    assert [(name(taken), taken and taken[1].kind) for taken in served] == [("b", "head"), ("a", "tail"), (None, None)]


def test_the_series_that_waits_longest_goes_first_and_one_never_tried_before_all() -> None:
    agenda = make_agenda(
        make_facts("a", head_due_ms=1, head_attempted_ms=30),
        make_facts("b", head_due_ms=9, head_attempted_ms=10),
        make_facts("c", head_due_ms=5, head_attempted_ms=20),
        make_facts("d", head_due_ms=9),
    )

    assert drain_heads(agenda, 9) == ["d", "b", "c", "a"]


def test_the_tail_that_waits_longest_goes_first() -> None:
    agenda = make_agenda(
        make_facts("a", tail_due_ms=1, tail_attempted_ms=30),
        make_facts("b", tail_due_ms=9, tail_attempted_ms=10),
        make_facts("c", tail_due_ms=5),
    )

    assert [name(agenda.take_tail(9)) for _ in range(4)] == ["c", "b", "a", None]


@pytest.mark.parametrize("take", ["take_head", "take_tail"])
def test_taking_a_head_or_a_tail_takes_the_series_off(take: str) -> None:
    agenda = make_agenda(make_facts("a", head_due_ms=1, tail_due_ms=1))

    assert name(getattr(agenda, take)(9)) == "a"
    assert agenda.take_head(9) is None
    assert agenda.take_tail(9) is None
    assert (agenda.count_due_heads(9), agenda.has_tail_work()) == (0, False)


def test_a_series_put_many_times_is_served_once() -> None:
    agenda = make_agenda(*[make_facts("a", head_due_ms=1, tail_due_ms=2)] * 5)

    assert agenda.count_due_heads(9) == 1
    assert drain_heads(agenda, 9) == ["a"]


def test_what_was_put_last_is_what_is_known() -> None:
    agenda = make_agenda(make_facts("a", head_due_ms=1))
    agenda.take_head(0)
    agenda.put(make_facts("a", head_due_ms=20, head_attempted_ms=7))

    assert agenda.take_head(19) is None
    taken = agenda.take_head(20)
    assert taken is not None
    assert taken[0].head_attempted_ms == 7


def test_a_series_becomes_due_later() -> None:
    agenda = make_agenda(make_facts("a", head_due_ms=10), make_facts("b", tail_due_ms=20))

    assert agenda.take_head(9) is None
    assert agenda.count_due_heads(9) == 0
    assert agenda.count_due_heads(10) == 1
    assert name(agenda.take_head(10)) == "a"
    assert agenda.take_tail(19) is None
    assert agenda.has_tail_work()
    assert name(agenda.take_tail(20)) == "b"


def test_a_dropped_series_is_not_served() -> None:
    agenda = make_agenda(make_facts("a", head_due_ms=0, tail_due_ms=0), make_facts("b", head_due_ms=0))
    agenda.drop("a")
    agenda.drop("unknown")

    assert drain_heads(agenda, 9) == ["b"]
    assert agenda.take_tail(9) is None
    assert not agenda.has_tail_work()


def test_the_next_due_time_is_that_of_the_work_asked_for() -> None:
    agenda = make_agenda(
        make_facts("a", head_due_ms=10), make_facts("b", tail_due_ms=5), make_facts("c", head_due_ms=7)
    )

    assert agenda.find_next_due(with_heads=True, with_tails=True) == 5
    assert agenda.find_next_due(with_heads=True, with_tails=False) == 7
    assert agenda.find_next_due(with_heads=False, with_tails=True) == 5
    assert agenda.find_next_due(with_heads=False, with_tails=False) is None


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_what_is_taken_comes_with_the_planned_request(direction: str) -> None:
    facts = make_facts("a", head_due_ms=1_000_000, tail_due_ms=0)._replace(start_ms=500_000)
    now_ms = 2_000_000

    assert make_agenda(facts, direction=direction).take_head(now_ms) == (
        facts,
        plan_head(facts, CADENCE, direction, now_ms),
    )
    assert make_agenda(facts, direction=direction).take_tail(now_ms) == (
        facts,
        plan_tail(facts, CADENCE, direction, now_ms),
    )


def test_each_series_has_its_own_cadence() -> None:
    agenda = Agenda(lambda _: "backward", lambda facts: bar_cadence(facts.series_id, 0))
    for text in ("PT1M", "PT1H"):
        agenda.put(SeriesFacts(**BLANK)._replace(series_id=text, start_ms=0, end_ms=0, floor_ms=0))

    assert drain_heads(agenda, 60_001) == ["PT1M"]
    assert agenda.find_next_due(with_heads=True, with_tails=True) == 3_600_001


@given(st.lists(TIMES, min_size=1, max_size=15), st.integers(1, 4), st.sampled_from(["head", "tail"]))
@settings(max_examples=100, deadline=None)
def test_of_n_series_that_are_always_due_each_is_served_once_in_n_takes(
    attempted: list[int | None], rounds: int, kind: str
) -> None:
    def make(series_id: str, attempted_ms: int | None) -> SeriesFacts:
        return make_facts(series_id, **{f"{kind}_due_ms": 0, f"{kind}_attempted_ms": attempted_ms})

    agenda = make_agenda(*(make(f"s{index}", attempted_ms) for index, attempted_ms in enumerate(attempted)))
    take = agenda.take_head if kind == "head" else agenda.take_tail
    now_ms, served = 100, []
    for _ in range(rounds * len(attempted)):
        now_ms += 1
        taken = take(now_ms)
        assert taken is not None
        served.append(taken[0].series_id)
        agenda.put(make(taken[0].series_id, now_ms))

    for position in range(len(served) - len(attempted) + 1):
        assert len(set(served[position : position + len(attempted)])) == len(attempted)


class NaiveAgenda:
    """The same rules over a plain dictionary."""

    def __init__(self) -> None:
        self.facts: dict[str, SeriesFacts] = {}

    def list_due(self, kind: str, now_ms: int) -> list[tuple[int, str]]:
        due = []
        for series_id, facts in self.facts.items():
            due_ms = find_head_due(facts, CADENCE) if kind == "head" else find_tail_due(facts)
            attempted_ms = facts.head_attempted_ms if kind == "head" else facts.tail_attempted_ms
            if due_ms is not None and due_ms <= now_ms:
                due.append((-1 if attempted_ms is None else attempted_ms, series_id))
        return sorted(due)

    def take(self, kind: str, now_ms: int) -> str | None:
        due = self.list_due(kind, now_ms)
        if not due:
            return None
        del self.facts[due[0][1]]
        return due[0][1]

    def find_next_due(self) -> int | None:
        heads = [find_head_due(facts, CADENCE) for facts in self.facts.values()]
        tails = [find_tail_due(facts) for facts in self.facts.values()]
        return min((due_ms for due_ms in [*heads, *tails] if due_ms is not None), default=None)


PUTS = st.tuples(st.just("put"), st.builds(make_facts, st.sampled_from("abcd"), TIMES, TIMES, TIMES, TIMES))
STEPS = st.one_of(
    PUTS,
    st.tuples(st.just("drop"), st.sampled_from("abcd")),
    st.tuples(st.sampled_from(["head", "tail"]), st.integers(0, 8)),
)


@given(st.lists(STEPS, max_size=25))
@settings(max_examples=100, deadline=None)
def test_the_agenda_does_what_a_plain_list_would(steps: list[tuple[str, Any]]) -> None:
    agenda, naive, now_ms = make_agenda(), NaiveAgenda(), 0
    for step, value in steps:
        if step == "put":
            agenda.put(value)
            naive.facts[value.series_id] = value
        elif step == "drop":
            agenda.drop(value)
            naive.facts.pop(value, None)
        else:
            now_ms += value
            taken = agenda.take_head(now_ms) if step == "head" else agenda.take_tail(now_ms)
            assert name(taken) == naive.take(step, now_ms)
        assert agenda.count_due_heads(now_ms) == len(naive.list_due("head", now_ms))
        assert agenda.has_tail_work() == any(find_tail_due(facts) is not None for facts in naive.facts.values())
        assert agenda.find_next_due(with_heads=True, with_tails=True) == naive.find_next_due()


def test_a_clock_that_steps_back_loses_no_series() -> None:
    agenda = make_agenda(make_facts("a", head_due_ms=10), make_facts("b", head_due_ms=20))

    assert name(agenda.take_head(30)) == "a"
    assert agenda.take_head(15) is None
    assert name(agenda.take_head(30)) == "b"

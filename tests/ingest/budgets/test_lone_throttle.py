"""The throttle of a process without a database keeps budgets and circuits as the shared one does."""

import pytest

from series_pipelines.errors import VendorBusy
from series_pipelines.ingest.budgets.lone_throttle import LoneThrottle
from series_pipelines.vendors.contract import Budget
from tests.support.simulation import MovableClock

BUDGET = Budget("x", 3, 1_000)


def test_a_request_counts_until_a_window_after_its_answer() -> None:
    clock = MovableClock()
    throttle = LoneThrottle(clock)
    first = throttle.take(BUDGET, 2)
    throttle.take(Budget("other", 1, 1_000))
    clock.wait(5_000)
    throttle.settle(first)
    throttle.settle(first)
    asked_ms = clock.now_ms()
    assert throttle.take(BUDGET) != first
    assert clock.now_ms() == asked_ms
    throttle.take(BUDGET, 2)
    assert clock.now_ms() == asked_ms + 1_000


def test_what_is_never_answered_makes_nobody_wait_for_ever() -> None:
    throttle = LoneThrottle(MovableClock())
    throttle.take(BUDGET, 3)
    with pytest.raises(VendorBusy, match="the budget of x is spent for the next 30 s"):
        throttle.take(BUDGET)


def test_a_ban_and_a_full_count_stop_all_requests_of_their_budget() -> None:
    clock = MovableClock()
    throttle = LoneThrottle(clock)
    throttle.note_used(BUDGET, 2)
    throttle.take(BUDGET)
    throttle.note_used(BUDGET, 3)
    with pytest.raises(VendorBusy, match="no request to x for 1 s: it counts 3 of 3 as used"):
        throttle.take(BUDGET)
    throttle.open_circuit(BUDGET, 60_000, "banned")
    throttle.open_circuit(BUDGET, 1_000, "banned again")
    with pytest.raises(VendorBusy, match="no request to x for 60 s: banned") as told:
        throttle.take(BUDGET)
    assert told.value.retry_after_ms == 60_000
    clock.wait(60_000)
    throttle.take(BUDGET)

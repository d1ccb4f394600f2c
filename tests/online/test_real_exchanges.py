"""The contract's sentences that need no truth, put to the real exchanges within their real budgets."""

from typing import Protocol

from tests.contract.test_any_vendor import (
    test_a_few_pages_join_without_a_hole,
    test_an_unknown_product_is_rejected,
    test_bars_of_every_duration_begin_where_those_of_utc_do,
    test_every_product_has_a_valid_id_under_a_served_prefix_and_exact_steps,
    test_every_service_is_read_and_none_is_refused,
    test_the_limits_of_every_service_are_within_reason,
    test_the_newest_page_is_fresh_and_holds_only_closed_bars,
    test_there_is_nothing_before_all_time_and_nothing_after_now,
    test_what_is_not_offered_is_rejected,
)
from tests.contract.throttles import WaitingThrottle
from tests.contract.vendor_case import VendorCase

__all__ = [
    "test_a_few_pages_join_without_a_hole",
    "test_an_unknown_product_is_rejected",
    "test_bars_of_every_duration_begin_where_those_of_utc_do",
    "test_every_product_has_a_valid_id_under_a_served_prefix_and_exact_steps",
    "test_every_service_is_read_and_none_is_refused",
    "test_the_limits_of_every_service_are_within_reason",
    "test_the_newest_page_is_fresh_and_holds_only_closed_bars",
    "test_there_is_nothing_before_all_time_and_nothing_after_now",
    "test_what_is_not_offered_is_rejected",
]


class ThrottledCase(VendorCase, Protocol):
    """A case that remembers what it spent."""

    throttle: WaitingThrottle


def test_every_budget_is_kept_and_the_exchange_does_not_complain(case: ThrottledCase) -> None:
    case.vendor.products()

    assert case.throttle.complaints == {}
    assert case.throttle.granted
    for budget, grants in case.throttle.granted.items():
        for until_ms, _ in grants:
            recent = [weight for at_ms, weight in grants if until_ms - budget.window_ms < at_ms <= until_ms]
            assert sum(recent) <= budget.weight, budget

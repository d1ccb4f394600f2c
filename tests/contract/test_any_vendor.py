"""What holds for every vendor without knowing what it has; `tests/online` puts the same to the real exchanges."""

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

import pytest

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.core.series import check_product_id
from series_pipelines.errors import VendorRejected
from series_pipelines.ingest.lane.fetch import make_request
from series_pipelines.vendors.contract import INGEST_OHLC, Product
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.services import Capability
from tests.contract.paging import ask, find_head_time, walk
from tests.contract.vendor_case import Series, VendorCase, list_capabilities
from tests.support.narrowing import read_bars

A_FEW_PAGES = 3
BEFORE_ALL_MS = 1_230_768_000_000  # 2009-01-01, two days before the first block
_QUOTES = ("USDT", "USDC", "USD")


def choose_series(case: VendorCase, capability: Capability, duration: str | None) -> Series:
    """Return a series of what is surely traded: Bitcoin if there is any, else what was listed first."""

    def rank(product: Product) -> tuple[bool, int, int, str]:
        quote = product.quote_currency
        place = _QUOTES.index(quote) if quote in _QUOTES else len(_QUOTES)
        return product.base_currency != "BTC", place, product.listed_ms or 0, product.product_id

    products = [
        product
        for product in case.vendor.products()
        if product.product_id.startswith(capability.product_prefix)
        and product.trading
        and (product.delisted_ms is None or product.delisted_ms > case.now_ms())
        and not (duration is None and product.no_interest_rate)
    ]
    return Series(capability, min(products, key=rank).product_id, duration)


def list_any_series(case: VendorCase) -> list[Series]:
    """Return one series of each capability, minutes where it has bars."""
    return [
        choose_series(case, capability, "PT1M" if capability.method == INGEST_OHLC else None)
        for capability in list_capabilities(case)
    ]


def test_every_service_is_read_and_none_is_refused(case: VendorCase) -> None:
    catalogue = Registry([case.vendor]).read()

    assert catalogue.refused == ()
    assert len(catalogue.capabilities) == len(case.vendor.services()) > 0
    assert {capability.method for capability in catalogue.capabilities.values()} >= {INGEST_OHLC}


def test_the_limits_of_every_service_are_within_reason(case: VendorCase) -> None:
    for capability in list_capabilities(case):
        limits = capability.limits
        assert 1 <= limits.concurrent <= 16, capability.cap_key
        assert limits.requests is None or 1 <= limits.requests * 1_000 / limits.window_ms <= 1_000, capability.cap_key
        assert 0 <= limits.grace_ms <= 60_000, capability.cap_key


def test_every_product_has_a_valid_id_under_a_served_prefix_and_exact_steps(case: VendorCase) -> None:
    prefixes = {capability.product_prefix for capability in list_capabilities(case)}
    products = case.vendor.products()

    ids = [product.product_id for product in products]
    assert len(ids) == len(set(ids))
    for product in products:
        assert check_product_id(product.product_id).startswith(tuple(prefixes))
        for step in (product.price_step, product.volume_step, product.value_scale):
            assert step is None or (Decimal(step) > 0 and format(Decimal(step), "f") == step), product
        if product.listed_ms is not None and product.delisted_ms is not None:
            assert product.listed_ms <= product.delisted_ms, product
    for prefix in prefixes:
        assert any(product_id.startswith(prefix) for product_id in ids), prefix


def test_a_few_pages_join_without_a_hole(case: VendorCase) -> None:
    for series in list_any_series(case):
        time_ms = case.now_ms() if series.is_backward else case.now_ms() - 2 * DAY_MS

        walked = walk(case.vendor, series, time_ms, A_FEW_PAGES)

        assert walked.rows, series.series_id
        assert walked.has_ended or walked.pages == A_FEW_PAGES


def test_the_newest_page_is_fresh_and_holds_only_closed_bars(case: VendorCase) -> None:
    for series in list_any_series(case):
        if series.duration is None:
            continue
        request = make_request(series.capability, series.series_id, find_head_time(series, case.now_ms()))
        said_ms = case.vendor.fetch(request).now_ms
        page = ask(case.vendor, series, request.time_ms)

        # Between the two requests another bar may have closed.
        until_ms = said_ms + MINUTE_MS
        assert abs(said_ms - case.now_ms()) < HOUR_MS
        assert page.range is not None, series.series_id
        assert all(row[1] <= until_ms - series.capability.limits.grace_ms for row in read_bars(page)), series.series_id
        assert page.range.end_ms > said_ms - HOUR_MS, series.series_id


def test_bars_of_every_duration_begin_where_those_of_utc_do(case: VendorCase) -> None:
    for capability in list_capabilities(case):
        for text in capability.durations:
            series, duration = choose_series(case, capability, text), parse_duration(text)
            time_ms = case.now_ms() - (0 if series.is_backward else 4 * duration.nominal_ms)

            reply = case.vendor.fetch(make_request(capability, series.series_id, time_ms))

            # Where an endpoint gives closed bars only, a young product has none of a week yet.
            assert reply.rows or duration.nominal_ms > DAY_MS, series.series_id
            for row in reply.rows:
                assert duration.start_of_bar(row[0]) == row[0], series.series_id
                # Who says when a bar ends may mean its last millisecond.
                assert row[1] is None or 0 <= duration.end_of_bar(row[0]) - row[1] <= 1, series.series_id


def test_there_is_nothing_before_all_time_and_nothing_after_now(case: VendorCase) -> None:
    for series in list_any_series(case):
        page = ask(case.vendor, series, BEFORE_ALL_MS if series.is_backward else case.now_ms() + DAY_MS)

        assert page.is_empty, series.series_id


def test_an_unknown_product_is_rejected(case: VendorCase) -> None:
    for series in list_any_series(case):
        unknown = replace(series, product_id=f"{series.capability.product_prefix}NO-SUCH_USDT")
        time_ms = find_head_time(series, case.now_ms())
        if series.capability.cap_key in case.empty_when_unknown:
            with suppress(VendorRejected):
                assert ask(case.vendor, unknown, time_ms).is_empty
            continue
        with pytest.raises(VendorRejected):
            ask(case.vendor, unknown, time_ms)


def test_what_is_not_offered_is_rejected(case: VendorCase) -> None:
    for series in list_any_series(case):
        other = "forward" if series.is_backward else "backward"
        with pytest.raises(VendorRejected):
            ask(case.vendor, replace(series, capability=replace(series.capability, direction=other)), case.now_ms())
        if series.duration is not None:
            with pytest.raises(VendorRejected):
                ask(case.vendor, replace(series, duration="PT7M"), case.now_ms())

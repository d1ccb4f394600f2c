"""What holds for every vendor whose truth is known and that can be made to misbehave."""

from math import ceil

import pytest

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.errors import VendorBusy, VendorError, VendorTimeout, VendorUnavailable
from series_pipelines.ingest.pages.check import BarRow, InstantRow, Page
from tests.contract.paging import ask, find_head_time, walk
from tests.contract.vendor_case import (
    AnswerFault,
    KnownCase,
    Series,
    list_capabilities,
    list_series,
    list_some_series,
    list_true_rows,
    need,
)

NOT_EMPTY: tuple[AnswerFault, ...] = ("html_200", "empty_200", "error_200", "cut", "500")


def cut_to_page(
    series: Series, rows: list[BarRow] | list[InstantRow], page: Page, time_ms: int
) -> list[BarRow | InstantRow]:
    """Return the rows that a page must hold: as many as it has, next to the asked time in the asked direction."""
    if series.is_backward:
        return [row for row in rows if row[0] < time_ms][-len(page.rows) :]
    return [row for row in rows if row[0] >= time_ms][: len(page.rows)]


def ask_for_head(case: KnownCase, series: Series) -> Page:
    return ask(case.vendor, series, find_head_time(series, case.now_ms()))


def test_the_products_are_those_there_are(case: KnownCase) -> None:
    found = {product.product_id: product for product in case.vendor.products()}
    expected = {product.product_id: product for product in case.products()}

    assert found.keys() == expected.keys()
    for product_id, truth in expected.items():
        product = found[product_id]
        assert (product.base_currency, product.quote_currency) == (truth.base, truth.quote)
        assert truth.price_step is None or product.price_step == truth.price_step, product
        assert truth.volume_step is None or product.volume_step == truth.volume_step, product
        # Some name only the day, and some say nothing.
        assert product.listed_ms is None or 0 <= truth.listed_ms - product.listed_ms < DAY_MS, product
        assert product.delisted_ms in (None, truth.delisted_ms), product


@pytest.mark.parametrize("duration", ["PT1M", "PT1H", None], ids=["minutes", "hours", "rates"])
def test_paging_to_the_listing_gives_the_truth_in_few_requests(case: KnownCase, duration: str | None) -> None:
    for series in list_series(case, duration):
        expected = list_true_rows(case, series, case.now_ms())
        # Each page holds again the last row of the one before; the last page brings nothing new.
        most_pages = ceil(len(expected) / (case.page_rows(series) - 1)) + 2
        before = case.count_requests()

        walked = walk(case.vendor, series, case.now_ms() if series.is_backward else 0, most_pages)

        assert walked.has_ended, f"{series.series_id} does not end after {most_pages} pages"
        assert walked.rows == expected, series.series_id
        most_requests = (walked.pages + case.most_detours) * case.requests_a_page(series)
        assert case.count_requests() - before <= most_requests, series.series_id


def test_the_history_of_a_delisted_product_is_given_to_its_end(case: KnownCase) -> None:
    need(case, "delisted")
    delisted = [product for product in case.products() if product.delisted_ms is not None]
    for capability in list_capabilities(case):
        for product in delisted:
            if capability.durations and product.product_id.startswith(capability.product_prefix):
                series = Series(capability, product.product_id, "PT1H")

                walked = walk(case.vendor, series, case.now_ms() if series.is_backward else 0, 100)

                assert walked.has_ended
                assert walked.rows == list_true_rows(case, series, case.now_ms()), series.series_id


def test_there_is_nothing_before_the_listing(case: KnownCase) -> None:
    for series in list_some_series(case):
        first = list_true_rows(case, series, case.now_ms())[0]
        if series.is_backward:
            assert ask(case.vendor, series, first[0]).is_empty, series.series_id
        else:
            page = ask(case.vendor, series, first[0] - HOUR_MS)
            assert page.rows[0] == first, series.series_id


def test_the_bar_that_is_forming_is_left_out(case: KnownCase) -> None:
    need(case, "forming")
    for series in list_series(case, "PT1M"):
        time_ms = find_head_time(series, case.now_ms())
        with case.failing("forming"):
            page = ask(case.vendor, series, time_ms)

        assert page.forming == 1, series.series_id
        assert page.rows == cut_to_page(series, list_true_rows(case, series, case.now_ms()), page, time_ms)


@pytest.mark.parametrize("skew_ms", [-5 * MINUTE_MS, 5 * MINUTE_MS], ids=["behind", "ahead"])
def test_the_servers_clock_decides_what_is_final(case: KnownCase, skew_ms: int) -> None:
    server_ms = case.now_ms() + skew_ms
    with case.skewed(skew_ms):
        for series in list_some_series(case):
            # Asked for until after both clocks, so that only what is final ends the page.
            time_ms = find_head_time(series, case.now_ms() + (10 * MINUTE_MS if series.is_backward else 0))

            page = ask(case.vendor, series, time_ms)

            final = list_true_rows(case, series, server_ms)
            assert page.rows, series.series_id
            assert page.rows == cut_to_page(series, final, page, time_ms), series.series_id
            assert page.rows[-1] == final[-1], series.series_id


@pytest.mark.parametrize("fault", NOT_EMPTY)
def test_a_failure_is_never_an_empty_page_and_leaves_nothing_behind(case: KnownCase, fault: AnswerFault) -> None:
    need(case, fault)
    for series in list_some_series(case):
        with case.failing(fault), pytest.raises(VendorError) as caught:
            ask_for_head(case, series)

        assert "\n" not in str(caught.value)
        assert ask_for_head(case, series).rows, series.series_id


@pytest.mark.parametrize("fault", NOT_EMPTY)
def test_a_failure_is_never_an_empty_list_of_products(case: KnownCase, fault: AnswerFault) -> None:
    need(case, "failing_products")
    with case.connect(timeout_seconds=30) as vendor:
        with case.failing(fault), pytest.raises(VendorError):
            vendor.products()

        assert len(vendor.products()) == len(case.products())


def test_a_429_says_how_long_to_wait_and_a_503_after_it_does_not(case: KnownCase) -> None:
    for series in list_some_series(case):
        with case.failing("429"), pytest.raises(VendorBusy) as busy:
            ask_for_head(case, series)
        assert busy.value.retry_after_ms in case.waits_ms

        assert busy.value.retry_after_ms is not None
        case.wait(busy.value.retry_after_ms)
        with case.failing("503"), pytest.raises(VendorUnavailable) as down:
            ask_for_head(case, series)
        assert down.value.retry_after_ms is None

        assert ask_for_head(case, series).rows, series.series_id


def test_no_answer_in_time_is_a_timeout(case: KnownCase) -> None:
    series = list_series(case, "PT1M")[0]
    with case.connect(timeout_seconds=0.5) as vendor, case.failing("no_answer"), pytest.raises(VendorTimeout):
        ask(vendor, series, find_head_time(series, case.now_ms()))

    assert ask_for_head(case, series).rows


def test_a_price_of_18_digits_arrives_unchanged(case: KnownCase) -> None:
    for capability in list_capabilities(case):
        if not capability.durations:
            continue
        series = Series(capability, case.find_exact_product(capability), "PT1M")
        time_ms = find_head_time(series, case.now_ms())

        page = ask(case.vendor, series, time_ms)

        assert page.rows == cut_to_page(series, list_true_rows(case, series, case.now_ms()), page, time_ms)
        digits = {len(price.replace(".", "").lstrip("0")) for row in page.rows for price in row[2:6]}
        assert max(digits) >= 18, series.series_id


def test_a_repeated_row_counts_once(case: KnownCase) -> None:
    need(case, "duplicate")
    for series in list_some_series(case):
        once = ask_for_head(case, series)
        with case.failing("duplicate"):
            twice = ask_for_head(case, series)

        assert twice.duplicates == 1, series.series_id
        assert twice.rows == once.rows, series.series_id


def test_the_newest_page_takes_one_request(case: KnownCase) -> None:
    for series in list_some_series(case):
        before = case.count_requests()
        ask_for_head(case, series)

        assert case.count_requests() - before == case.requests_a_page(series), series.series_id


def test_every_request_passes_the_throttle(case: KnownCase) -> None:
    need(case, "throttle")
    requests, paid = case.count_requests(), case.count_paid()
    with case.connect(timeout_seconds=30) as vendor:
        vendor.products()
        for series in list_some_series(case):
            ask(vendor, series, find_head_time(series, case.now_ms()))
            ask(vendor, series, case.now_ms() - 300 * DAY_MS if series.is_backward else 0)
            with case.failing("500"), pytest.raises(VendorError):
                ask(vendor, series, find_head_time(series, case.now_ms()))

    assert case.count_requests() - requests == case.count_paid() - paid > 0

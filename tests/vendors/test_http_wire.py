"""A remote vendor's bytes: the stated shape is read exactly, all else is refused and never taken for no data."""

import json
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.tables import OHLC
from series_pipelines.errors import (
    MalformedService,
    PageRefused,
    VendorBackoff,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.ingest.pages.check import check_bar_page
from series_pipelines.vendors.contract import Limits, Product
from series_pipelines.vendors.remote.wire import (
    LONGEST_RETRY_AFTER_MS,
    HttpAnswer,
    find_error,
    parse_page,
    parse_products,
    parse_services,
)
from series_pipelines.vendors.services import parse_service
from tests.support.bars import make_bar

NOW_MS = 1_793_491_200_000
BAR = list(make_bar(NOW_MS, None, "1.5", "2", "1", "1.25", "10"))
RATE = [NOW_MS, "-0.0001", "0.0001", None]
SCHEMA = {
    "properties": {
        "product_id": {"pattern": "^ACME/"},
        "duration": {"enum": ["PT1M"]},
        "direction": {"const": "backward"},
    }
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=30,
)
known_keys = st.sampled_from(
    ["now", "rows", "services", "products", "method", "schema", "limits", "product_id", "listed_at", "error"]
)
near_misses = st.recursive(
    json_values | st.just(NOW_MS) | st.just([BAR]) | st.just(SCHEMA),
    lambda inner: st.dictionaries(known_keys, inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=20,
)


def encode(body: object) -> bytes:
    return json.dumps(body).encode()


def read_all(body: bytes) -> None:
    """Read a body in every way, and its services as the registry does; only VendorErrors may come out."""
    for read in (
        lambda: parse_page(body, "IngestOHLC"),
        lambda: parse_page(body, "IngestInterestRate"),
        lambda: parse_products(body),
        lambda: [complain(lambda: parse_service("acme", service)) for service in parse_services(body)],  # noqa: B023
    ):
        complaint = complain(read)
        assert complaint.isprintable()
        assert len(complaint) < 500


def complain(read: Callable[[], object]) -> str:
    try:
        read()
    except (VendorError, MalformedService) as error:
        return str(error)
    return ""


@given(st.binary(max_size=200))
@example(b"")
@example(b"<html><body>502</body></html>")
@example(b"[" * 200_000)
@example(b"1" * 5_000)
@example(b"\xff\xfe{\x00}\x00")
@example(b'{"now": NaN, "rows": []}')
@example(b'{"now": 1, "rows": [[1e9999]]}')
@example(b'\xef\xbb\xbf{"now": 1, "rows": []}')
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    read_all(body)


@given(near_misses)
def test_any_json_is_read_or_refused(body: object) -> None:
    read_all(encode(body))


@given(st.integers(100, 599), st.binary(max_size=50) | near_misses.map(encode), st.text(), st.text())
@example(429, b"", "9" * 12, "")
@example(503, b"", "Thu, 01 Jan 9999 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT")
@example(503, b"", "Thu, 01 Jan 0001 00:00:00 +2359", "")
def test_any_status_is_an_error_but_200(status: int, body: bytes, retry_after: str, date: str) -> None:
    error = find_error(HttpAnswer(status, body, retry_after, date), NOW_MS)
    assert (error is None) == (status == 200)
    if isinstance(error, VendorBackoff) and error.retry_after_ms is not None:
        assert 0 <= error.retry_after_ms <= LONGEST_RETRY_AFTER_MS
    assert str(error).isprintable()


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        None,
        {"now": NOW_MS},
        {"rows": []},
        {"now": None, "rows": []},
        {"now": str(NOW_MS), "rows": []},
        {"now": NOW_MS + 0.5, "rows": []},
        {"now": True, "rows": []},
        {"now": -1, "rows": []},
        {"now": 10**30, "rows": []},
        {"now": NOW_MS, "rows": None},
        {"now": NOW_MS, "rows": {}},
        {"now": NOW_MS, "rows": "[]"},
        {"now": NOW_MS, "rows": [{}]},
        {"now": NOW_MS, "rows": [], "error": "rate limited"},
        {"error": "no such product"},
    ],
)
def test_only_the_stated_shape_is_an_empty_page(body: object) -> None:
    with pytest.raises(PageRefused):
        parse_page(encode(body), "IngestOHLC")
    assert parse_page(encode({"now": NOW_MS, "rows": []}), "IngestOHLC").rows == []


def place_values(place: int, *values: object) -> list[tuple[int, object]]:
    return [(place, value) for value in values]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *place_values(0, None, str(NOW_MS), NOW_MS + 0.5, True, []),
        *place_values(1, str(NOW_MS), 1.5, False, {}),
        *place_values(2, True, [], {}, ["1"]),
        *place_values(7, False, {}),
    ],
)
def test_a_row_with_a_wrong_type_refuses_the_page_and_says_which(place: int, value: object) -> None:
    wrong = [*BAR[:place], value, *BAR[place + 1 :]]
    with pytest.raises(PageRefused, match="row 1: "):
        parse_page(encode({"now": NOW_MS, "rows": [BAR, wrong]}), "IngestOHLC")


@pytest.mark.parametrize(
    ("row", "method"), [(BAR[:-1], "IngestOHLC"), (RATE, "IngestOHLC"), (BAR, "IngestInterestRate")]
)
def test_a_row_of_another_width_refuses_the_page(row: list[object], method: str) -> None:
    with pytest.raises(PageRefused, match="row 0 has"):
        parse_page(encode({"now": NOW_MS, "rows": [row]}), method)


def test_rows_are_read_as_the_contract_has_them() -> None:
    assert parse_page(encode({"now": 5, "rows": [BAR]}), "IngestOHLC").rows == [tuple(BAR)]
    reply = parse_page(encode({"now": 5, "rows": [RATE]}), "IngestInterestRate")
    assert (reply.rows, reply.now_ms) == ([tuple(RATE)], 5)


@given(st.decimals(min_value=0, max_value=10**20, allow_nan=False, allow_infinity=False, places=18))
@example(Decimal("123456789.123456789012345678"))
@example(Decimal("0.100000000000000000"))
def test_a_json_number_keeps_every_digit(price: Decimal) -> None:
    bar = make_bar(NOW_MS, None, *[f"{price:f}"] * 4, "12345678901234567890", "1E-8")
    body = f'{{"now": {NOW_MS}, "rows": [{json.dumps(bar).replace(chr(34), "")}]}}'
    (row,) = parse_page(body.encode(), "IngestOHLC").rows
    assert row == bar


@given(st.lists(st.tuples(*[st.sampled_from(["", "x", "1e5", "-1", "NaN", 1, None])] * 6), max_size=3))
def test_what_is_read_is_fit_for_the_check_of_pages(values: list[tuple[object, ...]]) -> None:
    body = encode({"now": NOW_MS, "rows": [make_bar(NOW_MS + i, None, *row) for i, row in enumerate(values)]})
    rows = parse_page(body, "IngestOHLC").rows
    minute = parse_duration("PT1M")
    with suppress(PageRefused):
        check_bar_page(OHLC, rows, direction="forward", time_ms=0, duration=minute, closed_before_ms=NOW_MS)


def test_services_are_read_with_their_limits() -> None:
    limits = {"concurrent": 2, "requests": 10, "window_ms": 500, "budget": "acme", "grace_ms": 0}
    services = parse_services(
        encode({"services": [{"method": "IngestOHLC", "schema": SCHEMA, "limits": limits}, {"method": "ListProducts"}]})
    )
    assert [service.method for service in services] == ["IngestOHLC", "ListProducts"]
    assert services[0].limits == Limits(2, 10, 500, "acme", 0)
    assert services[1].limits == Limits()
    assert parse_service("acme", services[0]).product_prefix == "ACME/"


@pytest.mark.parametrize(
    ("service", "complaint"),
    [
        ({"method": "IngestOHLC", "schema": SCHEMA, "limits": {"requets": 10}}, "limits.requets"),
        ({"method": "IngestOHLC", "schema": SCHEMA, "limits": {"concurrent": 10**9}}, "limits.concurrent"),
        ({"method": "IngestOHLC", "schema": SCHEMA, "limits": {"grace_ms": 10**10}}, "limits.grace_ms"),
        ({"method": "IngestOHLC", "schema": SCHEMA, "limits": {"requests": 1.5}}, "limits.requests"),
        ({"method": "IngestOHLC", "schema": SCHEMA, "limits": {"budget": "a\x00"}}, "limits.budget"),
        ({"method": "IngestOHLC", "schema": SCHEMA, "limits": []}, "limits"),
        ({"method": "IngestOHLC", "schema": "^ACME/"}, "schema"),
        ({"method": "IngestOHLC", "schema": SCHEMA, "limit": {}}, "limit"),
        ({"method": "IngestOHLC"}, "properties must be an object"),
        ({"method": 7, "schema": SCHEMA}, "the method must be"),
        ({"schema": SCHEMA}, "the method must be"),
    ],
)
def test_a_service_that_cannot_be_read_is_refused_by_name(service: object, complaint: str) -> None:
    good = {"method": "IngestOHLC", "schema": SCHEMA}
    first, second = parse_services(encode({"services": [service, good]}))
    with pytest.raises(MalformedService, match="vendor 'acme', service ") as caught:
        parse_service("acme", first)
    assert complaint in str(caught.value)
    assert parse_service("acme", second).durations == ("PT1M",)


def test_products_are_read_with_every_column() -> None:
    full = {
        "product_id": "ACME/SPOT/X-USD",
        "name": "X",
        "base_currency": "X",
        "quote_currency": "USD",
        "price_step": 0.1,
        "volume_step": "1e-8",
        "value_scale": 1,
        "allow_long": True,
        "allow_short": False,
        "no_interest_rate": True,
        "market_id": "ACME",
        "listed_at": 1,
        "delisted_at": 2,
    }
    products = parse_products(encode({"products": [full, {"product_id": "ACME/SPOT/Y"}]}))
    assert products[0] == Product(
        "ACME/SPOT/X-USD", "X", "X", "USD", "0.1", "1e-8", "1", True, False, True, "ACME", listed_ms=1, delisted_ms=2
    )
    assert products[1] == Product("ACME/SPOT/Y")


@pytest.mark.parametrize(
    "product",
    [
        {},
        {"product_id": ""},
        {"product_id": "x" * 3_000},
        {"product_id": "A", "name": "a\x00b"},
        {"product_id": "A", "name": "\ud800"},
        {"product_id": "A", "listed_at": "2026-01-01"},
        {"product_id": "A", "listed_at": 10**18},
        {"product_id": "A", "listed_ms": 1},
        {"product_id": "A", "price_step": "a tenth"},
        {"product_id": "A", "price_step": -1},
        {"product_id": "A", "price_step": True},
        {"product_id": "A", "allow_long": "yes"},
    ],
)
def test_a_product_that_postgres_could_not_hold_refuses_the_list(product: object) -> None:
    with pytest.raises(PageRefused, match=r"products\.0"):
        parse_products(encode({"products": [product]}))


def test_a_product_listed_twice_refuses_the_list() -> None:
    with pytest.raises(PageRefused, match="twice"):
        parse_products(encode({"products": [{"product_id": "A"}, {"product_id": "A"}]}))


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, b"", VendorBusy),
        (500, b"", VendorUnavailable),
        (502, b"<html>", VendorUnavailable),
        (503, b"", VendorUnavailable),
        (408, b"", VendorTimeout),
        (401, b"", VendorUnavailable),
        (302, b"", VendorUnavailable),
        (400, b'{"error": "no such product"}', VendorRejected),
        (404, b'{"error": "no such product", "code": 7}', VendorRejected),
        (404, b"<html>", PageRefused),
        (404, b'{"error": ""}', PageRefused),
        (422, b'{"detail": "?"}', PageRefused),
        (204, b"", PageRefused),
        (201, b'{"now": 1, "rows": []}', PageRefused),
    ],
)
def test_each_status_has_its_error(status: int, body: bytes, kind: type[VendorError]) -> None:
    error = find_error(HttpAnswer(status, body), NOW_MS)
    assert type(error) is kind
    assert str(status) in str(error)
    assert ("no such product" in str(error)) == (kind is VendorRejected)


@pytest.mark.parametrize(
    ("retry_after", "date", "expected_ms"),
    [
        ("7", None, 7_000),
        (" 7 ", None, 7_000),
        ("0", None, 0),
        ("999999999999", None, LONGEST_RETRY_AFTER_MS),
        ("Sun, 01 Nov 2026 00:00:30 GMT", "Sun, 01 Nov 2026 00:00:00 GMT", 30_000),
        ("Sun, 01 Nov 2020 00:00:30 GMT", "Sun, 01 Nov 2020 00:00:00 GMT", 30_000),
        ("Sun, 01 Nov 2026 00:00:30 GMT", None, 30_000),
        ("Sun, 01 Nov 2026 00:00:00 GMT", "Sun, 01 Nov 2026 00:00:30 GMT", 0),
        ("soon", None, None),
        ("-5", None, None),
        ("1.5", None, None),
        (None, "Sun, 01 Nov 2026 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_by_the_senders_own_clock(
    retry_after: str | None, date: str | None, expected_ms: int | None
) -> None:
    for status in (429, 503):
        error = find_error(HttpAnswer(status, b"", retry_after, date), NOW_MS)
        assert isinstance(error, VendorBackoff)
        assert error.retry_after_ms == expected_ms

"""Every way an exchange fails, and what it is called."""

import pytest

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.errors import (
    PageRefused,
    VendorBroken,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.vendors.exchanges.classify import Response, classify, find_wait
from series_pipelines.vendors.exchanges.table import EXCHANGES

DATE = "Sun, 01 Nov 2026 00:00:00 GMT"
DATE_MS = 1_793_491_200_000
HTML = "<html><body><h1>502 Bad Gateway</h1></body></html>"
BINANCE_BAN = '{"code":-1003,"msg":"Way too many requests; IP banned until %d. Please use the websocket."}'

# exchange, status, headers, body, ccxt's exceptions, what it is, its wait, whether it is a ban
CASES = [
    # too many requests
    ("okx", 429, {}, "Too Many Requests", ["ExchangeNotAvailable", "NetworkError"], VendorBusy, None, False),
    ("okx", 429, {"Retry-After": "3"}, '{"code":"50011","msg":"Too Many Requests"}', [], VendorBusy, 3_000, False),
    ("okx", 200, {}, '{"code":"50011","msg":"Rate limit reached.","data":[]}', [], VendorBusy, None, False),
    ("okx", 200, {}, '{"code":"50061","msg":"Sub-account rate limit"}', [], VendorBusy, None, False),
    ("binance", 429, {"Retry-After": "12"}, '{"code":-1003,"msg":"Too much weight"}', [], VendorBusy, 12_000, False),
    ("binance", 400, {}, '{"code":-1015,"msg":"Too many new orders"}', [], VendorBusy, None, False),
    ("bybit", 200, {}, '{"retCode":10006,"retMsg":"Too many visits."}', [], VendorBusy, None, False),
    ("bitget", 429, {}, '{"code":"429","msg":"Too Many Requests"}', [], VendorBusy, None, False),
    ("bitget", 200, {}, '{"code":"1001","msg":"Request Frequency Is Too High"}', [], VendorBusy, None, False),
    (
        "gate",
        429,
        {},
        '{"label":"TOO_MANY_REQUESTS","message":"Request Rate limit Exceeded"}',
        [],
        VendorBusy,
        None,
        False,
    ),
    ("gate", 400, {}, '{"label":"TOO_FAST","message":"slow down"}', [], VendorBusy, None, False),
    (
        "htx",
        200,
        {},
        '{"status":"error","err-code":"rate-too-many-requests","err-msg":"x"}',
        [],
        VendorBusy,
        None,
        False,
    ),
    ("htx", 200, {}, '{"status":"error","err_code":1032,"err_msg":"too often"}', [], VendorBusy, None, False),
    ("hyperliquid", 429, {}, "null", ["RateLimitExceeded"], VendorBusy, None, False),
    ("aster", 429, {}, '{"code":-1003,"msg":"Too many requests"}', [], VendorBusy, None, False),
    ("okx", 200, {}, '{"code":"59999","msg":"x"}', ["RateLimitExceeded", "NetworkError"], VendorBusy, None, False),
    # bans
    ("binance", 418, {"Retry-After": "60"}, "{}", ["DDoSProtection"], VendorBusy, 60_000, True),
    ("binance", 418, {}, "{}", ["DDoSProtection"], VendorBusy, 120_000, True),
    ("binance", 418, {}, BINANCE_BAN % (DATE_MS + 90_000), [], VendorBusy, 90_000, True),
    ("binance", 429, {}, BINANCE_BAN % (DATE_MS + 9 * DAY_MS), [], VendorBusy, DAY_MS, True),
    ("aster", 418, {}, BINANCE_BAN % (DATE_MS - 5_000), [], VendorBusy, 1_000, True),
    ("bybit", 403, {}, "access too frequent", ["ExchangeNotAvailable"], VendorBusy, 600_000, True),
    ("bybit", 200, {}, '{"retCode":10018,"retMsg":"Exceeded the IP Rate Limit."}', [], VendorBusy, 600_000, True),
    ("okx", 429, {"Retry-After": "50"}, "Too Many Requests", [], VendorBusy, 50_000, True),
    ("gate", 403, {"Retry-After": "50"}, HTML, [], VendorBusy, 50_000, True),
    ("hyperliquid", 429, {"Retry-After": "50"}, "null", [], VendorBusy, 50_000, True),
    # not available
    ("okx", 503, {}, HTML, ["ExchangeNotAvailable"], VendorUnavailable, None, False),
    ("okx", 503, {"Retry-After": "30"}, HTML, [], VendorUnavailable, 30_000, False),
    ("binance", 502, {}, HTML, [], VendorUnavailable, None, False),
    ("okx", 500, {}, "{}", ["ExchangeError"], VendorUnavailable, None, False),
    ("okx", 200, {}, '{"code":"50001","msg":"Service temporarily unavailable"}', [], VendorUnavailable, None, False),
    ("okx", 200, {}, '{"code":"50013","msg":"Systems are busy"}', [], VendorUnavailable, None, False),
    ("binance", 200, {}, '{"code":-1001,"msg":"Internal error"}', [], VendorUnavailable, None, False),
    ("bybit", 200, {}, '{"retCode":10016,"retMsg":"Server error."}', [], VendorUnavailable, None, False),
    ("bitget", 200, {}, '{"code":"40725","msg":"service return an error"}', [], VendorUnavailable, None, False),
    ("gate", 200, {}, '{"label":"SERVER_ERROR","message":"x"}', [], VendorUnavailable, None, False),
    ("htx", 200, {}, '{"status":"error","err-code":"system-busy"}', [], VendorUnavailable, None, False),
    ("htx", 200, {}, '{"status":"error","err-code":"system-maintenance"}', [], VendorUnavailable, None, False),
    ("hyperliquid", 200, {}, '{"status":"err","response":"Internal error"}', [], VendorUnavailable, None, False),
    ("bitget", 200, {}, '{"code":"99999","msg":"x"}', ["OnMaintenance"], VendorUnavailable, None, False),
    ("okx", 403, {}, HTML, ["ExchangeNotAvailable"], VendorUnavailable, None, False),
    ("okx", 407, {}, "", [], VendorUnavailable, None, False),
    ("binance", 451, {}, '{"msg":"restricted location"}', [], VendorUnavailable, None, False),
    # too slow
    ("okx", 504, {}, HTML, ["RequestTimeout"], VendorTimeout, None, False),
    ("okx", 408, {}, "", [], VendorTimeout, None, False),
    ("okx", 200, {}, '{"code":"50004","msg":"Endpoint request timeout"}', [], VendorTimeout, None, False),
    ("binance", 400, {}, '{"code":-1007,"msg":"Timeout waiting for response"}', [], VendorTimeout, None, False),
    ("bybit", 200, {}, '{"retCode":10000,"retMsg":"Server Timeout"}', [], VendorTimeout, None, False),
    ("bitget", 200, {}, '{"code":"77777","msg":"x"}', ["RequestTimeout", "NetworkError"], VendorTimeout, None, False),
    # this one request is wrong
    (
        "okx",
        200,
        {},
        '{"code":"51001","msg":"Instrument ID does not exist"}',
        ["BadSymbol"],
        VendorRejected,
        None,
        False,
    ),
    ("okx", 400, {}, '{"code":"50014","msg":"Parameter instId can not be empty."}', [], VendorRejected, None, False),
    ("binance", 400, {}, '{"code":-1121,"msg":"Invalid symbol."}', ["BadSymbol"], VendorRejected, None, False),
    ("bybit", 200, {}, '{"retCode":10001,"retMsg":"params error"}', ["BadRequest"], VendorRejected, None, False),
    ("bitget", 400, {}, '{"code":"40034","msg":"Parameter does not exist"}', [], VendorRejected, None, False),
    ("gate", 400, {}, '{"label":"INVALID_CURRENCY_PAIR","message":"x"}', ["BadSymbol"], VendorRejected, None, False),
    ("htx", 200, {}, '{"status":"error","err_code":1013,"err_msg":"x"}', ["BadSymbol"], VendorRejected, None, False),
    ("hyperliquid", 500, {}, "null", ["ExchangeNotAvailable"], VendorRejected, None, False),
    ("hyperliquid", 422, {}, "Failed to deserialize the JSON body", [], VendorRejected, None, False),
    ("aster", 400, {}, '{"code":-1121,"msg":"Invalid symbol."}', [], VendorRejected, None, False),
    ("okx", 404, {}, HTML, ["ExchangeNotAvailable"], VendorRejected, None, False),
    ("okx", 200, {}, '{"code":"58001","msg":"unheard of"}', ["ExchangeError"], VendorRejected, None, False),
    # what came can't be trusted
    ("okx", 200, {}, HTML, [], PageRefused, None, False),
    ("okx", 200, {}, "", [], PageRefused, None, False),
    ("okx", 200, {}, "{}", [], PageRefused, None, False),
    ("binance", 200, {}, '[[1793491200000,"1","2"', [], PageRefused, None, False),
    ("gate", 200, {}, "null", [], PageRefused, None, False),
]


@pytest.mark.parametrize(("name", "status", "headers", "body", "causes", "kind", "wait_ms", "banned"), CASES)
def test_each_failure_has_its_name(
    name: str,
    status: int,
    headers: dict[str, str],
    body: str,
    causes: list[str],
    kind: type[VendorError],
    wait_ms: int | None,
    banned: bool,
) -> None:
    verdict = classify(EXCHANGES[name], Response(status, {"Date": DATE, **headers}, body), causes)

    assert type(verdict.error) is kind
    assert getattr(verdict.error, "retry_after_ms", None) == wait_ms
    assert verdict.ban_ms == (wait_ms if banned else None)
    assert "\n" not in str(verdict.error)
    assert str(verdict.error).startswith(f"{name}: {status}")


@pytest.mark.parametrize(
    ("causes", "kind"),
    [
        (["RequestTimeout", "NetworkError", "OperationFailed"], VendorTimeout),
        (["NetworkError", "OperationFailed"], VendorUnavailable),
        (["ExchangeError"], VendorUnavailable),
        (["NotSupported", "ExchangeError"], VendorBroken),
        ([], VendorUnavailable),
    ],
)
def test_silence_has_a_name_too(causes: list[str], kind: type[VendorError]) -> None:
    verdict = classify(EXCHANGES["okx"], None, causes)

    assert type(verdict.error) is kind
    assert verdict.ban_ms is None


@pytest.mark.parametrize(
    ("headers", "wait_ms"),
    [
        ({}, None),
        ({"Retry-After": "5"}, 5_000),
        ({"retry-after": " 5 "}, 5_000),
        ({"Retry-After": "0.5"}, 500),
        ({"Retry-After": "999999"}, HOUR_MS),
        ({"Retry-After": "Sun, 01 Nov 2026 00:00:30 GMT", "date": DATE}, 30_000),
        ({"Retry-After": "Mon, 02 Nov 2026 00:00:30 GMT", "Date": DATE}, HOUR_MS),
        ({"Retry-After": "Sat, 31 Oct 2026 00:00:30 GMT", "Date": DATE}, None),
        ({"Retry-After": "Sun, 01 Nov 2026 00:00:30 GMT"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon", "Date": DATE}, None),
        ({"Retry-After": "5; DROP", "Date": "yesterday"}, None),
    ],
)
def test_retry_after_is_read_from_this_response(headers: dict[str, str], wait_ms: int | None) -> None:
    assert find_wait(Response(429, headers, "")) == wait_ms


def test_a_ban_whose_body_can_not_be_read_is_one() -> None:
    verdict = classify(EXCHANGES["binance"], Response(418, {}, "[" * 100_000), [])

    assert (type(verdict.error), verdict.ban_ms) == (VendorBusy, 120_000)


def test_a_message_is_one_short_line() -> None:
    body = '{"code":"51001","msg":"%s"}' % ("line\\nline " * 500)
    verdict = classify(EXCHANGES["okx"], Response(200, {}, body), [])

    assert len(str(verdict.error)) <= 200
    assert "\n" not in str(verdict.error)

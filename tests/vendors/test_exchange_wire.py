"""Bodies as the exchanges' documentation shows them, and the rows made of them."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series_pipelines.core.duration import parse_duration
from series_pipelines.errors import PageRefused
from series_pipelines.vendors.contract import Reply
from series_pipelines.vendors.exchanges.classify import Response, parse_exactly
from series_pipelines.vendors.exchanges.pages import Read, make_reply
from series_pipelines.vendors.exchanges.spec import Endpoint, Exchange, Segment
from series_pipelines.vendors.exchanges.table import EXCHANGES
from series_pipelines.vendors.exchanges.wire import find_rows, find_time, flip_sign
from tests.support.bars import make_bar

DATE = {"Date": "Sun, 01 Nov 2026 00:00:07 GMT"}
DATE_MS = 1_793_491_207_000


def find_offer(prefix: str) -> tuple[Exchange, Segment]:
    exchange = EXCHANGES[prefix.split("/")[0].lower()]
    return exchange, next(offer for offer in exchange.offers if offer.prefix == prefix)


def read(exchange: Exchange, endpoint: Endpoint, text: str, duration: str | None, time_ms: int) -> Reply:
    body = parse_exactly(text)
    response = Response(200, DATE, text)
    found = Read(find_rows(exchange, endpoint, body), find_time(exchange, body, response))
    return make_reply(endpoint, None if duration is None else parse_duration(duration), found, time_ms)


BARS = [
    (
        "OKX/SWAP/",
        '{"code":"0","msg":"","data":[["1678928760000","24341.4","24344","24313.2","24323","628","2.5819","62800","1"]]}',
        (1_678_928_760_000, None, "24341.4", "24344", "24313.2", "24323", "2.5819"),
    ),
    (
        "OKX/SPOT/",
        '{"code":"0","msg":"","data":[["1678928760000","24341.4","24344","24313.2","24323","2.5","62800","62800","1"]]}',
        (1_678_928_760_000, None, "24341.4", "24344", "24313.2", "24323", "2.5"),
    ),
    (
        "BINANCE/SPOT/",
        '[[1591478520000,"0.02501300","0.02501800","0.02500000","0.02500000","22.19000000",1591478579999,"0.55490906",40,"10.92900000","0.27336462","0"]]',
        (1_591_478_520_000, None, "0.02501300", "0.02501800", "0.02500000", "0.02500000", "22.19000000"),
    ),
    (
        "BYBIT/LINEAR/",
        '{"retCode":0,"retMsg":"OK","result":{"category":"linear","symbol":"BTCUSDT","list":[["1670608800000","17071","17073","17027","17055.5","268611","15.74"]]},"retExtInfo":{},"time":1672025956592}',
        (1_670_608_800_000, None, "17071", "17073", "17027", "17055.5", "268611"),
    ),
    (
        "BYBIT/INVERSE/",
        '{"retCode":0,"retMsg":"OK","result":{"category":"inverse","symbol":"BTCUSD","list":[["1670608800000","17071","17073","17027","17055.5","268611","15.74462667"]]},"retExtInfo":{},"time":1672025956592}',
        (1_670_608_800_000, None, "17071", "17073", "17027", "17055.5", "15.74462667"),
    ),
    (
        "BITGET/USDT-FUTURES/",
        '{"code":"00000","msg":"success","requestTime":1695865615662,"data":[["1645911960000","39406","39407","39374.5","39379","35.526","1399132.341"]]}',
        (1_645_911_960_000, None, "39406", "39407", "39374.5", "39379", "35.526"),
    ),
    (
        "GATE/FUTURE/",
        '[{"t":1539852480,"v":97151,"c":"1.032","h":"1.032","l":"1.031","o":"1.0315","sum":"3580"}]',
        (1_539_852_480_000, None, "1.0315", "1.032", "1.031", "1.032", "97151"),
    ),
    (
        "GATE/SPOT/",
        '[["1660957920","6227.070147198573","0.0000133485","0.0000133615","0.0000133347","0.0000133468","466641934.99","true"]]',
        (1_660_957_920_000, None, "0.0000133468", "0.0000133615", "0.0000133347", "0.0000133485", "466641934.99"),
    ),
    (
        "HTX/SPOT/",
        '{"ch":"market.ethbtc.kline.1min","status":"ok","ts":1591515374371,"data":[{"amount":1.2082,"open":0.025096,"close":0.025095,"high":0.025096,"id":1591515300,"count":6,"low":0.025095,"vol":0.0303205097}]}',
        (1_591_515_300_000, None, "0.025096", "0.025096", "0.025095", "0.025095", "1.2082"),
    ),
    (
        "HYPERLIQUID/PERPETUAL/",
        '[{"T":1704287699999,"c":"2226.4","h":"2247.9","i":"15m","l":"2224.6","n":46,"o":"2247.9","s":"ETH","t":1704286800000,"v":"591.6427"}]',
        (1_704_286_800_000, None, "2247.9", "2247.9", "2224.6", "2226.4", "591.6427"),
    ),
    (
        "ASTER/PERP/",
        '[[1499040000000,"0.01634790","0.80000000","0.01575800","0.01577100","148976.11427815",1499644799999,"2434.19055334",308,"1756.87402397","28.46694368","0"]]',
        (1_499_040_000_000, None, "0.01634790", "0.80000000", "0.01575800", "0.01577100", "148976.11427815"),
    ),
]


@pytest.mark.parametrize(("prefix", "text", "row"), BARS)
def test_a_bar_is_read_as_it_was_written(prefix: str, text: str, row: tuple[Any, ...]) -> None:
    exchange, offer = find_offer(prefix)
    forward = offer.ohlc.direction == "forward"

    reply = read(exchange, offer.ohlc, text, "PT1M", row[0] if forward else row[0] + 60_000)

    assert list(reply.rows) == [make_bar(*row)]


RATES = [
    (
        "OKX/SWAP/",
        '{"code":"0","msg":"","data":[{"instType":"SWAP","instId":"BTC-USDT-SWAP","fundingRate":"0.018","realizedRate":"0.017","fundingTime":"1597026383085"}]}',
        (1_597_026_383_085, "-0.017", "0.017", None),
    ),
    (
        "BINANCE/USDT-FUTURE/",
        '[{"symbol":"BTCUSDT","fundingRate":"-0.03750000","fundingTime":1570608000000,"markPrice":"34287.54619963"}]',
        (1_570_608_000_000, "0.03750000", "-0.03750000", "34287.54619963"),
    ),
    (
        "BYBIT/LINEAR/",
        '{"retCode":0,"retMsg":"OK","result":{"category":"linear","list":[{"symbol":"ETHPERP","fundingRate":"0.0001","fundingRateTimestamp":"1672041600000"}]},"retExtInfo":{},"time":1672051897447}',
        (1_672_041_600_000, "-0.0001", "0.0001", None),
    ),
    (
        "BITGET/USDT-FUTURES/",
        '{"code":"00000","msg":"success","requestTime":1652406728393,"data":[{"symbol":"BTCUSDT","fundingRate":"-0.0003","fundingTime":"1652396400000"}]}',
        (1_652_396_400_000, "0.0003", "-0.0003", None),
    ),
    ("GATE/FUTURE/", '[{"r":"0.000340","t":1605657600}]', (1_605_657_600_000, "-0.000340", "0.000340", None)),
    (
        "HTX/SWAP/",
        '{"status":"ok","data":{"total_page":6810,"current_page":1,"total_size":6810,"data":[{"avg_premium_index":"0.0001","funding_rate":"0.000100000000000000","realized_rate":null,"funding_time":"1603296000000","contract_code":"BTC-USDT","symbol":"BTC","fee_asset":"USDT"}]},"ts":1603300000000}',
        (1_603_296_000_000, "-0.000100000000000000", "0.000100000000000000", None),
    ),
    (
        "HYPERLIQUID/PERPETUAL/",
        '[{"coin":"ETH","fundingRate":"0.0000125","premium":"0.00057962","time":1704290400031}]',
        (1_704_290_400_031, "-0.0000125", "0.0000125", None),
    ),
    (
        "ASTER/PERP/",
        '[{"symbol":"BTCUSDT","fundingTime":1747209600000,"fundingRate":"0.00010000"}]',
        (1_747_209_600_000, "-0.00010000", "0.00010000", None),
    ),
]


@pytest.mark.parametrize(("prefix", "text", "row"), RATES)
def test_longs_pay_what_shorts_receive(prefix: str, text: str, row: tuple[Any, ...]) -> None:
    exchange, offer = find_offer(prefix)
    assert offer.rates is not None
    forward = offer.rates.direction == "forward"

    reply = read(exchange, offer.rates, text, None, row[0] if forward else row[0] + 1)

    assert list(reply.rows) == [row]


@pytest.mark.parametrize(
    ("prefix", "text"),
    [
        ("OKX/SWAP/", '{"code":"0","msg":"","data":[]}'),
        ("BINANCE/SPOT/", "[]"),
        ("BYBIT/SPOT/", '{"retCode":0,"retMsg":"OK","result":{"list":[]},"time":1672025956592}'),
        ("BITGET/SPOT/", '{"code":"00000","msg":"success","requestTime":1695865615662,"data":[]}'),
        ("GATE/SPOT/", "[]"),
        ("HTX/SWAP/", '{"status":"ok","ts":1591515374371,"data":[]}'),
        ("HYPERLIQUID/SPOT/", "[]"),
        ("ASTER/SPOT/", "[]"),
    ],
)
def test_the_exchange_s_own_empty_answer_is_empty(prefix: str, text: str) -> None:
    exchange, offer = find_offer(prefix)

    assert list(read(exchange, offer.ohlc, text, "PT1M", 1).rows) == []


@pytest.mark.parametrize("offer", [offer for exchange in EXCHANGES.values() for offer in exchange.offers])
@pytest.mark.parametrize("text", ["{}", '{"data":{}}', '{"code":"0"}', '{"code":"1","data":[]}', "null", '"text"', "7"])
def test_anything_else_is_not_empty_but_refused(offer: Segment, text: str) -> None:
    exchange = EXCHANGES[offer.prefix.split("/")[0].lower()]

    with pytest.raises(PageRefused):
        find_rows(exchange, offer.ohlc, parse_exactly(text))


@pytest.mark.parametrize(
    "row", ['["1678928760000","1","2"]', "[]", "{}", "null", '"x"', '["x","1","1","1","1","1","1","1","1"]']
)
def test_a_row_with_too_few_columns_is_refused(row: str) -> None:
    exchange, offer = find_offer("OKX/SPOT/")

    with pytest.raises(PageRefused):
        read(exchange, offer.ohlc, f'{{"code":"0","data":[{row}]}}', "PT1M", 2_000_000_000_000)


def test_a_null_price_is_refused() -> None:
    exchange, offer = find_offer("HTX/SPOT/")
    text = '{"status":"ok","ts":1,"data":[{"id":1,"open":null,"high":1,"low":1,"close":1,"amount":1}]}'

    with pytest.raises(PageRefused):
        read(exchange, offer.ohlc, text, "PT1M", 2_000_000_000_000)


def test_a_bar_that_okx_calls_forming_is_not_closed() -> None:
    exchange, offer = find_offer("OKX/SPOT/")
    created_ms = DATE_MS - DATE_MS % 60_000 - 60_000
    row = f'["{created_ms}","1","1","1","1","1","1","1","0"]'

    reply = read(exchange, offer.ohlc, f'{{"code":"0","data":[{row}]}}', "PT1M", DATE_MS)

    assert reply.now_ms == created_ms + 60_000 - 1 < DATE_MS


def test_the_body_s_time_goes_before_the_date() -> None:
    body = parse_exactly('{"retCode":0,"time":1793491207123}')

    assert find_time(EXCHANGES["bybit"], body, Response(200, DATE, "")) == 1_793_491_207_123
    assert find_time(EXCHANGES["okx"], {}, Response(200, DATE, "")) == DATE_MS
    with pytest.raises(PageRefused):
        find_time(EXCHANGES["okx"], {}, Response(200, {}, ""))


def test_eighteen_digits_survive_as_a_json_number() -> None:
    assert parse_exactly('{"a":0.123456789012345678,"b":123456789012345678901}') == {
        "a": "0.123456789012345678",
        "b": "123456789012345678901",
    }


@given(st.decimals(allow_nan=False, allow_infinity=False, places=18, min_value=-10, max_value=10))
def test_a_flipped_sign_is_the_negative_and_flips_back(value: Decimal) -> None:
    text = format(value, "f")
    flipped = flip_sign(text)

    assert Decimal(flipped) == -value
    if value:
        assert flip_sign(flipped) == text
    else:
        assert not flipped.startswith("-")


@pytest.mark.parametrize(
    ("text", "flipped"),
    [("0", "0"), ("-0", "0"), ("-0.000", "0.000"), ("0e-9", "0e-9"), ("1e-05", "-1e-05"), ("-1.5E-7", "1.5E-7")],
)
def test_zero_has_no_sign(text: str, flipped: str) -> None:
    assert flip_sign(text) == flipped

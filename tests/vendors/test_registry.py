"""The registry reads capabilities from schemas and refuses what it can't read, by name."""

from dataclasses import fields
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.errors import MalformedService
from series_pipelines.vendors.contract import Limits, Product, Reply, Request, Service
from series_pipelines.vendors.demo.vendor import create
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.services import format_cap_key, parse_service

TEXT = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.isprintable)


class FakeVendor:
    def __init__(self, name: str, services: list[Any] | Exception) -> None:
        self.name = name
        self.offers = services

    def services(self) -> list[Service]:
        if isinstance(self.offers, Exception):
            raise self.offers
        return self.offers

    def products(self) -> list[Product]:
        return []

    def fetch(self, request: Request) -> Reply:
        return Reply([], 0)


def schema(
    pattern: object = "^DEMO/SWAP/", durations: object = ("PT1M", "PT1H"), direction: object = "backward"
) -> dict[str, Any]:
    return {
        "properties": {
            "product_id": {"pattern": pattern},
            "duration": {"enum": durations},
            "direction": {"const": direction},
        }
    }


def ohlc(limits: Limits | None = None, **parts: object) -> Service:
    return Service("IngestOHLC", schema(**parts), limits or Limits())


def rates(**parts: object) -> Service:
    body = schema(**parts)
    del body["properties"]["duration"]
    return Service("IngestInterestRate", body)


def refuse(service: Any) -> str:
    with pytest.raises(MalformedService) as caught:
        parse_service("acme", service)
    message = str(caught.value)
    assert message.startswith("vendor 'acme', service ")
    assert "\n" not in message
    return message


def test_a_capability_is_read_from_the_request_schema() -> None:
    capability = parse_service("acme", ohlc())
    assert capability.cap_key == "IngestOHLC/DEMO%2FSWAP%2F/backward"
    assert (capability.vendor, capability.method, capability.table_name) == ("acme", "IngestOHLC", "ohlc_v2")
    assert (capability.product_prefix, capability.direction) == ("DEMO/SWAP/", "backward")
    assert capability.durations == ("PT1M", "PT1H")


def test_a_rate_capability_has_no_durations() -> None:
    capability = parse_service("acme", rates(direction="forward"))
    assert capability.cap_key == "IngestInterestRate/DEMO%2FSWAP%2F/forward"
    assert (capability.table_name, capability.durations) == ("interest_rate", ())


def test_durations_are_written_the_iso_way_once() -> None:
    assert parse_service("acme", ohlc(durations=["1m", "PT1M", "PT60M", "1d"])).durations == ("PT1M", "PT60M", "P1D")


def test_the_cap_key_stays_when_the_durations_change() -> None:
    before, after = (parse_service("acme", ohlc(durations=texts)) for texts in (["PT1M"], ["PT5M", "P1D"]))
    assert before.cap_key == after.cap_key
    assert before != after


@pytest.mark.parametrize(
    ("pattern", "prefix"),
    [
        ("^DEMO/SWAP/", "DEMO/SWAP/"),
        (r"^DEMO\/SWAP\/", "DEMO/SWAP/"),
        (r"^BINANCE/USDT\-FUTURE/", "BINANCE/USDT-FUTURE/"),
        (r"^A\.B/\*", "A.B/*"),
        ("^DEMO/.*", "DEMO/"),
        ("^DEMO/.+", "DEMO/"),
        ("^DEMO/.*$", "DEMO/"),
    ],
)
def test_a_pattern_gives_a_literal_prefix(pattern: str, prefix: str) -> None:
    assert parse_service("acme", ohlc(pattern=pattern)).product_prefix == prefix


@pytest.mark.parametrize(
    "pattern",
    [None, 7, "", "DEMO/", "^", "^.*", "^DEMO/[A-Z]+", "^(A|B)/", "^DEMO$", "^DEMO/.", r"^\d/", "^DEMO\\", "^A\n",
     "^^A", r"^A\.*", "^\ud800"],
)  # fmt: skip
def test_a_pattern_that_is_no_prefix_is_refused(pattern: object) -> None:
    assert "product_id.pattern" in refuse(ohlc(pattern=pattern))


@pytest.mark.parametrize("durations", [None, [], "PT1M", [None], ["PT1M", "soon"], ["PT0M"], {"PT1M": 1}])
def test_durations_that_can_not_be_read_are_refused(durations: object) -> None:
    assert "duration.enum" in refuse(ohlc(durations=durations))


@pytest.mark.parametrize("direction", [None, "", "sideways", ["backward"], {}])
def test_a_direction_that_is_neither_is_refused(direction: object) -> None:
    assert "direction.const" in refuse(ohlc(direction=direction))


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (Limits(concurrent=0), "concurrent"),
        (Limits(concurrent=True), "concurrent"),
        (Limits(requests=0), "requests"),
        (Limits(window_ms=0), "window_ms"),
        (Limits(grace_ms=-1), "grace_ms"),
        (Limits(grace_ms=1.5), "grace_ms"),  # type: ignore[arg-type]
        (Limits(budget=""), "budget"),
        ("none", "limits"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: Any, named: str) -> None:
    assert named in refuse(ohlc(limits=limits))


def test_limits_are_kept_whole_as_they_were_stated() -> None:
    stated = Limits(3, 20, 2_000, "acme", 5, 300, on_grid=False)
    defaults = Limits()
    assert all(getattr(stated, each.name) != getattr(defaults, each.name) for each in fields(Limits))
    assert parse_service("acme", ohlc(limits=stated)).limits == stated


@pytest.mark.parametrize(
    "service",
    [
        Service("Trade", schema()),
        Service("IngestOHLC", []),  # type: ignore[arg-type]
        Service("IngestOHLC", {}),
        Service("IngestOHLC", {"properties": {"duration": {"enum": ["PT1M"]}}}),
        Service("IngestOHLC", {**schema(), "required": ["api_key"]}),
        Service("IngestOHLC", {**schema(), "required": "time"}),
        Service("IngestInterestRate", {**schema(), "required": ["duration"]}),
        Service(["IngestOHLC"], schema()),  # type: ignore[arg-type]
        "IngestOHLC",
        None,
    ],
)
def test_a_service_of_another_shape_is_refused(service: Any) -> None:
    refuse(service)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["^A/", "PT1M", "backward"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(st.sampled_from(["IngestOHLC", "IngestInterestRate"]), JSON, JSON, JSON, JSON)
def test_any_schema_is_read_or_refused_and_nothing_else(
    method: str, product: object, duration: object, direction: object, required: object
) -> None:
    body = {"properties": {"product_id": product, "duration": duration, "direction": direction}, "required": required}
    registry_of_one = Registry([FakeVendor("acme", [Service(method, body)])])
    catalogue = registry_of_one.read()
    assert len(catalogue.capabilities) + len(catalogue.refused) == 1
    assert all(len(reason) < 400 and "\n" not in reason for reason in catalogue.refused)


@settings(deadline=None)
@given(st.sampled_from(["IngestOHLC", "IngestInterestRate"]), TEXT, st.sampled_from(["backward", "forward"]))
def test_a_cap_key_gives_back_its_parts(method: str, prefix: str, direction: str) -> None:
    cap_key = format_cap_key(method, prefix, direction)
    assert cap_key.count("/") == 2
    assert [unquote(part) for part in cap_key.split("/")] == [method, prefix, direction]


def test_one_bad_service_does_not_stop_the_rest() -> None:
    good, other = FakeVendor("good", [ohlc(), ohlc(pattern="*"), rates()]), FakeVendor("other", [ohlc(pattern="^X/")])
    broken = FakeVendor("broken", RuntimeError("no\nroute"))
    catalogue = Registry([good, broken, other]).read()
    assert [capability.vendor for capability in catalogue.capabilities.values()] == ["good", "good", "other"]
    assert catalogue.vendor_of["IngestOHLC/X%2F/backward"] is other
    assert catalogue.refused == (
        "vendor 'good', service 'IngestOHLC': product_id.pattern must be a text that starts with ^, not '*'",
        "vendor 'broken': services() failed: RuntimeError: no route",
    )


def test_the_second_vendor_of_a_capability_is_refused() -> None:
    first, second = FakeVendor("first", [ohlc()]), FakeVendor("second", [ohlc(durations=["P1D"]), rates()])
    catalogue = Registry([first, second]).read()
    assert catalogue.vendor_of["IngestOHLC/DEMO%2FSWAP%2F/backward"] is first
    assert len(catalogue.capabilities) == 2
    assert catalogue.refused == (
        "vendor 'second', service 'IngestOHLC': IngestOHLC/DEMO%2FSWAP%2F/backward is already served by vendor 'first'",
    )


def test_a_service_that_comes_changes_and_goes_is_followed() -> None:
    vendor = FakeVendor("acme", [])
    registry_of_one = Registry([vendor])
    assert registry_of_one.vendors == (vendor,)
    assert not registry_of_one.read().capabilities
    vendor.offers = [ohlc()]
    (cap_key,) = registry_of_one.read().capabilities
    vendor.offers = [ohlc(durations=["P1D"])]
    assert registry_of_one.read().capabilities[cap_key].durations == ("P1D",)
    vendor.offers = []
    assert not registry_of_one.read().capabilities


def test_the_demo_vendors_offer_both_directions_for_both_tables() -> None:
    catalogue = Registry(create({})).read()
    assert catalogue.refused == ()
    assert list(catalogue.capabilities) == [
        "IngestOHLC/DEMO%2FSWAP%2F/backward",
        "IngestInterestRate/DEMO%2FSWAP%2F/backward",
        "IngestOHLC/DEMO%2FSPOT%2F/forward",
        "IngestInterestRate/DEMO%2FMARGIN%2F/forward",
    ]

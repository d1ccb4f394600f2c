"""What instances offer together, what they bear together, and whose turn it is."""

import pytest

from series_pipelines.errors import (
    MalformedService,
    VendorBroken,
    VendorBusy,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.vendors.contract import Limits, Request, Service
from series_pipelines.vendors.remote.offers import Instance, RemoteCapability, join_limits, put_together, read_instance
from series_pipelines.vendors.remote.rotation import MOST_SET_ASIDE_MS, SET_ASIDE_MS, Rotation
from series_pipelines.vendors.services import parse_service


def make_service(
    durations: tuple[str, ...] = ("PT1M",), prefix: str = "ACME/", limits: Limits | None = None
) -> Service:
    properties = {
        "product_id": {"pattern": f"^{prefix}"},
        "duration": {"enum": list(durations)},
        "direction": {"const": "backward"},
    }
    return Service("IngestOHLC", {"properties": properties}, limits or Limits())


def make_instance(address: str, *services: Service) -> Instance:
    return read_instance("acme", address, services)


def make_offer(address: str, durations: tuple[str, ...] = ("PT1M",)) -> RemoteCapability:
    return make_instance(address, make_service(durations)).offers[0]


def test_durations_of_all_instances_are_offered_once() -> None:
    together = put_together(
        [make_instance("a", make_service(("PT1M", "1h"))), make_instance("b", make_service(("PT1H", "P1D")))]
    )
    (service,) = together.services
    assert parse_service("acme", service).durations == ("PT1M", "PT1H", "P1D")
    asked = Request("IngestOHLC", "ACME/X", "P1D", "backward", 0)
    assert [offer.address for offer in together.offers if offer.serves(asked) and offer.has_duration(asked)] == ["b"]


def test_a_prefix_with_signs_of_its_own_survives() -> None:
    (service,) = put_together([make_instance("a", make_service(prefix=r"A\.B\+C\*\-/é_ /"))]).services
    assert parse_service("acme", service).product_prefix == "A.B+C*-/é_ /"


@pytest.mark.parametrize(
    ("limits", "together"),
    [
        ([Limits(1, 10), Limits(2, 20)], Limits(3, 30)),
        ([Limits(1, 10, budget="x"), Limits(2, 20, budget="x")], Limits(3, 10, budget="x")),
        ([Limits(1, 10, 1_000, "x"), Limits(1, 100, 60_000, "x")], Limits(2, 100, 60_000, "x")),
        ([Limits(1, 10, 1_000), Limits(1, 100, 60_000)], Limits(2, 100, 60_000)),
        ([Limits(1, None), Limits(1, 10)], Limits(2, 10)),
        ([Limits(1, None), Limits(1, None)], Limits(2, None)),
        ([Limits(grace_ms=0), Limits(grace_ms=5_000)], Limits(2, grace_ms=5_000)),
        ([Limits(200), Limits(200)], Limits(256)),
    ],
)
def test_own_limits_add_up_and_a_named_budget_does_not(limits: list[Limits], together: Limits) -> None:
    assert join_limits(limits) == together
    assert join_limits(limits[::-1]) == together


def test_an_instance_that_names_another_budget_is_refused_by_name() -> None:
    together = put_together(
        [
            make_instance("http://a", make_service(limits=Limits(budget="x"))),
            make_instance("http://b", make_service(limits=Limits(budget="y"))),
        ]
    )
    assert [offer.address for offer in together.offers] == ["http://a"]
    refused, served = together.services
    assert parse_service("acme", served).limits.budget == "x"
    with pytest.raises(MalformedService, match=r"'acme'.*http://b: its budget is 'y', but that of http://a is 'x'"):
        parse_service("acme", refused)


@pytest.mark.parametrize(
    ("services", "complaint"),
    [
        ([make_service(), make_service(("PT1H",))], "twice"),
        ([make_service(), make_service(prefix="x" * 3_000)], "too long"),
        ([make_service(), make_service(())], "duration.enum"),
        ([make_service(), Service("IngestNews", {})], "the method must be"),
    ],
)
def test_what_cannot_be_read_is_refused_and_the_rest_stays(services: list[Service], complaint: str) -> None:
    together = put_together([make_instance("http://a", *services)])
    refused, served = together.services
    assert parse_service("acme", served).durations == ("PT1M",)
    with pytest.raises(MalformedService, match=complaint) as caught:
        parse_service("acme", refused)
    assert str(caught.value).count("vendor 'acme'") == 1


def test_turns_go_round_and_the_failed_one_comes_last() -> None:
    rotation, offers = Rotation(), [make_offer(name) for name in "abc"]
    assert [rotation.take(offers, 0) for _ in range(6)] == offers * 2
    rotation.set_aside([offers[0]], VendorUnavailable("refused"), 0)
    assert [rotation.take(offers, SET_ASIDE_MS - 1) for _ in range(4)] == offers[1:] * 2
    assert rotation.take(offers[:1], 1) == offers[0]
    assert rotation.take(offers, SET_ASIDE_MS) == offers[1]
    assert [rotation.take(offers, SET_ASIDE_MS) for _ in range(2)] == [offers[2], offers[0]]


def test_who_asked_to_be_left_alone_is_left_alone() -> None:
    rotation, offers = Rotation(), [make_offer("a"), make_offer("b")]
    rotation.set_aside([offers[0]], VendorBusy("429", 60_000), 0)
    rotation.set_aside([offers[1]], VendorBusy("429", 30_000), 0)
    assert rotation.take(offers, 29_999) is None
    error = rotation.explain(offers, [], 10_000)
    assert (type(error), getattr(error, "retry_after_ms", None)) == (VendorBusy, 20_000)
    assert rotation.take(offers, 30_000) == offers[1]
    assert rotation.take(offers[:1], 59_999) is None


def test_a_failing_instance_is_set_aside_longer_each_time_until_it_answers() -> None:
    rotation, (bad, good) = Rotation(), (make_offer("a"), make_offer("b"))
    waits = []
    for _ in range(6):
        rotation.set_aside([bad], VendorTimeout("slow"), 0)
        waits.append(next(ms for ms in range(0, 200_000, 5_000) if rotation.take([bad, good], ms) == bad))
    assert waits == [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]
    assert waits[-1] == MOST_SET_ASIDE_MS
    rotation.forgive(bad)
    rotation.set_aside([bad], VendorTimeout("slow"), 0)
    assert rotation.take([bad, good], 0) == good
    assert rotation.take([bad, good], SET_ASIDE_MS) == bad


def test_the_pause_is_our_own_unless_all_asked_for_one() -> None:
    rotation, offers = Rotation(), [make_offer("a"), make_offer("b")]
    rotation.set_aside([offers[0]], VendorBusy("429", 60_000), 0)
    rotation.set_aside([offers[1]], VendorUnavailable("refused"), 0)
    assert getattr(rotation.explain(offers, [], 0), "retry_after_ms", 0) is None


def test_a_missing_duration_fails_its_series_while_the_capability_is_served() -> None:
    rotation, hourly, minutely = Rotation(), make_offer("a", ("PT1H",)), make_offer("b", ("PT1M",))
    rotation.set_aside([hourly], VendorUnavailable("http://a: connection refused"), 0)
    assert type(rotation.explain([hourly], [minutely], 0)) is VendorBroken
    rotation.set_aside([minutely], VendorUnavailable("refused"), 0)
    assert type(rotation.explain([hourly], [minutely], 0)) is VendorUnavailable

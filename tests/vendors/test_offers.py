"""Each product and service of a vendor is looked at alone: plain and bounded it leaves, or it is refused by name."""

from dataclasses import fields
from typing import Any

import pytest

from series_pipelines.errors import MalformedProduct, MalformedService, VendorError
from series_pipelines.vendors.contract import Product
from series_pipelines.vendors.offers import check_product, read_products
from series_pipelines.vendors.refusals import MOST_TOLD
from series_pipelines.vendors.services import parse_service, read_services
from tests.support.hostile_offers import (
    EvilText,
    HostileVendor,
    make_bad_products,
    make_bad_services,
    make_service,
)

PREFIX = "EVIL/"
BAD_PRODUCTS = make_bad_products(PREFIX)
BAD_SERVICES = make_bad_services(PREFIX)


@pytest.mark.parametrize("name", BAD_PRODUCTS)
def test_a_bad_product_is_refused_in_one_short_line(name: str) -> None:
    with pytest.raises(MalformedProduct) as caught:
        check_product(BAD_PRODUCTS[name])
    assert str(caught.value).isprintable()
    assert 0 < len(str(caught.value)) < 400


@pytest.mark.parametrize("name", BAD_SERVICES)
def test_a_bad_service_is_refused_in_one_short_line(name: str) -> None:
    with pytest.raises(MalformedService) as caught:
        parse_service("hostile", BAD_SERVICES[name])
    assert str(caught.value).isprintable()
    assert 0 < len(str(caught.value)) < 500


def test_what_is_taken_is_plain_even_of_hostile_classes() -> None:
    given = Product(EvilText("EVIL/A"), EvilText("name"), price_step=EvilText("1e-8"), listed_ms=0)
    taken = check_product(given)
    assert taken == Product("EVIL/A", "name", price_step="1e-8", listed_ms=0)
    assert {type(getattr(taken, each.name)) for each in fields(taken)} <= {str, int, bool, type(None)}


def test_good_products_among_bad_ones_are_taken_and_the_bad_ones_counted() -> None:
    offered = [Product("EVIL/A"), *BAD_PRODUCTS.values(), Product("EVIL/B"), Product("EVIL/A", "again")]
    products = read_products("hostile", HostileVendor(offered=offered))
    assert list(products.taken.values()) == [Product("EVIL/A"), Product("EVIL/B")]
    assert len(products.refused) == MOST_TOLD + 1
    assert (
        products.refused[-1] == f"vendor 'hostile': and {len(BAD_PRODUCTS) + 1 - MOST_TOLD} more products are refused"
    )
    assert {"EVIL/step-abc", "EVIL/name-nul", "EVIL/a...b"} <= products.named
    assert products.nameless == 10


def test_good_services_among_bad_ones_are_taken() -> None:
    served = [*BAD_SERVICES.values(), make_service(PREFIX), make_service(PREFIX)]
    services = read_services("hostile", HostileVendor(served=served))
    assert [capability.product_prefix for capability in services.capabilities] == [PREFIX]
    assert not services.is_whole
    assert len(services.refused) == MOST_TOLD + 1


def endless(item: Any) -> Any:
    while True:
        yield item


@pytest.mark.parametrize("read", [read_products, read_services])
@pytest.mark.parametrize("item", [Product("EVIL/A"), None, make_service(PREFIX)], ids=["product", "none", "service"])
def test_an_offer_without_end_is_refused_whole(read: Any, item: Any) -> None:
    vendor = HostileVendor(offered=lambda: endless(item), served=lambda: endless(item))
    with pytest.raises(VendorError, match="it offers more than "):
        read("hostile", vendor)

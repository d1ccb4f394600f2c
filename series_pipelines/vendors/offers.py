"""What one vendor offers at one moment: its services and its products, each looked at alone and made plain.

A product that can't be taken is refused by name and reason. All that is the vendor's own code runs inside
`look_at_all`, in a thread of the vendor's own with a deadline: what leaves here only holds values of Python's own.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from series_pipelines.core.series import check_product_id
from series_pipelines.core.text import show_value
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import InvalidInput, MalformedProduct, VendorBroken, VendorError
from series_pipelines.vendors.asking import ask_all
from series_pipelines.vendors.contract import Product, Vendor
from series_pipelines.vendors.plain import explain, take_decimal, take_flag, take_text, take_whole
from series_pipelines.vendors.refusals import Refusals
from series_pipelines.vendors.registry import LOOK_SECONDS, Registry
from series_pipelines.vendors.services import Services, read_services

MOST_PRODUCTS: Final = 200_000
LONGEST_GIVEN_ID: Final = 10_000

_TEXTS: Final = ("name", "base_currency", "quote_currency", "market_id")
_DECIMALS: Final = ("price_step", "volume_step", "value_scale")
_FLAGS: Final = ("allow_long", "allow_short", "no_interest_rate", "trading")
_MOMENTS: Final = ("listed_ms", "delisted_ms")


@dataclass(frozen=True, slots=True)
class Products:
    """What could be read of one vendor's products.

    `named` are the ids of all that it listed, refused ones too: those have not vanished. `nameless` is how many it
    listed whose id can't be read: any of them may be one that seems to be missing.
    """

    taken: dict[str, Product]
    named: frozenset[str]
    nameless: int
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """All that a vendor offers, and which of the products that it offers no more its exchange still lists."""

    services: Services
    products: Products
    still_listed: frozenset[str] = frozenset()


def look_at_all(registry: Registry, live: Mapping[str, Collection[str]]) -> dict[str, Offer | VendorError]:
    """Ask every vendor what it has, side by side; `live` are the products that each was known to trade."""
    calls = {name: partial(_look_at, name, vendor, live.get(name, ())) for name, vendor in registry.by_name.items()}
    return ask_all(calls, "services() and products()", LOOK_SECONDS)


def read_products(name: str, vendor: Vendor) -> Products:
    """Ask a vendor for its products and check each; raise a VendorError when it does not say."""
    taken: dict[str, Product] = {}
    named: set[str] = set()
    nameless = 0
    refusals = Refusals(name, "products")
    try:
        for number, product in enumerate(vendor.products()):
            if number >= MOST_PRODUCTS:
                raise InvalidInput(f"it offers more than {MOST_PRODUCTS}")
            product_id = _find_id(product)
            if product_id is None:
                nameless += 1
            elif product_id in named:
                refusals.add(f"vendor {name!r}: product {show_value(product_id)} is listed twice")
                continue
            else:
                named.add(product_id)
            try:
                checked = check_product(product)
            except MalformedProduct as error:
                which = f"number {number + 1}" if product_id is None else show_value(product_id)
                refusals.add(f"vendor {name!r}: product {which}: {error}")
            else:
                taken[checked.product_id] = checked
    except BaseException as error:  # it runs in a thread of its own, and whatever the vendor raises is its answer
        raise VendorBroken(f"vendor {name!r}: products() failed: {explain(error)}") from None
    return Products(taken, frozenset(named), nameless, refusals.tell())


def check_product(product: object) -> Product:
    """Return a product as a plain one, or say what is wrong with it."""
    try:
        if not isinstance(product, Product):
            raise MalformedProduct(f"it must be a Product, not {show_value(product)}")
        plain: dict[str, Any] = {name: take_text(getattr(product, name), name) for name in _TEXTS}
        plain |= {name: take_flag(getattr(product, name), name) for name in _FLAGS}
        for name in _DECIMALS:
            value = getattr(product, name)
            plain[name] = None if value is None else take_decimal(value, name)
        for name in _MOMENTS:
            value = getattr(product, name)
            plain[name] = None if value is None else take_whole(value, name, 0, LAST_MOMENT_MS)
        return Product(check_product_id(take_text(product.product_id, "product_id", LONGEST_GIVEN_ID)), **plain)
    except MalformedProduct:
        raise
    except BaseException as error:  # its class may be the vendor's own, whose attributes raise anything
        raise MalformedProduct(explain(error)) from None


def _find_id(product: object) -> str | None:
    """Return the id of a product as it was given, however long or strange, if it is a text at all."""
    try:
        given = product.product_id  # type: ignore[attr-defined]
        return "".join([given]) if isinstance(given, str) else None
    except BaseException:
        return None


def _look_at(name: str, vendor: Vendor, live: Collection[str]) -> Offer:
    services = read_services(name, vendor)
    products = read_products(name, vendor)
    missing = sorted(set(live) - products.named)
    if not missing:
        return Offer(services, products)
    try:
        find_listed = getattr(vendor, "still_listed", None)
        listed = set() if find_listed is None else set(islice(find_listed(missing), MOST_PRODUCTS))
        still_listed = frozenset(product_id for product_id in missing if product_id in listed)
    except BaseException as error:
        raise VendorBroken(f"vendor {name!r}: still_listed() failed: {explain(error)}") from None
    return Offer(services, products, still_listed)

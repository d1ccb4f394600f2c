"""Lies about what a vendor offers: single products and services that are wrong, and answers that are none.

Each is added to the honest offer or takes its place; what is honest in an answer that can be read still counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, NoReturn

from series_pipelines.vendors.contract import Limits, Product, Service

from .lies import FalseInterrupt

STOLEN = ("MB/0", "MF/0", "HON/0", "RATE/0")
"""Products of other vendors."""
HANGS = "hangs"


def _product(**changes: Any) -> Product:
    product = Product("LIAR/EXTRA")
    for name, value in changes.items():
        object.__setattr__(product, name, value)
    return product


def _raise(error: BaseException) -> Any:
    raise error


def _break_off(products: Sequence[Product]) -> Any:
    yield products[0]
    raise SystemExit(0)


BAD_PRODUCTS: dict[str, Callable[[], Any]] = {
    "id_none": lambda: _product(product_id=None),
    "id_bytes": lambda: _product(product_id=b"LIAR/X"),
    "id_number": lambda: _product(product_id=10**6_000),
    "id_of_10000_characters": lambda: _product(product_id="LIAR/" + "x" * 10_000),
    "id_with_nul": lambda: _product(product_id="LIAR/\x00"),
    "id_with_surrogate": lambda: _product(product_id="LIAR/\ud83d"),
    "id_with_escapes": lambda: _product(product_id="LIAR/\x1b[2J"),
    "id_empty": lambda: _product(product_id=""),
    "price_step_text": lambda: _product(price_step="abc"),
    "price_step_nan": lambda: _product(price_step="NaN"),
    "price_step_float": lambda: _product(price_step=float("nan")),
    "volume_step_infinite": lambda: _product(volume_step="Infinity"),
    "value_scale_huge": lambda: _product(value_scale="1e999999"),
    "listed_float": lambda: _product(listed_ms=1.5e12),
    "listed_text": lambda: _product(listed_ms="2026-01-01"),
    "listed_mad": lambda: _product(listed_ms=10**18),
    "listed_before_year_1": lambda: _product(listed_ms=-(10**14)),
    "listed_of_6000_digits": lambda: _product(listed_ms=10**6_000),
    "delisted_mad": lambda: _product(delisted_ms=10**18),
    "delisted_bool": lambda: _product(delisted_ms=True),
    "name_with_nul": lambda: _product(name="a\x00b"),
    "name_with_surrogate": lambda: _product(name="\ud83d"),
    "name_none": lambda: _product(name=None),
    "name_of_20_mb": lambda: _product(name="x" * 20_000_000),
    "market_id_list": lambda: _product(market_id=["x"]),
    "allow_long_text": lambda: _product(allow_long="yes"),
    "not_a_product": lambda: {"product_id": "LIAR/DICT"},
    "none": lambda: None,
    **{f"stolen_{stolen}": partial(Product, stolen, delisted_ms=1) for stolen in STOLEN},
}
BAD_LISTS: dict[str, Callable[[Sequence[Product]], Any]] = {
    "none": lambda _: None,
    "number": lambda _: 5,
    "text": lambda _: "LIAR/0",
    "system_exit": lambda _: _raise(SystemExit(0)),
    "keyboard_interrupt": lambda _: _raise(FalseInterrupt()),
    "surrogate": lambda _: _raise(ValueError("\ud83d\x00\x1b[2J")),
    "breaks_off": _break_off,
    "twice": lambda products: [*products, *products],
    "twice_otherwise": lambda products: [*products, replace(products[0], name="other")],
}
BAD_SERVICES: dict[str, Callable[[Service], Any]] = {
    "none": lambda _: None,
    "method_none": lambda service: replace(service, method=None),  # type: ignore[arg-type]
    "method_unknown": lambda service: replace(service, method="\ud83d\x00"),
    "schema_none": lambda service: replace(service, schema=None),  # type: ignore[arg-type]
    "limits_mad": lambda service: replace(service, limits=Limits(10**12, 10**12, 10**12, "b", 10**12, 10**12)),
    "budget_with_nul": lambda service: replace(service, limits=Limits(budget="a\x00", requests=1)),
    "budget_with_surrogate": lambda service: replace(service, limits=Limits(budget="\ud83d", requests=1)),
    "prefix_of_another": lambda service: _with_pattern(service, "^HON/"),
    "prefix_with_nul": lambda service: _with_pattern(service, "^LIAR/\x00"),
    "prefix_with_surrogate": lambda service: _with_pattern(service, "^LIAR/\ud83d"),
    "prefix_number": lambda service: _with_pattern(service, 10**6_000),
    "duration_mad": lambda service: _with_property(service, "duration", {"enum": ["PT9999H", "P9999M", "\x00"]}),
}
BAD_SERVICE_LISTS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "number": lambda: 5,
    "system_exit": lambda: _raise(SystemExit(0)),
    "generator_exit": lambda: _raise(GeneratorExit()),
    "surrogate": lambda: _raise(ValueError("\ud83d\x00")),
}


def _with_pattern(service: Service, pattern: Any) -> Service:
    return _with_property(service, "product_id", {"type": "string", "pattern": pattern})


def _with_property(service: Service, name: str, value: Any) -> Service:
    properties = {**service.schema["properties"], name: value}
    return replace(service, schema={**service.schema, "properties": properties})


def spoil_products(random: Random, products: Sequence[Product], told: list[str], hang: Callable[[], NoReturn]) -> Any:
    """Return the offer with some bad products in it, or something that is no offer, or nothing for long."""
    if random.random() < 0.3:
        name = random.choice(sorted([*BAD_LISTS, HANGS]))
        told.append(f"products {name}")
        return hang() if name == HANGS else BAD_LISTS[name](products)
    names = random.sample(sorted(BAD_PRODUCTS), random.randint(1, 3))
    told += [f"product {name}" for name in names]
    spoilt = [*products, *(BAD_PRODUCTS[name]() for name in names)]
    random.shuffle(spoilt)
    return spoilt


def spoil_services(random: Random, services: Sequence[Service], told: list[str], hang: Callable[[], NoReturn]) -> Any:
    """Return the services with a bad one among them, or something that is none, or nothing for long."""
    if random.random() < 0.3:
        name = random.choice(sorted([*BAD_SERVICE_LISTS, HANGS]))
        told.append(f"services {name}")
        return hang() if name == HANGS else BAD_SERVICE_LISTS[name]()
    name = random.choice(sorted(BAD_SERVICES))
    told.append(f"service {name}")
    spoilt = [*services, BAD_SERVICES[name](services[0])]
    random.shuffle(spoilt)
    return spoilt

"""Products and services of every bad kind that was ever seen to break something, by a name for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from series_pipelines.vendors.contract import Limits, Product, Reply, Request, Service


def explode(*_: object, **__: object) -> NoReturn:
    raise SystemExit(0)


class EvilText(str):
    __str__ = __repr__ = __format__ = __len__ = __getitem__ = startswith = isprintable = strip = explode


class HatedText(EvilText):
    __eq__ = explode
    __hash__ = explode


class Unspeakable:
    __str__ = __repr__ = __eq__ = __hash__ = __bool__ = __iter__ = explode


class EvilNumber(int):
    __str__ = __repr__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __hash__ = explode


class EvilSchema(Mapping[str, Any]):
    __getitem__ = __iter__ = __len__ = get = explode


class EvilProduct(Product):
    __slots__ = ()

    def __getattribute__(self, name: str) -> NoReturn:
        raise KeyboardInterrupt


class HalfEvilProduct(Product):
    __slots__ = ()

    @property
    def listed_ms(self) -> int:
        raise GeneratorExit

    @listed_ms.setter
    def listed_ms(self, value: object) -> None:
        pass


def make_bad_products(prefix: str) -> dict[str, Any]:
    """Return what is no good product, each but the nameless ones under an id of its own."""
    good = {name: Product(f"{prefix}{name}") for name in _BAD_FIELDS}
    changed = {name: replace(good[name], **fields) for name, fields in _BAD_FIELDS.items()}
    ids: dict[str, Any] = {
        "no id": None,
        "bytes": b"X/Y",
        "a number": 10**6000,
        "too long": prefix + "x" * 10_000,
        "longer than any": prefix + "x" * 20_000_000,
        "empty": "",
        "NUL": f"{prefix}a\0b",
        "surrogate": f"{prefix}a\ud83d",
        "escape": f"{prefix}\x1b[31mred",
        "dots": f"{prefix}a...b",
        "unspeakable": Unspeakable(),
        "hated": HatedText(f"{prefix}\0"),
    }
    strangers = {
        "None": None,
        "a text": "SIM/A",
        "a mapping": {"product_id": "SIM/A"},
        "a class": Product,
        "unspeakable itself": Unspeakable(),
        "attributes that raise": EvilProduct(f"{prefix}evil"),
        "an attribute that raises": HalfEvilProduct(f"{prefix}half"),
    }
    return changed | {name: Product(given) for name, given in ids.items()} | strangers


_BAD_FIELDS: dict[str, dict[str, Any]] = {
    "step-abc": {"price_step": "abc"},
    "step-nan": {"price_step": "NaN"},
    "step-infinite": {"volume_step": "Infinity"},
    "step-negative": {"volume_step": "-1"},
    "step-float": {"price_step": 0.1},
    "step-huge": {"value_scale": "1e999999"},
    "step-long": {"value_scale": "1" * 100_000},
    "listed-float": {"listed_ms": 1.5},
    "listed-text": {"listed_ms": "2026-01-01"},
    "listed-far": {"listed_ms": 10**18},
    "listed-farther": {"listed_ms": 10**6000},
    "listed-before": {"listed_ms": -62_135_596_800_001},
    "listed-flag": {"listed_ms": True},
    "listed-evil": {"listed_ms": EvilNumber(5)},
    "delisted-far": {"delisted_ms": 253_402_300_800_000},
    "name-nul": {"name": "a\0b"},
    "name-surrogate": {"name": "half \ud83d"},
    "name-none": {"name": None},
    "name-bytes": {"name": b"x"},
    "name-long": {"name": "x" * 1_000_000},
    "name-unspeakable": {"name": Unspeakable()},
    "market-escape": {"market_id": "\x1b]0;owned\x07"},
    "base-none": {"base_currency": None},
    "trading-text": {"trading": "no"},
    "rates-unspeakable": {"no_interest_rate": Unspeakable()},
}


def make_service(prefix: str, *, limits: Any = None, **changes: Any) -> Service:
    """Return a service of one-minute bars, with other properties where they are given."""
    properties = {
        "product_id": {"pattern": f"^{prefix}"},
        "duration": {"enum": ["PT1M"]},
        "direction": {"const": "backward"},
    }
    return Service("IngestOHLC", {"properties": properties | changes}, Limits() if limits is None else limits)


def endless() -> Iterator[str]:
    while True:
        yield "PT1M"


class EndlessList(list[str]):
    def __iter__(self) -> Iterator[str]:
        return endless()


def make_bad_services(prefix: str) -> dict[str, Any]:
    """Return what is no good service; some would be, were it not for one value."""
    far = 10**12
    limits: dict[str, Any] = {
        "concurrent": Limits(concurrent=far),
        "requests": Limits(requests=far),
        "window": Limits(requests=1, window_ms=far),
        "grace": Limits(grace_ms=far),
        "page": Limits(page_rows=far),
        "evil number": Limits(requests=EvilNumber(5)),
        "grid": Limits(on_grid=Unspeakable()),  # type: ignore[arg-type]
        "budget NUL": Limits(budget="a\0b"),
        "budget surrogate": Limits(budget="\ud83d"),
        "budget long": Limits(budget="x" * 100_000),
        "budget evil": Limits(budget=Unspeakable()),  # type: ignore[arg-type]
        "limits unspeakable": Unspeakable(),
    }
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"properties": deep}
    changes: dict[str, dict[str, Any]] = {
        "enum huge": {"duration": {"enum": [10**6000]}},
        "enum endless": {"duration": {"enum": EndlessList(["PT1M"])}},
        "enum many": {"duration": {"enum": [f"PT{minutes}M" for minutes in range(1, 9_999)]}},
        "enum evil": {"duration": {"enum": [HatedText("soon")]}},
        "prefix evil": {"product_id": {"pattern": Unspeakable()}},
        "prefix long": {"product_id": {"pattern": "^" + "x" * 3_000}},
        "prefix nul": {"product_id": {"pattern": "^\0"}},
        "direction evil": {"direction": {"const": Unspeakable()}},
        "properties that raise": {"product_id": EvilSchema()},
    }
    return {
        **{f"limits: {name}": make_service(prefix, limits=given) for name, given in limits.items()},
        **{name: make_service(prefix, **given) for name, given in changes.items()},
        "schema that raises": Service("IngestOHLC", EvilSchema()),
        "schema deep": Service("IngestOHLC", deep),
        "method evil": Service(Unspeakable(), {}),  # type: ignore[arg-type]
        "method hated": Service(HatedText("IngestOHLC"), {}),
        "None": None,
        "unspeakable": Unspeakable(),
    }


@dataclass
class HostileVendor:
    """Offers whatever it is given."""

    name: str = "hostile"
    offered: Any = ()
    served: Any = field(default_factory=list)

    def services(self) -> Any:
        return self.served() if callable(self.served) else self.served

    def products(self) -> Any:
        return self.offered() if callable(self.offered) else self.offered

    def fetch(self, request: Request) -> Reply:
        return Reply([], 0)

"""Makes the vendors that the configuration names; one that can't be loaded is refused by name and stops no other.

A plug-in's module may raise anything while it is imported, ask the process to exit, or never end: it is loaded in a
thread of its own, side by side with the others, with one deadline for all. What a vendor is called is read
there too, and only once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from series_pipelines.core.text import clean_text, name_type
from series_pipelines.errors import InvalidInput, UnknownVendor, VendorBroken, VendorError
from series_pipelines.vendors.asking import ask_all
from series_pipelines.vendors.contract import Product, Reply, Request, Service, Vendor
from series_pipelines.vendors.plain import explain, take_text

ENTRY_POINT_GROUP: Final = "series_pipelines.vendors"
LOAD_SECONDS: Final = 30.0
MOST_VENDORS: Final = 1_000
LONGEST_NAME: Final = 80

Result = TypeVar("Result")


class LoadedVendor:
    """A vendor under the name that it had when it was loaded; its own code is not asked for that again."""

    def __init__(self, name: str, vendor: Vendor) -> None:
        self.name = name
        self._vendor = vendor

    def services(self) -> Sequence[Service]:
        return self._vendor.services()

    def products(self) -> Sequence[Product]:
        return self._vendor.products()

    def fetch(self, request: Request) -> Reply:
        return self._vendor.fetch(request)

    @property
    def still_listed(self) -> Any:
        return getattr(self._vendor, "still_listed", None)


class Loaded(NamedTuple):
    """The vendors that could be made, and why others could not."""

    vendors: list[Vendor]
    refused: list[str]


def load_vendors(names: Sequence[str], options: Mapping[str, Mapping[str, Any]]) -> Loaded:
    """Make the vendors of each name: an entry point of `series_pipelines.vendors`, or `module:factory`.

    If none of them can be made there is nothing to go on with: that is an UnknownVendor.
    """
    loaded = Loaded([], [])
    taken: set[str] = set()
    answers = ask_all({name: partial(_make, name, options.get(name, {})) for name in names}, "loading", LOAD_SECONDS)
    for made in (answers[name] for name in names):
        if isinstance(made, VendorError):
            loaded.refused.append(clean_text(made))
            continue
        for vendor in made:
            if vendor.name in taken:
                loaded.refused.append(f"vendor {vendor.name!r} is configured twice")
                continue
            taken.add(vendor.name)
            loaded.vendors.append(vendor)
    if loaded.refused and not loaded.vendors:
        raise UnknownVendor("; ".join(loaded.refused))
    return loaded


def _make(name: str, options: Mapping[str, Any]) -> list[LoadedVendor]:
    factory = _try(f"vendor {name!r} can't be loaded", partial(_load_factory, name))
    made = _try(f"vendor {name!r} can't be made", lambda: list(islice(factory(options), MOST_VENDORS)))
    return [_try(f"vendor {name!r}", partial(_read_vendor, vendor)) for vendor in made]


def _try(what: str, step: Callable[[], Result]) -> Result:
    try:
        return step()
    except BaseException as error:  # it runs in a thread of its own
        raise VendorBroken(f"{what}: {explain(error)}") from None


def _load_factory(name: str) -> Callable[[Mapping[str, Any]], Iterable[Vendor]]:
    found = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    module, colon, attribute = name.partition(":")
    if name in found:
        factory = found[name].load()
    elif module and colon and attribute:
        factory = getattr(import_module(module), attribute)
    else:
        known = ", ".join(sorted(found)) or "none"
        raise UnknownVendor(f"no vendor {name!r}: known are {known}; or name one as module:factory")
    if not callable(factory):
        raise InvalidInput("it is not a function that makes vendors")
    return factory  # type: ignore[no-any-return]


def _read_vendor(vendor: Vendor) -> LoadedVendor:
    name = take_text(getattr(vendor, "name", None), f"the name of its {name_type(vendor)}", LONGEST_NAME)
    if not name:
        raise InvalidInput(f"it made a {name_type(vendor)} that has no name")
    for method in ("services", "products", "fetch"):
        if not callable(getattr(vendor, method, None)):
            raise InvalidInput(f"it made {name!r}, which has no {method}()")
    return LoadedVendor(name, vendor)

"""What can be fetched: vendors found by name, and the capabilities read from their services' JSON schemas.

A service that can't be read is refused by name and never stops the others. Services come and go at runtime, so
`Registry.read` asks every vendor again and keeps nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final
from urllib.parse import quote

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.series import TableName
from series_pipelines.errors import (
    InvalidDuration,
    InvalidInput,
    MalformedService,
    UnknownVendor,
)
from series_pipelines.vendors.contract import INGEST_INTEREST_RATE, INGEST_OHLC, Limits, Service, Vendor

ENTRY_POINT_GROUP: Final = "series_pipelines.vendors"
DIRECTIONS: Final = ("backward", "forward")
TABLE_OF_METHOD: Final[Mapping[str, TableName]] = {
    INGEST_OHLC: "ohlc_v2",
    INGEST_INTEREST_RATE: "interest_rate",
}
LONGEST_REASON: Final = 300

_REGEX_META: Final = frozenset(".^$*+?{}[]|()")
_OPEN_ENDS: Final = (".*$", ".+$", ".*", ".+")


@dataclass(frozen=True, slots=True)
class Capability:
    """What one vendor service can do. `cap_key` stays the same when the durations change."""

    cap_key: str
    vendor: str
    method: str
    table_name: TableName
    product_prefix: str
    durations: tuple[str, ...]
    direction: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All capabilities at one moment, who serves each, which vendors did not answer, and what was refused why."""

    capabilities: dict[str, Capability]
    vendor_of: dict[str, Vendor]
    refused: tuple[str, ...]
    silent: frozenset[str] = frozenset()


class Registry:
    """The configured vendors."""

    def __init__(self, vendors: Sequence[Vendor]) -> None:
        self._vendors = tuple(vendors)

    @property
    def vendors(self) -> tuple[Vendor, ...]:
        return self._vendors

    def read(self) -> Catalogue:
        """Ask every vendor for its services now."""
        capabilities: dict[str, Capability] = {}
        vendor_of: dict[str, Vendor] = {}
        refused: list[str] = []
        silent: set[str] = set()
        for vendor in self._vendors:
            try:
                services = list(vendor.services())
            except Exception as error:  # whatever a vendor does wrong must not stop the others
                refused.append(f"vendor {vendor.name!r}: services() failed: {_one_line(error)}")
                silent.add(vendor.name)
                continue
            for service in services:
                try:
                    capability = parse_service(vendor.name, service)
                    _check_is_new(capability, capabilities)
                except MalformedService as error:
                    refused.append(str(error))
                    continue
                capabilities[capability.cap_key] = capability
                vendor_of[capability.cap_key] = vendor
        return Catalogue(capabilities, vendor_of, tuple(refused), frozenset(silent))


def format_cap_key(method: str, prefix: str, direction: str) -> str:
    """Return `method/prefix/direction` with each part percent-escaped."""
    return "/".join(quote(part, safe="") for part in (method, prefix, direction))


def parse_service(vendor_name: str, service: Service) -> Capability:
    """Read a capability from a service's request schema, or say by name what is wrong with it."""
    method = getattr(service, "method", None)
    try:
        if not isinstance(service, Service):
            raise MalformedService(f"expected a Service, not {type(service).__name__}")
        if not isinstance(method, str) or method not in TABLE_OF_METHOD:
            raise MalformedService(f"the method must be {' or '.join(TABLE_OF_METHOD)}")
        properties = _mapping(_mapping(service.schema, "the schema").get("properties"), "properties")
        durations = _parse_durations(properties) if method == INGEST_OHLC else ()
        _check_required(service.schema, method)
        prefix = _parse_prefix(_mapping(properties.get("product_id"), "properties.product_id").get("pattern"))
        direction = _mapping(properties.get("direction"), "properties.direction").get("const")
        if direction not in DIRECTIONS:
            raise MalformedService(f"direction.const must be backward or forward, not {direction!r}")
        _check_limits(service.limits)
    except MalformedService as error:
        raise MalformedService(f"vendor {vendor_name!r}, service {method!r}: {_one_line(error)}") from error
    return Capability(
        cap_key=format_cap_key(method, prefix, direction),
        vendor=vendor_name,
        method=method,
        table_name=TABLE_OF_METHOD[method],
        product_prefix=prefix,
        durations=durations,
        direction=direction,
        limits=service.limits,
    )


def load_vendors(names: Sequence[str], options: Mapping[str, Mapping[str, Any]]) -> list[Vendor]:
    """Make the vendors of each name: an entry point of `series_pipelines.vendors`, or `module:factory`."""
    vendors: list[Vendor] = []
    for name in names:
        factory = _load_factory(name)
        try:
            made = list(factory(options.get(name, {})))
        except Exception as error:
            raise UnknownVendor(f"vendor {name!r} can't be made: {_one_line(error)}") from error
        for vendor in made:
            _check_vendor(name, vendor)
            if any(vendor.name == other.name for other in vendors):
                raise InvalidInput(f"vendor {vendor.name!r} is configured twice")
            vendors.append(vendor)
    return vendors


def _load_factory(name: str) -> Callable[[Mapping[str, Any]], Iterable[Vendor]]:
    found = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    module, colon, attribute = name.partition(":")
    try:
        if name in found:
            factory = found[name].load()
        elif module and colon and attribute:
            factory = getattr(import_module(module), attribute)
        else:
            known = ", ".join(sorted(found)) or "none"
            raise UnknownVendor(f"no vendor {name!r}: known are {known}; or name one as module:factory")
    except (ImportError, AttributeError) as error:
        raise UnknownVendor(f"vendor {name!r} can't be loaded: {_one_line(error)}") from error
    if not callable(factory):
        raise UnknownVendor(f"vendor {name!r} is not a function that makes vendors")
    return factory  # type: ignore[no-any-return]


def _check_vendor(name: str, vendor: Vendor) -> None:
    methods = ("services", "products", "fetch")
    if not isinstance(getattr(vendor, "name", None), str) or not vendor.name:
        raise UnknownVendor(f"vendor {name!r} made a {type(vendor).__name__} that has no name")
    missing = [method for method in methods if not callable(getattr(vendor, method, None))]
    if missing:
        raise UnknownVendor(f"vendor {name!r} made {vendor.name!r}, which has no {missing[0]}()")


def _check_is_new(capability: Capability, capabilities: Mapping[str, Capability]) -> None:
    if (first := capabilities.get(capability.cap_key)) is not None:
        raise MalformedService(
            f"vendor {capability.vendor!r}, service {capability.method!r}: "
            f"{capability.cap_key} is already served by vendor {first.vendor!r}"
        )


def _parse_prefix(pattern: object) -> str:
    if not isinstance(pattern, str) or not pattern.startswith("^"):
        raise MalformedService(f"product_id.pattern must be a text that starts with ^, not {pattern!r}")
    body = pattern[1:]
    for end in _OPEN_ENDS:
        if body.endswith(end) and not body.endswith("\\" + end):
            body = body.removesuffix(end)
            break
    prefix = _unescape(body, pattern)
    if not prefix or not _is_clean(prefix):
        raise MalformedService(f"product_id.pattern {pattern!r} names no usable prefix")
    return prefix


def _unescape(body: str, pattern: str) -> str:
    literal: list[str] = []
    chars = iter(body)
    for char in chars:
        if char == "\\":
            char = next(chars, "")
            if not char or char.isalnum():
                raise MalformedService(f"product_id.pattern {pattern!r} is more than a prefix: \\{char}")
        elif char in _REGEX_META:
            raise MalformedService(f"product_id.pattern {pattern!r} is more than a prefix: {char}")
        literal.append(char)
    return "".join(literal)


def _parse_durations(properties: Mapping[str, Any]) -> tuple[str, ...]:
    enum = _mapping(properties.get("duration"), "properties.duration").get("enum")
    if not isinstance(enum, Sequence) or isinstance(enum, str) or not enum:
        raise MalformedService(f"duration.enum must be a list of durations, not {enum!r}")
    texts: dict[str, None] = {}
    for text in enum:
        if not isinstance(text, str):
            raise MalformedService(f"duration.enum holds {text!r}, which is not a text")
        try:
            texts[parse_duration(text).text] = None
        except InvalidDuration as error:
            raise MalformedService(f"duration.enum: {error}") from error
    return tuple(texts)


def _check_required(schema: Mapping[str, Any], method: str) -> None:
    required = schema.get("required", ())
    if not isinstance(required, Sequence) or isinstance(required, str):
        raise MalformedService(f"required must be a list, not {required!r}")
    carried = ("product_id", "direction", "time", *(("duration",) if method == INGEST_OHLC else ()))
    for name in required:
        if name not in carried:
            raise MalformedService(f"it requires {name!r}, which a request does not carry")


def _check_limits(limits: Limits) -> None:
    if not isinstance(limits, Limits):
        raise MalformedService(f"limits must be Limits, not {type(limits).__name__}")
    least = {"concurrent": 1, "requests": 1, "window_ms": 1, "grace_ms": 0, "page_rows": 2}
    for name, minimum in least.items():
        value = getattr(limits, name)
        if value is None and name in ("requests", "page_rows"):
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
            raise MalformedService(f"limits.{name} must be a whole number of at least {minimum}, not {value!r}")
    if limits.budget is not None and (not isinstance(limits.budget, str) or not limits.budget):
        raise MalformedService(f"limits.budget must be a name, not {limits.budget!r}")


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise MalformedService(f"{what} must be an object, not {value!r}")
    return value


def _is_clean(prefix: str) -> bool:
    return prefix.isprintable()


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST_REASON else text[:LONGEST_REASON] + "…"

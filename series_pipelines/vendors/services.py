"""Reads capabilities from the JSON schemas of a vendor's services. One that can't be read is refused by name."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from series_pipelines.core.duration import DAY_MS, parse_duration
from series_pipelines.core.tables import SeriesTable, find_table_of, list_methods
from series_pipelines.core.text import show_value
from series_pipelines.errors import InvalidDuration, InvalidInput, MalformedService, VendorBroken
from series_pipelines.vendors.contract import Limits, Service, Vendor
from series_pipelines.vendors.plain import explain, take_flag, take_text, take_whole
from series_pipelines.vendors.refusals import Refusals

DIRECTIONS: Final = ("backward", "forward")
MOST_SERVICES: Final = 1_000
MOST_DURATIONS: Final = 100
LONGEST_PATTERN: Final = 5_000
LONGEST_CAP_KEY: Final = 1_000
"""The key of a capability is indexed in Postgres, which refuses keys that are much longer."""

_REGEX_META: Final = frozenset(".^$*+?{}[]|()")
_OPEN_ENDS: Final = (".*$", ".+$", ".*", ".+")
_BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "concurrent": (1, 256),
    "requests": (1, 1_000_000),
    "window_ms": (1, DAY_MS),
    "grace_ms": (0, DAY_MS),
    "page_rows": (2, 1_000_000),
}
_MAY_BE_NONE: Final = ("requests", "page_rows")


@dataclass(frozen=True, slots=True)
class Capability:
    """What one vendor service can do. `cap_key` stays the same when the durations change."""

    cap_key: str
    vendor: str
    method: str
    table_name: str
    product_prefix: str
    durations: tuple[str, ...]
    direction: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class Services:
    """What could be read of one vendor's services, and what was refused why.

    Unless it is whole, a capability that seems to be missing may be in a service that can't be read.
    """

    capabilities: tuple[Capability, ...]
    refused: tuple[str, ...]
    is_whole: bool


def read_services(name: str, vendor: Vendor) -> Services:
    """Ask a vendor for its services and read each; raise a VendorError when it does not say."""
    capabilities: dict[str, Capability] = {}
    refusals = Refusals(name, "services")
    is_whole = True
    try:
        for number, service in enumerate(vendor.services()):
            if number >= MOST_SERVICES:
                raise InvalidInput(f"it offers more than {MOST_SERVICES}")
            try:
                capability = parse_service(name, service)
            except MalformedService as error:
                refusals.add(str(error))
                is_whole = False
                continue
            if capability.cap_key in capabilities:
                refusals.add(f"vendor {name!r}, service {capability.method!r}: {capability.cap_key} is offered twice")
                continue
            capabilities[capability.cap_key] = capability
    except BaseException as error:  # it runs in a thread of its own, and whatever the vendor raises is its answer
        raise VendorBroken(f"vendor {name!r}: services() failed: {explain(error)}") from None
    return Services(tuple(capabilities.values()), refusals.tell(), is_whole)


def format_cap_key(method: str, prefix: str, direction: str) -> str:
    """Return `method/prefix/direction` with each part percent-escaped."""
    return "/".join(quote(part, safe="") for part in (method, prefix, direction))


def parse_service(vendor_name: str, service: Service) -> Capability:
    """Read a capability from a service's request schema, or say by name what is wrong with it."""
    shown = "?"
    try:
        if not isinstance(service, Service):
            raise MalformedService(f"expected a Service, not {type(service).__name__}")
        shown = show_value(service.method)
        table = find_table_of(_choose(service.method, "the method", list_methods()))
        properties = _mapping(_mapping(service.schema, "the schema").get("properties"), "properties")
        durations = _parse_durations(properties) if table.has_durations else ()
        _check_required(service.schema, table)
        prefix = _parse_prefix(_mapping(properties.get("product_id"), "properties.product_id").get("pattern"))
        stated = _mapping(properties.get("direction"), "properties.direction").get("const")
        direction = _choose(stated, "direction.const", DIRECTIONS)
        limits = _parse_limits(service.limits)
        cap_key = format_cap_key(table.method, prefix, direction)
        if len(cap_key) > LONGEST_CAP_KEY:
            raise MalformedService("the prefix in product_id.pattern is too long")
    except BaseException as error:  # a schema may be of a class whose methods raise anything
        raise MalformedService(f"vendor {vendor_name!r}, service {shown}: {explain(error)}") from error
    return Capability(
        cap_key=cap_key,
        vendor=vendor_name,
        method=table.method,
        table_name=table.name,
        product_prefix=prefix,
        durations=durations,
        direction=direction,
        limits=limits,
    )


def _choose(value: object, what: str, choices: Collection[str]) -> str:
    if not isinstance(value, str) or (text := take_text(value, what)) not in choices:
        raise MalformedService(f"{what} must be {' or '.join(choices)}, not {show_value(value)}")
    return text


def _parse_prefix(pattern: object) -> str:
    pattern = take_text(pattern, "product_id.pattern", LONGEST_PATTERN)
    if not pattern.startswith("^"):
        raise MalformedService(f"product_id.pattern must be a text that starts with ^, not {show_value(pattern)}")
    body = pattern[1:]
    for end in _OPEN_ENDS:
        if body.endswith(end) and not body.endswith("\\" + end):
            body = body.removesuffix(end)
            break
    prefix = _unescape(body, pattern)
    if not prefix:
        raise MalformedService(f"product_id.pattern {pattern!r} names no usable prefix")
    return prefix


def _unescape(body: str, pattern: str) -> str:
    literal: list[str] = []
    chars = iter(body)
    for char in chars:
        if char == "\\":
            char = next(chars, "")
            if not char or char.isalnum():
                raise MalformedService(f"product_id.pattern {show_value(pattern)} is more than a prefix: \\{char}")
        elif char in _REGEX_META:
            raise MalformedService(f"product_id.pattern {show_value(pattern)} is more than a prefix: {char}")
        literal.append(char)
    return "".join(literal)


def _parse_durations(properties: Mapping[str, Any]) -> tuple[str, ...]:
    enum = _mapping(properties.get("duration"), "properties.duration").get("enum")
    if not isinstance(enum, Sequence) or isinstance(enum, str) or not enum:
        raise MalformedService(f"duration.enum must be a list of durations, not {show_value(enum)}")
    texts: dict[str, None] = {}
    for number, value in enumerate(enum):
        if number >= MOST_DURATIONS:
            raise MalformedService(f"duration.enum holds more than {MOST_DURATIONS}")
        text = take_text(value, "what duration.enum holds")
        try:
            texts[parse_duration(text).text] = None
        except InvalidDuration as error:
            raise MalformedService(f"duration.enum: {error}") from error
    return tuple(texts)


def _check_required(schema: Mapping[str, Any], table: SeriesTable) -> None:
    required = schema.get("required", ())
    if not isinstance(required, Sequence) or isinstance(required, str):
        raise MalformedService(f"required must be a list, not {show_value(required)}")
    carried = ("product_id", "direction", "time", *(("duration",) if table.has_durations else ()))
    for number, value in enumerate(required):
        if number >= MOST_DURATIONS or not isinstance(value, str) or take_text(value, "required") not in carried:
            raise MalformedService(f"it requires {show_value(value)}, which a request does not carry")


def _parse_limits(limits: object) -> Limits:
    if not isinstance(limits, Limits):
        raise MalformedService(f"limits must be Limits, not {type(limits).__name__}")
    plain: dict[str, Any] = {}
    for name, (least, most) in _BOUNDS.items():
        value = getattr(limits, name)
        if value is not None or name not in _MAY_BE_NONE:
            plain[name] = take_whole(value, f"limits.{name}", least, most)
    budget = limits.budget
    if budget is not None:
        budget = take_text(budget, "limits.budget")
        if not budget:
            raise MalformedService("limits.budget must be a name, not an empty text")
    return Limits(**plain, budget=budget, on_grid=take_flag(limits.on_grid, "limits.on_grid"))


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise MalformedService(f"{what} must be an object, not {show_value(value)}")
    return value

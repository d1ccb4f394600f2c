"""What the instances of a remote vendor offer together: one service for each capability, whoever serves it.

Durations add up, and so do the limits of instances that have their own. A budget that has a name is one budget
however many instances spend it, so they must agree on its name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from series_pipelines.core.tables import TABLES
from series_pipelines.errors import MalformedService
from series_pipelines.vendors.contract import Limits, Request, Service
from series_pipelines.vendors.remote.wire import LIST_PRODUCTS, MOST_CONCURRENT, UnreadableSchema
from series_pipelines.vendors.services import Capability, parse_service


@dataclass(frozen=True, slots=True)
class RemoteCapability:
    """One capability at one address."""

    address: str
    capability: Capability

    def serves(self, request: Request) -> bool:
        """Whether it can give the page, not looking at its duration."""
        known = self.capability
        same = (known.method, known.direction) == (request.method, request.direction)
        return same and request.product_id.startswith(known.product_prefix)

    def has_duration(self, request: Request) -> bool:
        """Whether it has bars of the asked duration; rates have none."""
        return request.duration is None or request.duration in self.capability.durations


@dataclass(frozen=True, slots=True)
class Instance:
    """What one address answered: its offers, what of it can't be read, and whether it lists products."""

    offers: tuple[RemoteCapability, ...]
    unreadable: tuple[Service, ...] = ()
    lists_products: bool = False


@dataclass(frozen=True, slots=True)
class Together:
    """What several instances offer together, and which offers count."""

    services: list[Service]
    offers: list[RemoteCapability]


def read_instance(vendor: str, address: str, services: Sequence[Service]) -> Instance:
    """Read what one instance offers; what can't be read is kept, to be refused by name."""
    offers: dict[str, RemoteCapability] = {}
    unreadable: list[Service] = []
    for service in services:
        if service.method == LIST_PRODUCTS and not isinstance(service.schema, UnreadableSchema):
            continue
        try:
            capability = parse_service(vendor, service)
            if capability.cap_key in offers:
                raise MalformedService(f"it offers {capability.cap_key} twice")
        except MalformedService as error:
            unreadable.append(_refuse(service.method, address, error.__cause__ or error))
            continue
        offers[capability.cap_key] = RemoteCapability(address, capability)
    lists_products = any(service.method == LIST_PRODUCTS for service in services)
    return Instance(tuple(offers.values()), tuple(unreadable), lists_products)


def put_together(instances: Sequence[Instance]) -> Together:
    """Join the offers of several instances; the first one's budget stands, and one that names another is refused."""
    services = [service for instance in instances for service in instance.unreadable]
    agreed: dict[str, list[RemoteCapability]] = {}
    for offer in (offer for instance in instances for offer in instance.offers):
        known = agreed.setdefault(offer.capability.cap_key, [])
        if known and known[0].capability.limits.budget != offer.capability.limits.budget:
            reason = f"its budget is {offer.capability.limits.budget!r}, but that of {known[0].address} is "
            reason += f"{known[0].capability.limits.budget!r}: instances must name the same budget, or none"
            services.append(_refuse(offer.capability.method, offer.address, reason))
            continue
        known.append(offer)
    services.extend(_join([offer.capability for offer in offers]) for offers in agreed.values())
    return Together(services, [offer for offers in agreed.values() for offer in offers])


def join_limits(limits: Sequence[Limits]) -> Limits:
    """Return what instances bear together: their own limits add up, a named budget stays what its strictest says."""
    stated = [each for each in limits if each.requests is not None]
    joined = replace(
        min(stated or limits, key=lambda each: (each.requests or 0) / each.window_ms),
        concurrent=min(MOST_CONCURRENT, sum(each.concurrent for each in limits)),
        grace_ms=max(each.grace_ms for each in limits),
        page_rows=min((each.page_rows for each in limits if each.page_rows is not None), default=None),
        on_grid=all(each.on_grid for each in limits),
    )
    # Rates over different windows have no sum that both would bear, so the slowest one stands for all.
    if joined.budget is None and stated and len({each.window_ms for each in stated}) == 1:
        return replace(joined, requests=sum(each.requests or 0 for each in stated))
    return joined


def _join(capabilities: Sequence[Capability]) -> Service:
    first = capabilities[0]
    properties: dict[str, object] = {
        "product_id": {"type": "string", "pattern": "^" + re.escape(first.product_prefix)},
        "direction": {"const": first.direction},
        "time": {"type": "integer"},
    }
    if TABLES[first.table_name].has_durations:
        durations = dict.fromkeys(duration for each in capabilities for duration in each.durations)
        properties["duration"] = {"enum": list(durations)}
    return Service(first.method, {"properties": properties}, join_limits([each.limits for each in capabilities]))


def _refuse(method: str, address: str, reason: object) -> Service:
    return Service(method, UnreadableSchema(f"{address}: {reason}"))

"""The vendors: what each serves, and whether it works."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

from series_pipelines.actions.answers import Json
from series_pipelines.core.clock import Clock
from series_pipelines.errors import UnknownVendor
from series_pipelines.ingest.proving.vendor_check import Trial, check_vendor
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.registry import Catalogue, Registry
from series_pipelines.vendors.services import Capability


def list_capabilities(catalogue: Catalogue) -> list[Capability]:
    """Return what vendors serve, by vendor."""
    return sorted(catalogue.capabilities.values(), key=lambda known: (known.vendor, known.cap_key))


def check_vendors(
    registry: Registry, names: Sequence[str], clock: Clock, connect: Callable[[], Connection] | None
) -> Iterator[Trial]:
    """Try all that some vendors offer, or all vendors; `connect` gives a connection for shared turns."""
    configured = registry.by_name
    for name in names:
        if name not in configured:
            reasons = "".join(f"; {refusal}" for refusal in registry.refused)
            raise UnknownVendor(f"no vendor {name!r}: configured are {', '.join(configured) or 'none'}{reasons}")
    for name in names or configured:
        yield from check_vendor(configured[name], clock, connect)


def describe_capability(capability: Capability) -> Json:
    """Return a capability as JSON."""
    return asdict(capability)


def describe_trial(finding: Trial) -> Json:
    """Return what was tried of a vendor as JSON."""
    return asdict(finding)

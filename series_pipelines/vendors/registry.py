"""What can be fetched: the configured vendors, and the capabilities read from their services' JSON schemas.

A service that can't be read is refused by name and never stops the others; a vendor that does not answer in time
never keeps the others waiting for longer than that. Services come and go at runtime, so they are asked for again and
again and nothing is kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from series_pipelines.core.text import clean_text
from series_pipelines.errors import VendorError
from series_pipelines.vendors.asking import ask_all
from series_pipelines.vendors.contract import Vendor
from series_pipelines.vendors.plain import take_text
from series_pipelines.vendors.services import Capability, Services, read_services

LOOK_SECONDS: Final = 30.0
"""How long a vendor may take to say what it offers: a sensor that follows all of them has a minute."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All capabilities at one moment, who serves each, which vendors did not answer, and what was refused why."""

    capabilities: dict[str, Capability]
    vendor_of: dict[str, Vendor]
    refused: tuple[str, ...]
    silent: frozenset[str] = frozenset()


class Registry:
    """The configured vendors, and why others that are configured could not be loaded."""

    def __init__(self, vendors: Sequence[Vendor], refused: Sequence[str] = ()) -> None:
        # A name is taken once: it is the vendor's own code that gives it.
        self.by_name: Final[Mapping[str, Vendor]] = {
            take_text(vendor.name, "a vendor's name"): vendor for vendor in vendors
        }
        self.refused: Final = tuple(refused)

    @property
    def vendors(self) -> tuple[Vendor, ...]:
        return tuple(self.by_name.values())

    def read(self) -> Catalogue:
        """Ask every vendor for its services now, side by side."""
        return self.join(self._ask(self.by_name), {})

    def read_of(self, held: Mapping[str, str]) -> Catalogue:
        """Ask only the vendors that have these capabilities, given with their vendor's name; nobody else."""
        names = dict.fromkeys(held.values())
        strangers = [f"vendor {name!r} is not configured" for name in names if name not in self.by_name]
        found = self.join(self._ask([name for name in names if name in self.by_name]), held)
        mine = {key: each for key, each in found.capabilities.items() if held.get(key) == each.vendor}
        vendor_of = {key: found.vendor_of[key] for key in mine}
        return Catalogue(mine, vendor_of, (*strangers, *found.refused), found.silent)

    def join(self, answers: Mapping[str, Services | VendorError], held: Mapping[str, str]) -> Catalogue:
        """Put together what vendors serve. Who holds a capability keeps it, also while it is silent, until it offers
        it no more; of others the first that is configured gets it.
        """
        capabilities: dict[str, Capability] = {}
        refused = list(self.refused)
        silent = {name for name, answer in answers.items() if isinstance(answer, VendorError)}
        offered = {
            name: {each.cap_key for each in answer.capabilities}
            for name, answer in answers.items()
            if isinstance(answer, Services)
        }
        for name, answer in answers.items():
            if isinstance(answer, VendorError):
                refused.append(clean_text(answer))
                continue
            refused += answer.refused
            for capability in answer.capabilities:
                key = capability.cap_key
                holder = held.get(key, name)
                if key in capabilities:
                    why = f"is already served by vendor {capabilities[key].vendor!r}"
                elif holder != name and (holder in silent or key in offered.get(holder, ())):
                    why = f"belongs to vendor {holder!r}" + (", which does not answer" if holder in silent else "")
                else:
                    capabilities[key] = capability
                    continue
                refused.append(f"vendor {name!r}, service {capability.method!r}: {key} {why}")
        vendor_of = {key: self.by_name[capability.vendor] for key, capability in capabilities.items()}
        return Catalogue(capabilities, vendor_of, tuple(refused), frozenset(silent))

    def _ask(self, names: Iterable[str]) -> dict[str, Services | VendorError]:
        calls = {name: partial(read_services, name, self.by_name[name]) for name in names}
        return ask_all(calls, "services()", LOOK_SECONDS)

"""Vendors in other processes, spoken to by HTTP; docs/REMOTE_VENDORS.md is the contract.

Each vendor has one or more instances. Those that offer the same capability share its requests; one that fails is set
aside for a while and another one is asked within the same fetch. While an instance is silent, what it offers is not
known: then `products()` fails, so that nothing of the vendor is retired or delisted, and what the others offer goes
on.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from series_pipelines.errors import (
    InvalidInput,
    PageRefused,
    VendorBackoff,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorUnavailable,
)
from series_pipelines.vendors.config import RemoteConfig
from series_pipelines.vendors.contract import Product, Reply, Request, Service
from series_pipelines.vendors.remote.offers import Instance, RemoteCapability, put_together, read_instance
from series_pipelines.vendors.remote.rotation import Rotation
from series_pipelines.vendors.remote.wire import LIST_PRODUCTS, find_error, parse_page, parse_products, parse_services

if TYPE_CHECKING:
    from series_pipelines.vendors.remote.transport import HttpTransport

# A sensor that follows the vendors has a minute for all of them.
LOOK_SECONDS: Final = 10.0
LOOK_AGAIN_MS: Final = 30_000
MOST_LOOKERS: Final = 16

_Found = TypeVar("_Found")


class HttpVendor:
    """One remote vendor. It may be used by several threads."""

    def __init__(
        self, name: str, config: RemoteConfig, clock: Callable[[], int], secrets: Callable[[str], str | None]
    ) -> None:
        self.name = name
        self._addresses = tuple(dict.fromkeys(_check_address(name, url) for url in config.urls))
        self._token_env = config.token_env
        self._timeout_seconds = config.timeout_seconds
        self._clock = clock
        self._secrets = secrets
        self._instances: dict[str, Instance] = {}
        self._silent: dict[str, VendorError] = {}
        self._offers: list[RemoteCapability] = []
        self._looked_ms: int | None = None
        self._is_fresh = False
        self._rotation = Rotation()
        self._lock = threading.Lock()

    def services(self) -> list[Service]:
        """Return what the instances that answer serve together; fail if none answers."""
        self._look()
        self._is_fresh = True
        with self._lock:
            answered = [known for address, known in self._instances.items() if address not in self._silent]
        if not answered:
            raise VendorUnavailable(f"no instance answers: {_describe(self._silent)}")
        return put_together(answered).services

    def products(self) -> list[Product]:
        """Return every product of all instances; fail if one of them is silent, for it may have more."""
        # Judged by the same look as the services before: an instance that came back in between must not make it
        # seem that all have answered, and so retire what only that one offers.
        if not self._is_fresh:
            self._look()
        self._is_fresh = False
        with self._lock:
            silent = dict(self._silent)
            listing = [address for address, known in self._instances.items() if known.lists_products]
        found = {} if silent else self._ask_each(listing, self._ask_products)
        silent |= {address: got for address, got in found.items() if isinstance(got, VendorError)}
        if silent:
            raise VendorUnavailable(
                f"{len(silent)} of {len(self._addresses)} instances are silent, so nothing of {self.name} changes "
                f"until they answer or are taken out of vendors.toml: {_describe(silent)}"
            )
        if not listing:
            raise VendorUnavailable(
                f"no instance of {self.name} offers {LIST_PRODUCTS}: one without products of its own lists none"
            )
        products: dict[str, Product] = {}
        for listed in found.values():
            for product in [] if isinstance(listed, VendorError) else listed:
                products.setdefault(product.product_id, product)
        return list(products.values())

    def fetch(self, request: Request) -> Reply:
        """Fetch one page from the instance whose turn it is, or from another one if that fails."""
        offers = self._find_offers(request)
        refusal: PageRefused | None = None
        left = list(offers)
        while (offer := self._rotation.take(left, self._clock())) is not None:
            left.remove(offer)
            try:
                reply = self._ask_page(offer.address, request)
            except VendorBackoff as error:
                # Who answers 429 for a budget that all of them share speaks for all of them.
                is_shared = isinstance(error, VendorBusy) and offer.capability.limits.budget is not None
                self._rotation.set_aside(offers if is_shared else [offer], error, self._clock())
                if is_shared:
                    break
            except PageRefused as error:
                refusal = error
            except VendorRejected:
                self._rotation.forgive(offer)
                raise
            else:
                self._rotation.forgive(offer)
                return reply
        keys = {offer.capability.cap_key for offer in offers}
        others = [each for each in self._offers if each.capability.cap_key in keys and each not in offers]
        raise refusal or self._rotation.explain(offers, others, self._clock())

    def close(self) -> None:
        """Close all connections; they open again when they are needed."""
        if "_transport" in self.__dict__:
            self._transport.close()

    @cached_property
    def _transport(self) -> "HttpTransport":
        from series_pipelines.vendors.remote.transport import HttpTransport

        return HttpTransport(len(self._addresses))

    def _look(self) -> None:
        found = self._ask_each(self._addresses, self._ask_services)
        with self._lock:
            self._silent = {address: got for address, got in found.items() if isinstance(got, VendorError)}
            # What a silent instance offered before is still tried: it may be back sooner than it is looked at again.
            known = self._instances | {key: got for key, got in found.items() if isinstance(got, Instance)}
            self._instances = {address: known[address] for address in self._addresses if address in known}
            self._offers = put_together(list(self._instances.values())).offers
            self._looked_ms = self._clock()

    def _ask_each(self, addresses: Sequence[str], ask: Callable[[str], _Found]) -> dict[str, _Found | VendorError]:
        def try_one(address: str) -> _Found | VendorError:
            try:
                return ask(address)
            except VendorError as error:
                return error

        if len(addresses) < 2:
            return {address: try_one(address) for address in addresses}
        with ThreadPoolExecutor(min(MOST_LOOKERS, len(addresses)), f"look-{self.name}") as pool:
            return dict(zip(addresses, pool.map(try_one, addresses), strict=True))

    def _ask_services(self, address: str) -> Instance:
        with self._naming(address):
            services = parse_services(self._ask(address, "GET", "/services", None, LOOK_SECONDS))
        return read_instance(self.name, address, services)

    def _ask_products(self, address: str) -> list[Product]:
        with self._naming(address):
            return parse_products(self._ask(address, "POST", "/request", {"method": LIST_PRODUCTS}, LOOK_SECONDS))

    def _ask_page(self, address: str, request: Request) -> Reply:
        wanted = {"method": request.method, "params": request.as_json()}
        with self._naming(address):
            body = self._ask(address, "POST", "/request", wanted, self._timeout_seconds)
            return parse_page(body, request.method)

    def _ask(self, address: str, method: str, path: str, body: Mapping[str, Any] | None, seconds: float) -> bytes:
        sent = None if body is None else json.dumps(body).encode()
        seconds = min(seconds, self._timeout_seconds)
        token = self._read_token()
        answer = self._transport.ask(method, address + path, sent, token, seconds)
        if answer.status != 200 and token is not None:
            answer = replace(answer, body=answer.body.replace(token.encode(), b"***"))
        error = find_error(answer, self._clock())
        if error is not None:
            raise error
        return answer.body

    def _read_token(self) -> str | None:
        if self._token_env is None:
            return None
        token = (self._secrets(self._token_env) or "").strip()
        if not token:
            raise VendorUnavailable(f"the variable {self._token_env} is not set: it must hold the token")
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise VendorUnavailable(f"the token in {self._token_env} has a character that a header can't hold")
        return token

    @contextmanager
    def _naming(self, address: str) -> Iterator[None]:
        """Put the address into every error, and take our token out, which a peer may have sent back to us."""
        try:
            yield
        except VendorError as error:
            token = (self._secrets(self._token_env) or "").strip() if self._token_env else ""
            text = f"{address}: {str(error).replace(token, '***') if token else error}"
            if isinstance(error, VendorBackoff):
                raise type(error)(text, error.retry_after_ms) from error.__cause__
            raise type(error)(text) from error.__cause__

    def _find_offers(self, request: Request) -> list[RemoteCapability]:
        offers = self._match(request)
        if not offers and (self._looked_ms is None or self._clock() - self._looked_ms >= LOOK_AGAIN_MS):
            self._look()
            offers = self._match(request)
        if offers:
            return offers
        asked = f"{request.method} {request.direction} for {request.product_id!r}"
        silent = f"; silent: {_describe(self._silent)}" if self._silent else ""
        if any(offer.serves(request) for offer in self._offers):
            raise VendorRejected(f"no instance of {self.name} offers {request.duration} in {asked}{silent}")
        if self._silent:
            raise VendorUnavailable(f"no instance of {self.name} that answers offers {asked}{silent}")
        raise VendorRejected(f"no instance of {self.name} offers {asked}")

    def _match(self, request: Request) -> list[RemoteCapability]:
        found = [offer for offer in self._offers if offer.serves(request) and offer.has_duration(request)]
        longest = max((len(offer.capability.product_prefix) for offer in found), default=0)
        return [offer for offer in found if len(offer.capability.product_prefix) == longest]


def create(options: Mapping[str, Any]) -> list[HttpVendor]:
    """Make a vendor of each entry of `remote`; its name is its key in vendors.toml."""
    known = ("remote", "clock", "secrets")
    unknown, missing = sorted(set(options) - set(known)), [name for name in known if name not in options]
    if unknown or missing:
        raise InvalidInput(f"remote vendors need the options {', '.join(known)}, not {', '.join(options) or 'none'}")
    remote: Mapping[str, RemoteConfig] = options["remote"]
    return [HttpVendor(name, config, options["clock"], options["secrets"]) for name, config in remote.items()]


def _check_address(name: str, address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise InvalidInput(f"remote.{name}: an address like http://127.0.0.1:9000 is needed, not {address}")
    return address.rstrip("/")


def _describe(silent: Mapping[str, VendorError]) -> str:
    return "; ".join(str(error) for error in silent.values())

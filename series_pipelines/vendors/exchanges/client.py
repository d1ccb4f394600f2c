"""One exchange's HTTP client: ccxt's own, with one hook that every request and every response passes.

Before a request leaves it takes its weight from the throttle; what comes back is kept as it came, numbers as their
own text. It holds the last response, so each thread needs its own. ccxt is imported when the first client is made.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

from series_pipelines.errors import InvalidInput, PageRefused, VendorBroken, VendorError
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.contract import Budget, Throttle
from series_pipelines.vendors.exchanges.classify import Response, classify, parse_exactly, read_complaint, says_success
from series_pipelines.vendors.exchanges.spec import Exchange, UsedHeader

MISSING_CCXT: Final = "exchanges need the package ccxt: pip install series-pipelines[ccxt]"
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a body, unpacked. A page is far smaller, but a list of all markets may have tens of megabytes."""
CHUNK_BYTES: Final = 64 * 1024
SECRETS: Final = {"API_KEY": "apiKey", "SECRET": "secret", "PASSWORD": "password"}


@dataclass(frozen=True, slots=True)
class GoodResponse:
    """A response that says all is well, and its body with every number as text."""

    response: Response
    body: Any


class Purse:
    """The budgets of one exchange behind one address; it pays for requests and shuts when the exchange bans us."""

    def __init__(self, exchange: Exchange, config: ExchangeConfig, throttle: Throttle, proxy: str | None) -> None:
        self._throttle = throttle
        self._exchange = exchange
        self._used = {used.group: used for used in exchange.used}
        host = f"+{urlsplit(proxy).hostname}" if proxy else ""
        address = f"@{config.address}{host}"
        self.budgets = {
            group: Budget(
                f"{exchange.name}/{group}{address}", max(1, int(pool.weight * config.budget_share)), pool.window_ms
            )
            for group, pool in exchange.pools.items()
        }
        # The exchange's own count is of everyone behind this address, so its whole limit is what may not be passed.
        self._counted = {
            used.group: Budget(self.budgets[used.group].name, used.limit, used.window_ms) for used in exchange.used
        }

    def pay(self, group: str, weight: int) -> int:
        """Wait until a request of this weight may leave; return its ticket."""
        budget = self.budgets[group]
        return self._throttle.take(budget, min(weight, budget.weight))

    def settle(self, ticket: int) -> None:
        """Say that a request is over, however it ended."""
        self._throttle.settle(ticket)

    def note(self, group: str, response: Response) -> None:
        """Pass on the exchange's own count, if this response has one."""
        if (used := self._used.get(group)) is not None and (count := _read_used(used, response)) is not None:
            self._throttle.note_used(self._counted[group], count)

    def shut(self, group: str, for_ms: int, reason: str) -> None:
        """Let nothing leave for the host that banned us."""
        host = self._exchange.pools[group].host
        for other, pool in self._exchange.pools.items():
            if pool.host == host:
                self._throttle.open_circuit(self.budgets[other], for_ms, reason)


def find_proxy(config: ExchangeConfig, secrets: Callable[[str], str | None]) -> str | None:
    """Return the proxy's address; one with a password comes from the environment."""
    if config.proxy_env is None:
        return config.proxy
    proxy = secrets(config.proxy_env)
    if not proxy:
        raise InvalidInput(f"the environment variable {config.proxy_env} names no proxy")
    return proxy


class Client:
    """ccxt's client of one exchange, told what to ask. Not for two threads at once."""

    def __init__(
        self,
        exchange: Exchange,
        config: ExchangeConfig,
        purse: Purse,
        secrets: Callable[[str], str | None],
    ) -> None:
        self._exchange = exchange
        self._purse = purse
        self._url = config.url
        self._price: tuple[str, int] | None = None
        self._ticket: int | None = None
        self._failure: VendorError | None = None
        self._last: Response | None = None
        self._parsed: Any = None
        self._hidden: list[str] = []
        self.ccxt = _load_class(exchange.name)(
            {"enableRateLimit": False, "timeout": int(config.timeout_seconds * 1_000), "tap": self}
        )
        if config.url is not None:
            self.ccxt.urls["api"] = _replace_hosts(self.ccxt.urls["api"], config.url)
        self.ccxt.session.max_redirects = 0
        self.ccxt.session.hooks["response"].append(lambda _, **__: self._settle())
        self.ccxt.session.hooks["response"].append(self._read_body)
        proxy = find_proxy(config, secrets)
        if proxy is not None:
            self.ccxt.proxies = {"http": proxy, "https": proxy}
            self._hidden += [part for part in (urlsplit(proxy).password, proxy) if part]
        if exchange.keys:
            self._take_keys(secrets)

    def call(self, name: str, params: Mapping[str, Any], group: str, weight: int) -> GoodResponse:
        """Call ccxt's implicit method, or its API and a path; return the answer or raise a VendorError."""
        self._price = group, weight
        api, space, path = name.partition(" ")
        if space:
            body = self.ccxt.request(path, api.split("/"), "GET", dict(params))
        else:
            body = getattr(self.ccxt, name)(dict(params))
        if self._last is None:
            raise PageRefused(f"{self._exchange.name}: no response was seen")
        return GoodResponse(self._last, body)

    def fetch_markets(self, types: tuple[str, ...]) -> list[dict[str, Any]]:
        """Return ccxt's markets of these types; one failed request fails them all."""
        options = self.ccxt.options.get("fetchMarkets")
        wanted: Any = dict.fromkeys(types, True) if self._exchange.types_as_flags else list(types)
        self.ccxt.options["fetchMarkets"] = {**(options if isinstance(options, dict) else {}), "types": wanted}
        self._failure = None
        try:
            markets = self.ccxt.fetch_markets()
        except VendorError:
            raise
        except Exception as error:
            raise PageRefused(f"{self._exchange.name}: its markets can't be read ({type(error).__name__})") from None
        if self._failure is not None:
            raise self._failure
        return list(markets)

    def close(self) -> None:
        """Close its connections."""
        self.ccxt.session.close()

    @contextmanager
    def paid(self, url: str) -> Iterator[str]:
        """Pay for a request that leaves inside; give the group it is counted in."""
        if self._url is not None and not url.startswith(self._url + "/"):
            raise VendorBroken(f"{self._exchange.name}: a request would leave for another host than {self._url}")
        path = urlsplit(url).path
        cost = next(cost for cost in self._exchange.costs if cost.path in path)
        group, weight = self._price or (cost.group, cost.weight)
        self._price = None
        self._last = self._parsed = None
        self._ticket = self._purse.pay(group, weight)
        try:
            yield group
        finally:
            self._settle()

    def _settle(self) -> None:
        """Say that the request is over, once: an exchange that begins to answer has counted it."""
        if self._ticket is not None:
            ticket, self._ticket = self._ticket, None
            self._purse.settle(ticket)

    def _read_body(self, response: Any, /, **_: Any) -> None:
        """Read a body so far as it may be large: one that says what is wrong is cut, any other is refused."""
        body = bytearray()
        for chunk in response.iter_content(CHUNK_BYTES):
            body += chunk
            if len(body) > MOST_BYTES:
                response.close()
                if response.ok:
                    most = f"{MOST_BYTES // 1024 // 1024} MiB"
                    raise PageRefused(f"{self._exchange.name}: its body is larger than {most}")
                break
        # Where requests keeps what it has read: it reads no more of a response that has it.
        response._content = bytes(body[:MOST_BYTES])

    def keep(self, response: Response) -> None:
        """Remember what came back."""
        self._last = response

    def after(self, group: str, error: Exception | None) -> None:
        """Judge what came back; raise if it is not an answer."""
        response = self._last
        if response is not None:
            self._purse.note(group, response)
        if error is None and response is not None and self._is_well(response):
            return
        if isinstance(error, VendorError):
            self._failure = error
            raise error
        causes = [] if error is None else [cause.__name__ for cause in type(error).__mro__]
        verdict = classify(self._exchange, response, causes)
        self._failure = self._hide(verdict.error)
        if verdict.ban_ms is not None:
            self._purse.shut(group, verdict.ban_ms, str(self._failure))
        raise self._failure from None

    def _is_well(self, response: Response) -> bool:
        body, envelope = self._parsed, self._exchange.envelope
        # No endpoint answers {}; ccxt would take it for a list of no markets.
        if response.status >= 300 or not isinstance(body, dict | list) or body == {}:
            return False
        return read_complaint(envelope, body)[0] is None and (not envelope.required or says_success(envelope, body))

    def parse(self, text: str) -> Any:
        """Read a body and keep it for the verdict."""
        self._parsed = parse_exactly(text)
        return self._parsed

    def _take_keys(self, secrets: Callable[[str], str | None]) -> None:
        for name, attribute in SECRETS.items():
            if value := secrets(f"SERIES_{self._exchange.name.upper()}_{name}"):
                setattr(self.ccxt, attribute, value)
                self._hidden.append(value)

    def _hide(self, error: VendorError) -> VendorError:
        text = str(error)
        for secret in self._hidden:
            text = text.replace(secret, "***")
        error.args = (text,)
        return error


def _tap_fetch(base: type) -> Callable[..., Any]:
    def fetch(self: Any, url: str, method: str = "GET", headers: Any = None, body: Any = None) -> Any:
        tap: Client = self.tap
        failed: Exception | None = None
        answer = None
        with tap.paid(url) as group:
            try:
                answer = base.fetch(self, url, method, headers, body)  # type: ignore[attr-defined]
            except Exception as error:
                failed = error
        tap.after(group, failed)
        return answer

    return fetch


def _keep_response(
    self: Any, code: int, reason: str, url: str, method: str, headers: Mapping[str, str], body: str, *_: Any
) -> str:
    self.tap.keep(Response(code, dict(headers), body))
    return body.strip()


@cache
def _load_class(name: str) -> Any:
    try:
        import ccxt
    except ImportError as error:
        raise InvalidInput(MISSING_CCXT) from error
    base = getattr(ccxt, name)
    overrides: dict[str, Any] = {
        "fetch": _tap_fetch(base),
        "on_rest_response": _keep_response,
        "parse_json": lambda self, text: self.tap.parse(text),
        "log": lambda self, *words: None,
    }
    return type(f"tapped_{name}", (base,), overrides)


def _replace_hosts(urls: Any, url: str) -> Any:
    if isinstance(urls, dict):
        return {name: _replace_hosts(value, url) for name, value in urls.items()}
    if not isinstance(urls, str):
        return urls
    _, _, rest = urls.partition("://")
    _, slash, path = rest.partition("/")
    return url + slash + path


def _read_used(used: UsedHeader, response: Response) -> int | None:
    text = (response.header(used.header) or "").strip()
    if not text.isascii() or not text.isdigit():
        return None
    return max(0, used.limit - int(text)) if used.remaining else int(text)

"""Reads `vendors.toml`: which exchanges and remote vendors to use, and what of each. It never holds a secret.

Anything misspelt is refused by its place in the file, without its value: a proxy's address may hold a password.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from series_pipelines.core.duration import parse_duration
from series_pipelines.errors import InvalidInput

ENVIRONMENT_NAME: Final = r"^[A-Z][A-Z0-9_]*$"


def _check_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https", "socks5", "socks5h") or not parts.hostname:
        raise ValueError("an address like http://127.0.0.1:8080 is needed")
    if parts.username or parts.password:
        raise ValueError("an address with a user or password belongs in the environment: name the variable instead")
    return address.rstrip("/")


def _normalise_duration(text: str) -> str:
    try:
        return parse_duration(text).text
    except InvalidInput as error:
        raise ValueError(str(error)) from error


Address = Annotated[str, AfterValidator(_check_address)]
DurationText = Annotated[str, AfterValidator(_normalise_duration)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ExchangeConfig(_Strict):
    """What to use of one exchange; what is left out means all of it."""

    prefixes: tuple[str, ...] | None = Field(None, description="product prefixes, like OKX/SWAP/")
    durations: tuple[DurationText, ...] | None = Field(None, description="durations of OHLC bars, like PT1M or 1h")
    rates: bool = Field(True, description="whether funding and borrow rates are wanted")
    quotes: tuple[str, ...] = Field((), description="only products quoted in these currencies")
    products: tuple[str, ...] = Field((), description="only these product ids")
    min_age_days: int = Field(0, ge=0, description="only products listed at least this long ago")
    budget_share: float = Field(1.0, gt=0, le=1, description="the part of the exchange's budget that is ours")
    address: str = Field("direct", pattern=r"^[\w.-]+$", description="names the outgoing address the budget is for")
    url: Address | None = Field(None, description="stands in for every host of the exchange, paths kept")
    proxy: Address | None = Field(None, description="an HTTP or SOCKS proxy without a password")
    proxy_env: str | None = Field(None, pattern=ENVIRONMENT_NAME, description="the variable with the proxy's address")
    timeout_seconds: float = Field(10.0, gt=0, le=120, description="how long one answer may take")
    safety_lag_seconds: float | None = Field(
        None,
        ge=0,
        le=86_400,
        description="how long after its end a bar may still change; the exchange's own if left out",
    )


class RemoteConfig(_Strict):
    """A vendor in another process, spoken to by HTTP; several addresses are instances of the same vendor."""

    urls: tuple[Address, ...] = Field(min_length=1, description="the addresses of its instances")
    token_env: str | None = Field(None, pattern=ENVIRONMENT_NAME, description="the variable with its bearer token")
    timeout_seconds: float = Field(10.0, gt=0, le=120, description="how long one answer may take")


class VendorsFile(_Strict):
    """The whole file."""

    exchanges: dict[str, ExchangeConfig] = Field(default_factory=dict)
    remote: dict[str, RemoteConfig] = Field(default_factory=dict)


def parse_vendors(text: str, path: Path) -> VendorsFile:
    """Parse the file's text, or say in one line what is wrong with it and where."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path} is not TOML: {error}") from error
    try:
        return VendorsFile.model_validate(found)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()
        )
        raise InvalidInput(f"{path}: {problems}") from error

"""Reads what a remote vendor sends: services, products, pages and errors. Bytes come in, the contract's types go out.

Only the stated shape is accepted; anything else is a PageRefused that says where. No number is ever a float: what
JSON writes as 0.1 stays the text "0.1". Nothing here names the sender; whoever asked does.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, Final, NoReturn, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.tables import find_table_of
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import (
    MalformedService,
    PageRefused,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.vendors.contract import Limits, Product, Reply, Service

LIST_PRODUCTS: Final = "ListProducts"
MOST_CONCURRENT: Final = 256
LONGEST_TEXT: Final = 200
LONGEST_LINE: Final = 300
# A pause is a moment in a table: one that a mad Retry-After puts beyond all time could not be stored.
LONGEST_RETRY_AFTER_MS: Final = DAY_MS

_STEP: Final = re.compile(r"[0-9]{1,60}(?:\.[0-9]{1,60})?(?:[eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One HTTP answer that arrived whole."""

    status: int
    body: bytes
    retry_after: str | None = None
    date: str | None = None


class UnreadableSchema(Mapping[str, Any]):
    """Stands in for a schema that can't be read, so that whoever reads it refuses its service and says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __getitem__(self, key: str) -> NoReturn:
        raise MalformedService(self.reason)

    def __iter__(self) -> Iterator[str]:
        raise MalformedService(self.reason)

    def __len__(self) -> int:
        raise MalformedService(self.reason)


def _check_text(text: str) -> str:
    # Postgres stores neither NUL nor half a surrogate pair, and one bad text would fail every vendor's products.
    if not text.isprintable():
        raise ValueError("it holds a character that can't be printed")
    return text


def _read_step(value: Any) -> str | None:
    if value is None:
        return None
    text = _read_decimal(value)
    if not isinstance(text, str) or _STEP.fullmatch(text) is None:
        raise ValueError("a decimal of zero or more is needed")
    return text


def _read_decimal(value: Any) -> Any:
    return str(value) if type(value) is int else value


_Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_check_text)]
_Step = Annotated[str | None, BeforeValidator(_read_step)]
_Moment = Annotated[int, Field(ge=0, le=LAST_MOMENT_MS)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class _Services(_Body):
    services: list[dict[str, Any]]


class _Limits(_Body):
    concurrent: int = Field(1, ge=1, le=MOST_CONCURRENT)
    requests: int | None = Field(None, ge=1, le=1_000_000)
    window_ms: int = Field(1_000, ge=1, le=DAY_MS)
    budget: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_check_text)] | None = None
    grace_ms: int = Field(1_000, ge=0, le=DAY_MS)
    page_rows: int | None = Field(None, ge=2, le=1_000_000)
    on_grid: bool = True


class _Service(_Body):
    method: _Text
    request_schema: dict[str, Any] = Field(default_factory=dict, alias="schema")
    limits: _Limits = Field(default_factory=_Limits)


class _Product(_Body):
    product_id: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    name: _Text = ""
    base_currency: _Text = ""
    quote_currency: _Text = ""
    price_step: _Step = None
    volume_step: _Step = None
    value_scale: _Step = None
    allow_long: bool = True
    allow_short: bool = True
    no_interest_rate: bool = False
    market_id: _Text = ""
    listed_at: _Moment | None = None
    delisted_at: _Moment | None = None


class _Products(_Body):
    products: list[_Product]


class _Page(_Body):
    now: _Moment
    rows: list[list[Any]]


_Model = TypeVar("_Model", bound=_Body)


def parse_services(body: bytes) -> list[Service]:
    """Read the answer to GET /services; one that can't be read stays in the list and is refused when it is read."""
    return [_read_service(found) for found in _validate(_Services, _load(body)).services]


def parse_products(body: bytes) -> list[Product]:
    """Read the answer to ListProducts."""
    products: dict[str, Product] = {}
    for found in _validate(_Products, _load(body)).products:
        fields = found.model_dump()
        listed_ms, delisted_ms = fields.pop("listed_at"), fields.pop("delisted_at")
        if found.product_id in products:
            raise PageRefused(f"it lists product {shorten(found.product_id)!r} twice")
        products[found.product_id] = Product(**fields, listed_ms=listed_ms, delisted_ms=delisted_ms)
    return list(products.values())


def parse_page(body: bytes, method: str) -> Reply:
    """Read the answer to a request for one page."""
    page = _validate(_Page, _load(body))
    table = find_table_of(method)
    times = len(table.times)
    width = times + len(table.columns)
    return Reply([_read_row(number, row, width, times) for number, row in enumerate(page.rows)], page.now)


def find_error(answer: HttpAnswer, now_ms: int) -> VendorError | None:
    """Return the error that an answer's status stands for; None if it is 200."""
    status = answer.status
    if status == 200:
        return None
    line = _read_error_line(answer.body)
    reason = f"{status}{f': {line}' if line else ''}"
    if status == 429:
        return VendorBusy(reason, _read_retry_after(answer, now_ms))
    if status == 408:
        return VendorTimeout(reason)
    if status >= 500:
        return VendorUnavailable(reason, _read_retry_after(answer, now_ms))
    if status == 401:
        return VendorUnavailable(f"{reason}; is its token_env in vendors.toml right?")
    if 300 <= status < 400:
        return VendorUnavailable(f"{reason}; it redirects: put its own address into vendors.toml")
    if status >= 400 and line:
        return VendorRejected(reason)
    return PageRefused(f'{status} without {{"error": "…"}}: is this the vendor\'s own address?')


def shorten(text: str) -> str:
    """Return a text of the sender's as one short line that any table and terminal can hold."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…"


def _read_service(found: Mapping[str, Any]) -> Service:
    try:
        service = _Service.model_validate(found)
    except ValidationError as error:
        method = found.get("method")
        name = shorten(method) if isinstance(method, str) else "without a method"
        return Service(name, UnreadableSchema(_describe(error)))
    return Service(service.method, service.request_schema, Limits(**service.limits.model_dump()))


def _read_row(number: int, row: list[Any], width: int, times: int) -> tuple[Any, ...]:
    if len(row) != width:
        raise PageRefused(f"row {number} has {len(row)} values, not {width}")
    if type(row[0]) is not int or not all(value is None or type(value) is int for value in row[1:times]):
        raise PageRefused(f"row {number}: a time must be whole epoch milliseconds")
    values = [_read_decimal(value) for value in row[times:]]
    if not all(value is None or isinstance(value, str) for value in values):
        raise PageRefused(f"row {number}: a value must be a decimal, as text or number")
    return (*row[:times], *values)


def _load(body: bytes) -> Any:
    try:
        return json.loads(body.decode(), parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise PageRefused("200 with a body that is not JSON") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _validate(model: type[_Model], found: Any) -> _Model:
    try:
        return model.model_validate(found)
    except ValidationError as error:
        raise PageRefused(f"200 with a body of another shape: {_describe(error)}") from None


def _describe(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{'.'.join(str(part) for part in problem['loc']) or 'body'}: {problem['msg']}" for problem in problems]
    more = f"; and {len(lines) - 3} more" if len(lines) > 3 else ""
    return shorten("; ".join(lines[:3])) + more


def _read_error_line(body: bytes) -> str:
    try:
        found = _load(body)
    except PageRefused:
        return ""
    line = found.get("error") if isinstance(found, dict) else None
    return shorten(line) if isinstance(line, str) else ""


def _read_retry_after(answer: HttpAnswer, now_ms: int) -> int | None:
    text = (answer.retry_after or "").strip()
    if re.fullmatch(r"[0-9]{1,12}", text):
        return min(LONGEST_RETRY_AFTER_MS, int(text) * 1_000)
    until_ms = _read_date(text)
    if until_ms is None:
        return None
    # Both dates come from the sender's clock, so that only their difference counts and not how wrong it is.
    sent_ms = _read_date(answer.date or "")
    return max(0, min(LONGEST_RETRY_AFTER_MS, until_ms - (now_ms if sent_ms is None else sent_ms)))


def _read_date(text: str) -> int | None:
    try:
        moment = parsedate_to_datetime(text)
        return int(_as_utc(moment).timestamp() * 1_000)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _as_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment

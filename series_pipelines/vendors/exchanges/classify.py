"""Says what a failed exchange means: the error of our tree, and for how long the exchange banned this address.

Pure: it sees one response (status, headers, text) or none, and the names of ccxt's exception. The exchange's own
codes speak first, then the status, then ccxt. Retry-After is read from this response's headers only.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.core.text import clean_text
from series_pipelines.errors import (
    PageRefused,
    VendorBroken,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.vendors.exchanges.spec import Codes, Envelope, Exchange

LONGEST_WAIT_MS: Final = HOUR_MS
LONGEST_BAN_MS: Final = DAY_MS
LONGEST_MESSAGE: Final = 200

_BANNED_UNTIL: Final = re.compile(r"banned until (\d{13})")
_SECONDS: Final = re.compile(r"\d{1,9}(?:\.\d+)?")
_BLOCKED_STATUS: Final = (401, 403, 407, 451)


@dataclass(frozen=True, slots=True)
class Response:
    """What came back: its own status, headers (any case) and text."""

    status: int
    headers: Mapping[str, str]
    text: str

    def header(self, name: str) -> str | None:
        """Return a header of this response, whatever its case."""
        return next((value for key, value in self.headers.items() if key.lower() == name.lower()), None)

    @property
    def date_ms(self) -> int | None:
        """When the server says it answered, floored to the second."""
        moment = _parse_date(self.header("Date"))
        return None if moment is None else int(moment.timestamp()) * 1_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """The error to raise; with `ban_ms` the exchange wants nothing from this address for so long."""

    error: VendorError
    ban_ms: int | None = None


def classify(exchange: Exchange, response: Response | None, causes: Collection[str] = ()) -> Verdict:
    """Return what this response, or the lack of one, means. `causes` are the class names of ccxt's exception."""
    if response is None:
        return Verdict(_name_silence(exchange.name, causes))
    body = parse_exactly(response.text)
    code, message = read_complaint(exchange.envelope, body)
    said = _describe(exchange.name, response, body, code, message)
    ban_ms = _find_ban(exchange.codes, response, body, code, message)
    if ban_ms is not None:
        return Verdict(VendorBusy(said, ban_ms), ban_ms)
    return Verdict(_name_error(exchange.codes, response, body, code, message, said, causes))


def parse_exactly(text: str) -> Any:
    """Read JSON with every number as the text it was sent as; None if it is not JSON."""
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None


def read_complaint(envelope: Envelope, body: Any) -> tuple[str | None, str]:
    """Return the code and the message with which a body says that something is wrong; no code if nothing is."""
    if not isinstance(body, dict):
        return None, ""
    found = next((body[key] for key in envelope.code if body.get(key) not in (None, "")), None)
    message = next((str(body[key]) for key in envelope.message if body.get(key) not in (None, "")), "")
    if found is None or str(found) in envelope.ok:
        return None, message
    return str(found), message


def says_success(envelope: Envelope, body: Any) -> bool:
    """Whether a body says in so many words that the request succeeded."""
    return isinstance(body, dict) and any(str(body.get(key)) in envelope.ok for key in envelope.code)


def find_wait(response: Response, most_ms: int = LONGEST_WAIT_MS) -> int | None:
    """Return what this response's Retry-After asks for; nonsense asks for nothing."""
    text = (response.header("Retry-After") or "").strip()
    if _SECONDS.fullmatch(text):
        return min(int(float(text) * 1_000), most_ms)
    until, now_ms = _parse_date(text), response.date_ms
    if until is None or now_ms is None:
        return None
    wait_ms = int(until.timestamp() * 1_000) - now_ms
    return min(wait_ms, most_ms) if wait_ms > 0 else None


def _find_ban(codes: Codes, response: Response, body: Any, code: str | None, message: str) -> int | None:
    until = _BANNED_UNTIL.search(response.text)
    # An edge that answers for the API, in plain words and with a time, has shut out the address.
    shut_out = response.status in (403, 429) and body is None and find_wait(response) is not None
    if not (response.status == 418 or until or shut_out or _is_one_of(codes.banned, code, message, response.text)):
        return None
    if until and response.date_ms is not None:
        return max(1_000, min(int(until[1]) - response.date_ms, LONGEST_BAN_MS))
    return find_wait(response, LONGEST_BAN_MS) or codes.ban_ms


def _name_error(
    codes: Codes, response: Response, body: Any, code: str | None, message: str, said: str, causes: Collection[str]
) -> VendorError:
    status = response.status
    wait_ms = find_wait(response)
    if status == 429 or _is_one_of(codes.busy, code, message):
        return VendorBusy(said, wait_ms)
    if status in (408, 504) or _is_one_of(codes.timeout, code, message):
        return VendorTimeout(said, wait_ms)
    if _is_one_of(codes.unavailable, code, message):
        return VendorUnavailable(said, wait_ms)
    if _is_one_of(codes.rejected, code, message):
        return VendorRejected(said)
    if status == 500 and response.text.strip() == codes.rejected_text:
        return VendorRejected(said)
    if status >= 500:
        return VendorUnavailable(said, wait_ms)
    if status >= 400 and code is None:
        return VendorUnavailable(said, wait_ms) if status in _BLOCKED_STATUS else VendorRejected(said)
    if code is not None:
        return _name_by_cause(said, status, wait_ms, causes)
    return PageRefused(said)


def _name_by_cause(said: str, status: int, wait_ms: int | None, causes: Collection[str]) -> VendorError:
    if "DDoSProtection" in causes or "RateLimitExceeded" in causes:
        return VendorBusy(said, wait_ms)
    if "RequestTimeout" in causes:
        return VendorTimeout(said, wait_ms)
    # From a status below 500 ccxt also makes ExchangeNotAvailable; then only the body's code counts.
    if "OnMaintenance" in causes or (status < 300 and "ExchangeNotAvailable" in causes):
        return VendorUnavailable(said, wait_ms)
    return VendorRejected(said)


def _name_silence(name: str, causes: Collection[str]) -> VendorError:
    if "RequestTimeout" in causes:
        return VendorTimeout(f"{name}: no answer in time")
    if "NotSupported" in causes:
        return VendorBroken(f"{name}: the request can't be made; a SOCKS proxy needs the package pysocks")
    if "NetworkError" in causes:
        return VendorUnavailable(f"{name}: can't be reached, or broke off its answer")
    return VendorUnavailable(f"{name}: no answer could be had ({next(iter(causes), 'unknown reason')})")


def _is_one_of(words: tuple[str, ...], code: str | None, *texts: str) -> bool:
    return code in words or any(not word.lstrip("-").isdigit() and word in text for word in words for text in texts)


def _describe(name: str, response: Response, body: Any, code: str | None, message: str) -> str:
    if body is None:
        what = f"the body is not JSON ({len(response.text)} characters)"
    elif code is None and not message:
        what = "the body says no more"
    else:
        what = " ".join(part for part in (code, message) if part)
    return clean_text(f"{name}: {response.status}, {what}", LONGEST_MESSAGE)


def _parse_date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else None

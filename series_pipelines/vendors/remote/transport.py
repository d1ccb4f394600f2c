"""One HTTP exchange that is bounded in time and size: no redirects, no cookies, no proxy of the environment.

Sockets time out between two bytes only, so a peer that drips could hold a lane for weeks: a timer cuts the
connection when the whole exchange takes too long. Connections are kept and shared by all threads.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, ReadTimeoutError

from series_pipelines.errors import PageRefused, VendorTimeout, VendorUnavailable
from series_pipelines.vendors.remote.wire import MOST_CONCURRENT, HttpAnswer

MOST_BYTES: Final = 16 * 1024 * 1024
CONNECT_SECONDS: Final = 2.0
CHUNK_BYTES: Final = 64 * 1024


class _Watch:
    """Cuts the socket of one exchange when its time is over."""

    def __init__(self) -> None:
        self.is_over = False
        self._socket: socket.socket | None = None

    def follow(self, connected: Any) -> None:
        self._socket = connected
        if self.is_over:
            raise TimeoutError

    def cut(self) -> None:
        self.is_over = True
        if self._socket is not None:
            with suppress(OSError):
                # The plain socket's: a TLS socket would take its state apart under the thread that reads it.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


_current = threading.local()


class _Connection(HTTPConnection):
    def getresponse(self) -> Any:
        _current.watch.follow(self.sock)
        return super().getresponse()


class _SecureConnection(HTTPSConnection):
    def getresponse(self) -> Any:
        _current.watch.follow(self.sock)
        return super().getresponse()


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class HttpTransport:
    """Connections to the instances of one vendor."""

    def __init__(self, addresses: int) -> None:
        self._adapter = HTTPAdapter(pool_connections=addresses, pool_maxsize=MOST_CONCURRENT)
        self._adapter.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def ask(self, method: str, url: str, body: bytes | None, token: str | None, seconds: float) -> HttpAnswer:
        """Return the answer when it is whole, or raise VendorTimeout, VendorUnavailable or PageRefused."""
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "series-pipelines"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        with _watching(seconds) as watch:
            try:
                prepared = requests.Request(method, url, headers, data=body).prepare()
                answer = self._exchange(prepared, seconds)
            except (requests.RequestException, HTTPError, OSError, ValueError) as error:
                if watch.is_over or isinstance(error, requests.Timeout | ReadTimeoutError | TimeoutError):
                    raise VendorTimeout(f"no whole answer within {seconds:g} s") from error
                raise VendorUnavailable(_explain(error)) from error
            if watch.is_over:
                raise VendorTimeout(f"no whole answer within {seconds:g} s")
            return answer

    def close(self) -> None:
        """Close all connections."""
        self._adapter.close()

    def _exchange(self, prepared: requests.PreparedRequest, seconds: float) -> HttpAnswer:
        timeout = (min(CONNECT_SECONDS, seconds), seconds)
        response = self._adapter.send(prepared, stream=True, timeout=timeout, verify=True, proxies={})
        try:
            body = _read_body(response)
        except BaseException:
            response.raw.close()
            raise
        response.raw.release_conn()
        found = response.headers
        return HttpAnswer(response.status_code, body, found.get("Retry-After"), found.get("Date"))


@contextmanager
def _watching(seconds: float) -> Iterator[_Watch]:
    watch = _current.watch = _Watch()
    timer = threading.Timer(seconds, watch.cut)
    timer.daemon = True
    timer.start()
    try:
        yield watch
    finally:
        timer.cancel()


def _read_body(response: requests.Response) -> bytes:
    body = bytearray()
    while chunk := response.raw.read(CHUNK_BYTES, decode_content=False):
        body += chunk
        if len(body) > MOST_BYTES:
            raise PageRefused(f"its body is larger than {MOST_BYTES // 1024 // 1024} MiB: smaller pages are needed")
    return bytes(body)


def _explain(error: BaseException) -> str:
    """Return the system's own words for what went wrong, which the libraries wrap several times."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused; does it run there?"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return f"the connection broke ({type(error).__name__})"

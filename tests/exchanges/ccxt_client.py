"""Point a real ccxt client at a loopback exchange: only scheme and host change, paths stay."""

from typing import Any
from urllib.parse import urlsplit

import ccxt


def connect_ccxt(name: str, url: str, *, now_ms: int | None = None) -> Any:
    """Return a ccxt exchange that talks to the server at `url`, without a rate limiter; its clock may be set."""
    client = getattr(ccxt, name)({"enableRateLimit": False, "timeout": 10_000})
    hostname = client.hostname or ""
    client.urls["api"] = _rewrite(client.urls["api"], url, hostname)
    if "hostnames" in client.urls:
        client.urls["hostnames"] = _replace_hosts(client.urls["hostnames"], urlsplit(url).netloc)
    if now_ms is not None:
        client.milliseconds = lambda: now_ms
    return client


def _rewrite(address: Any, url: str, hostname: str) -> Any:
    if isinstance(address, dict):
        return {key: _rewrite(value, url, hostname) for key, value in address.items()}
    return url + urlsplit(address.replace("{hostname}", hostname or "host")).path


def _replace_hosts(hosts: Any, host: str) -> Any:
    return {key: _replace_hosts(value, host) for key, value in hosts.items()} if isinstance(hosts, dict) else host

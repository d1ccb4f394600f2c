"""What actions that ask vendors work with, made once by whoever starts them."""

from collections.abc import Callable
from dataclasses import dataclass

from series_pipelines.core.clock import Clock
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.registry import Registry


@dataclass(frozen=True, slots=True)
class Workshop:
    """How to connect, which vendors there are, the time, and how far what they say is believed."""

    connect: Callable[[str, bool], Connection]
    """Open a connection for a purpose; the second argument asks for autocommit."""
    load_registry: Callable[[], Registry]
    clock: Clock
    recheck_after_ms: int
    """How long a proven floor stands before it is verified again."""
    clock_tolerance_ms: int
    """How far a vendor's clock may stand from ours and the database's to be believed."""

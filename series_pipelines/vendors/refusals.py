"""Keeps the first few refusals of a vendor's offers and counts the rest: a vendor may get ten thousand things wrong."""

from typing import Final

MOST_TOLD: Final = 5


class Refusals:
    """What was refused of one vendor, of one kind."""

    def __init__(self, vendor_name: str, kind: str) -> None:
        self._vendor_name = vendor_name
        self._kind = kind
        self._told: list[str] = []
        self.count = 0

    def add(self, refusal: str) -> None:
        """Keep a refusal, or count it."""
        self.count += 1
        if len(self._told) < MOST_TOLD:
            self._told.append(refusal)

    def tell(self) -> tuple[str, ...]:
        """Return the first few, and how many more there are."""
        more = self.count - len(self._told)
        if not more:
            return tuple(self._told)
        return (*self._told, f"vendor {self._vendor_name!r}: and {more} more {self._kind} are refused")

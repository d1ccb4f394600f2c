"""A vendor of a drawn world, honest about some products and lying about others; loadable by name in any process.

`SERIES_VENDORS=tests.torture.vendor:create`, with what it needs to know as JSON in `SERIES_TORTURE`.
"""

import json
import os
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, NoReturn

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.ranges import Range
from series_pipelines.errors import VendorRejected
from series_pipelines.vendors.contract import INGEST_OHLC, Product, Reply, Request, Service

from .catalogue_lies import spoil_products, spoil_services
from .liebook import LieBook, Reporter
from .lies import LIES, ONLY_ALONE, Asked, Lie, choose, find_half
from .market import Market
from .worlds import House, draw_houses

OPTIONS = "SERIES_TORTURE"


@dataclass(frozen=True)
class Options:
    """What a process needs to make the same vendors as any other."""

    seed: int
    epoch_ms: int
    bars: int
    share: float = 0.0
    """How many of the answers about products that are lied about are lies."""
    process: int = 0
    is_alone: bool = False
    """Whether one process asks and loses no page: its calls may hang until released, what it was given is stored."""
    book: str = ""
    progress: str = ""

    def as_environment(self) -> dict[str, str]:
        """Return what a process must have in its environment."""
        return {OPTIONS: json.dumps(asdict(self)), "SERIES_VENDORS": "tests.torture.vendor:create"}


class TortureVendor:
    """One house of a world. `share` may be set at any time: at 0 it tells the truth."""

    def __init__(
        self,
        house: House,
        market: Market,
        random: Random,
        clock: Callable[[], int],
        book: LieBook,
        share: float,
        on_asked: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = house.name
        self.house = house
        self.share = share
        self.catalogue_share = 0.0
        self.lies: Sequence[str] = house.lies
        self.while_hanging: Callable[[], None] = lambda: None
        self._released = threading.Event()
        self.told_of_catalogue: list[str] = []
        self._market, self._random, self._clock, self._book, self._on_asked = market, random, clock, book, on_asked
        self._salt = random.random()
        self._asked: Counter[str] = Counter()
        self._given: defaultdict[str, set[int]] = defaultdict(set)
        self._lives = {life.product_id: life for life in house.lives}
        self._afterwards: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def services(self) -> Sequence[Service]:
        services = [_describe(offer) for offer in self.house.offers]
        if self.house.lies_about_products and self._random.random() < self.catalogue_share:
            services = spoil_services(self._random, services, self.told_of_catalogue, self._hang)
        return services

    def products(self) -> Sequence[Product]:
        products = [
            Product(
                life.product_id,
                name=f"product {life.product_id}",
                price_step="0.01",
                no_interest_rate=bool(life.durations),
                listed_ms=life.listing_ms if life.is_listing_known else None,
                delisted_ms=life.delisting_ms,
            )
            for life in self.house.lives
        ]
        if self.house.lies_about_products and self._random.random() < self.catalogue_share:
            products = spoil_products(self._random, products, self.told_of_catalogue, self._hang)
        return products

    def fetch(self, request: Request) -> Reply:
        self._on_asked()
        # Whatever was given away before changes now, while it may still wait to be written.
        series_id = _name_series(request)
        with self._lock:
            afterwards, self._afterwards = self._afterwards, []
            self._asked[series_id] += 1
            # Whatever is asked beside it, the answers about a series are drawn in the order of its requests.
            random = Random(f"{self._salt} {series_id} {self._asked[series_id]}")
        for change in afterwards:
            change()
        asked = self._read(request, random)
        lie = self._choose(asked)
        self._book.note(series_id, lie, _find_window(asked))
        if lie is None:
            self._given[series_id].update(asked.rows[position][0] for position in asked.final)
            return Reply(list(map(tuple, asked.rows)), asked.now_ms)
        reply = lie.tell(asked)
        with self._lock:
            self._afterwards += asked.afterwards
        return reply  # type: ignore[no-any-return]

    def release(self) -> None:
        """Let the calls that hang end."""
        self._released.set()
        self._released = threading.Event()

    def _hang(self) -> NoReturn:
        self._released.wait()
        raise SystemExit("released")

    def _read(self, request: Request, random: Random) -> Asked:
        life = self._lives.get(request.product_id)
        offer = self.house.offers[0]
        if life is None or request.direction != offer.direction or request.duration not in (life.durations or (None,)):
            raise VendorRejected(f"{self.name} has no {request}")
        now_ms = self._clock()
        rows = self._market.read_page(
            life, request.duration, request.direction, request.time_ms, offer.page_rows, now_ms
        )
        given = self._given[_name_series(request)]
        final = [position for position, row in enumerate(rows) if _is_final(row, request.duration, now_ms)]
        # One that still forms when it is shifted is left out of the page, which is right.
        late_ms = now_ms - find_half(request.duration)
        stored = [at for at in final if rows[at][0] in given and _is_final(rows[at], request.duration, late_ms)]
        return Asked(
            random,
            self._market,
            life,
            request.duration,
            request,
            list(map(list, rows)),
            final,
            stored,
            now_ms,
            self._released,
            self.while_hanging,
        )

    def _choose(self, asked: Asked) -> Lie | None:
        if not asked.life.lies or asked.random.random() >= self.share:
            return None
        return choose(asked.random, asked, self.lies)


def create(options: Mapping[str, Any]) -> list[TortureVendor]:
    """Make the vendors that the environment describes."""
    return list(make_vendors(Options(**json.loads(os.environ[OPTIONS]))))


def make_vendors(
    options: Options, clock: Callable[[], int] | None = None, book: LieBook | None = None
) -> Iterator[TortureVendor]:
    """Yield the vendors of a world."""
    market = Market(options.seed)
    kept = book or LieBook(Path(options.book) if options.book else None)
    report = Reporter(options.progress).tell if options.progress else lambda: None
    for house in draw_houses(options.seed, options.epoch_ms, options.bars):
        random = Random(f"{options.seed} {options.process} {house.name}")
        vendor = TortureVendor(house, market, random, clock or _read_clock, kept, options.share, report)
        vendor.lies = [name for name in house.lies if options.is_alone or name not in ONLY_ALONE]
        yield vendor


def _read_clock() -> int:
    return time.time_ns() // 1_000_000


def _describe(offer: Any) -> Service:
    properties: dict[str, object] = {
        "product_id": {"type": "string", "pattern": "^" + re.escape(offer.prefix)},
        "direction": {"const": offer.direction},
        "time": {"type": "integer", "minimum": 0},
    }
    if offer.method == INGEST_OHLC:
        properties["duration"] = {"enum": list(offer.durations)}
    schema = {"type": "object", "properties": properties, "required": sorted(properties)}
    return Service(offer.method, schema, offer.limits)


def _name_series(request: Request) -> str:
    return request.product_id if request.duration is None else f"{request.product_id}/{request.duration}"


def _is_final(row: Sequence[Any], duration: str | None, now_ms: int) -> bool:
    end_ms: int = row[0] if duration is None else row[1]
    return end_ms <= now_ms - 1_000


def _find_window(asked: Asked) -> Range:
    if not asked.rows:
        return Range(0, asked.now_ms)
    first_ms, last_ms = asked.rows[0][0], asked.rows[-1][0]
    end_ms = last_ms + 1 if asked.duration is None else parse_duration(asked.duration).end_of_bar(last_ms)
    return Range(first_ms, end_ms)


__all__ = ["LIES", "Options", "TortureVendor", "create", "make_vendors"]

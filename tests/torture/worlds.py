"""Draws worlds: which vendors there are, what they offer, and which of their products they lie about."""

from dataclasses import dataclass, replace
from random import Random

from series_pipelines.core.duration import HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.core.ranges import Range
from series_pipelines.vendors.contract import Direction, Limits

from .lies import BY_KIND, ONLY_ON_GRID
from .market import Life

NEIGHBOUR_LIES = (*BY_KIND["refused"], *BY_KIND["harmless"])
"""What is told of a series whose neighbours in the same capability are honest: nothing that would pause them."""
LONG = ("P1D", "P1W", "P1M")
ALL_LIES = tuple(name for names in BY_KIND.values() for name in names)


@dataclass(frozen=True)
class Offer:
    """One service: its method, prefix, direction and page size."""

    method: str
    prefix: str
    direction: Direction
    page_rows: int
    durations: tuple[str, ...]
    limits: Limits


@dataclass(frozen=True)
class House:
    """One vendor: its offers, its products, the lies it may tell, and whether it lies about what it offers."""

    name: str
    offers: tuple[Offer, ...]
    lives: tuple[Life, ...]
    lies: tuple[str, ...] = ()
    lies_about_products: bool = False


def draw_houses(seed: int, epoch_ms: int, bars: int) -> tuple[House, ...]:
    """Return the vendors of a seed; products have up to so many bars of each duration at the epoch."""
    random = Random(f"world {seed}")
    without_grid = random.choice(["MB/", "MF/"])
    houses = [
        _draw_house(random, "mixed-backward", "MB/", "backward", epoch_ms, bars, "hhhll", NEIGHBOUR_LIES),
        _draw_house(random, "mixed-forward", "MF/", "forward", epoch_ms, bars, "hhll", NEIGHBOUR_LIES),
        _draw_house(random, "honest", "HON/", _draw_direction(random), epoch_ms, bars, "hh", ()),
        _draw_house(random, "liar", "LIAR/", _draw_direction(random), epoch_ms, bars, "lll", ALL_LIES),
        _draw_house(random, "long", "LONG/", _draw_direction(random), epoch_ms, bars, "hl", NEIGHBOUR_LIES, LONG),
        _draw_rates(random, "rates", "RATE/", epoch_ms, bars, "hhll", NEIGHBOUR_LIES),
        _draw_rates(random, "liar-rates", "LIARRATE/", epoch_ms, bars, "ll", ALL_LIES),
    ]
    random.shuffle(houses)
    return tuple(_free(house) if house.offers[0].prefix == without_grid else house for house in houses)


def _draw_house(
    random: Random,
    name: str,
    prefix: str,
    direction: Direction,
    epoch_ms: int,
    bars: int,
    tempers: str,
    lies: tuple[str, ...],
    durations: tuple[str, ...] = (),
) -> House:
    durations = durations or ("PT1M", *sorted(random.sample(["PT5M", "PT15M", "PT1H", "PT4H", "P1D"], 2)))
    lives = []
    for number, temper in enumerate(tempers):
        bar_ms = random.choice([parse_duration(text).nominal_ms for text in durations if text not in ("P1W", "P1M")])
        lives.append(_draw_life(random, f"{prefix}{number}", durations, epoch_ms, bars, bar_ms, temper == "l"))
    offer = Offer("IngestOHLC", prefix, direction, random.choice([20, 50, 100]), durations, _draw_limits(random))
    return House(name, (_say_size(random, offer),), tuple(lives), lies, name == "liar")


def _draw_rates(
    random: Random, name: str, prefix: str, epoch_ms: int, bars: int, tempers: str, lies: tuple[str, ...]
) -> House:
    lives = []
    for number, temper in enumerate(tempers):
        interval_ms = random.choice([HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS])
        life = _draw_life(random, f"{prefix}{number}", (), epoch_ms, bars, interval_ms, temper == "l")
        lives.append(life)
    direction = _draw_direction(random)
    offer = Offer("IngestInterestRate", prefix, direction, random.choice([20, 50]), (), _draw_limits(random))
    return House(name, (_say_size(random, offer),), tuple(lives), lies)


def _draw_life(
    random: Random, product_id: str, durations: tuple[str, ...], epoch_ms: int, bars: int, bar_ms: int, lies: bool
) -> Life:
    age_ms = bars * bar_ms // 4
    if "PT1M" in durations:
        age_ms = min(bars * bar_ms, 5 * bars * MINUTE_MS)
    listing_ms = epoch_ms - age_ms
    outages: tuple[Range, ...] = ()
    if random.random() < 0.4:
        start_ms = listing_ms + int(age_ms * random.uniform(0.1, 0.8))
        outages = (Range(start_ms, start_ms + int(age_ms * random.uniform(0.01, 0.15))),)
    is_delisted = random.random() < 0.2
    return Life(
        product_id,
        listing_ms,
        durations,
        delisting_ms=epoch_ms - int(age_ms * random.uniform(0.05, 0.4)) if is_delisted else None,
        is_listing_known=random.random() < 0.8,
        retention_ms=int(age_ms * random.uniform(0.5, 0.9)) if random.random() < 0.15 and not is_delisted else None,
        outages=outages,
        interval_ms=bar_ms,
        lies=lies,
    )


def _draw_direction(random: Random) -> Direction:
    return random.choice(["backward", "forward"])


def _draw_limits(random: Random) -> Limits:
    return Limits(concurrent=random.choice([1, 1, 3]), grace_ms=1_000)


def _free(house: House) -> House:
    """Make a vendor one whose bars need not lie on a grid: only what is stored tells that one is wrong."""
    # One request at a time: no clock moves meanwhile, so what was given honestly is stored before more is asked for.
    limits = replace(house.offers[0].limits, on_grid=False, concurrent=1)
    lies = tuple(name for name in house.lies if name not in ONLY_ON_GRID)
    return replace(house, offers=(replace(house.offers[0], limits=limits),), lies=lies)


def _say_size(random: Random, offer: Offer) -> Offer:
    """Let some vendors say how many rows a page has."""
    if random.random() < 0.5:
        return offer
    limits = Limits(offer.limits.concurrent, grace_ms=offer.limits.grace_ms, page_rows=offer.page_rows)
    return Offer(offer.method, offer.prefix, offer.direction, offer.page_rows, offer.durations, limits)

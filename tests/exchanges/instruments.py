"""Which instruments a loopback exchange lists, since when, and what is special about each.

Everything follows from the options, so a test and the server it talks to agree without a word. In each kind the
first instrument's funding interval changes, the second has an outage longer than two pages, the third's prices have
18 significant digits; where the exchange reports them, one more is delisted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from series_pipelines.core.duration import HOUR_MS

OUTAGE_MS: Final = 52 * HOUR_MS
DELISTED_BASE: Final = "LUNA"
# price, advertised price step, step the prices move in, volume step
_KNOWN: Final = {
    "BTC": (60_000.0, "0.1", "0.1", "0.0001"),
    "ETH": (2_600.0, "0.01", "0.01", "0.001"),
    "PEPE": (0.37, "0.000000000000000001", "0.000000012345678901", "1"),
    "SOL": (150.0, "0.01", "0.01", "0.01"),
    "XRP": (0.6, "0.0001", "0.0001", "1"),
    "ADA": (0.4, "0.0001", "0.0001", "1"),
    "DOGE": (0.1, "0.00001", "0.00001", "1"),
    "LTC": (70.0, "0.01", "0.01", "0.01"),
    DELISTED_BASE: (5.0, "0.0001", "0.0001", "0.1"),
}
_BASES: Final = tuple(base for base in _KNOWN if base != DELISTED_BASE)
_AGES: Final = (1.0, 0.8, 0.3, 0.5, 0.2)


@dataclass(frozen=True, slots=True)
class Options:
    """What decides an exchange's content: dates count back from `epoch_ms`, the oldest listing is `age_days` old."""

    seed: int = 1
    epoch_ms: int = 1_793_491_200_000
    instruments: int = 3
    age_days: float = 10.0


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of instrument of an exchange, and what its product ids begin with.

    With a `lot_step` volumes are traded in contracts, and if `volume_in_contracts` its bars count them too.
    `trim` says that decimals travel without trailing zeros. `keep_rows` and `keep_points` are how much of a series
    the exchange gives: the newest rows, or as many durations back from now.
    """

    name: str
    prefix: str
    name_instrument: Callable[[str, str], str]
    quotes: tuple[str, str] = ("USDT", "USDC")
    perpetual: bool = False
    settle: str | None = None
    lot_step: str | None = None
    volume_in_contracts: bool = False
    alias_of: str | None = None
    lends: bool = False
    reports_delisted: bool = False
    hourly_rates: bool = False
    settlement_price: bool = False
    rate_jitter_ms: int = 0
    rate_keep_ms: int | None = None
    rate_decimals: int = 8
    trim: bool = False
    keep_rows: int | None = None
    keep_points: int | None = None


@dataclass(frozen=True, slots=True)
class Instrument:
    """One instrument and its life. `cadences` are (from, every) of its funding; none means it has no rates."""

    kind: Kind
    instrument_id: str
    base: str
    quote: str
    listed_ms: int
    delisted_ms: int | None = None
    price: float = 1.0
    price_step: str = "0.0001"
    moving_step: str = "0.0001"
    volume_step: str = "0.1"
    outages: tuple[tuple[int, int], ...] = ()
    cadences: tuple[tuple[int, int], ...] = field(default=())
    number: int = 0

    @property
    def product_id(self) -> str:
        return self.kind.prefix + self.instrument_id

    @property
    def settle(self) -> str:
        return self.base if self.kind.settle == "base" else self.kind.settle or self.quote

    @property
    def lot_step(self) -> str:
        """The volume step as the exchange states it, in contracts where it trades those."""
        return self.kind.lot_step or self.volume_step

    @property
    def contract_size(self) -> Decimal:
        """How much of the base currency one contract is."""
        return Decimal(self.volume_step) / Decimal(self.lot_step)

    def count_contracts(self, volume: str) -> str:
        """Return a volume of the base currency as contracts."""
        return f"{(Decimal(volume) / self.contract_size).normalize():f}"

    @property
    def value_key(self) -> str:
        """What its prices follow from: an alias has the prices of its original."""
        venue = self.kind.prefix.split("/")[0]
        return f"{venue}/{self.kind.alias_of or self.kind.name}/{self.instrument_id}"

    def is_alive(self, now_ms: int) -> bool:
        """Whether it trades now."""
        return self.listed_ms <= now_ms and (self.delisted_ms is None or now_ms < self.delisted_ms)

    def find_rate_interval(self, now_ms: int) -> int:
        """Return the funding interval of now, in milliseconds."""
        return next((every for since, every in reversed(self.cadences) if since <= now_ms), 8 * HOUR_MS)


def make_instruments(kinds: Mapping[str, Kind], options: Options) -> list[Instrument]:
    """Make every instrument of an exchange, kind by kind."""
    made = []
    for kind in kinds.values():
        made += [_make_numbered(kind, number, options) for number in range(options.instruments)]
        if kind.reports_delisted:
            made.append(_make_delisted(kind, options))
    return made


def make_instrument(
    kind: Kind, base: str, quote: str, listed_ms: int, *, delisted_ms: int | None = None, number: int = 0
) -> Instrument:
    """Make one with nothing special about it."""
    price, price_step, moving_step, volume_step = _KNOWN.get(base, (1.0, "0.0001", "0.0001", "0.1"))
    return Instrument(
        kind=kind,
        instrument_id=kind.name_instrument(base, quote),
        base=base,
        quote=quote,
        listed_ms=listed_ms,
        delisted_ms=delisted_ms,
        price=price,
        price_step=price_step,
        moving_step=moving_step,
        volume_step=volume_step,
        cadences=((listed_ms, HOUR_MS if kind.hourly_rates else 8 * HOUR_MS),) if kind.perpetual else (),
        number=number,
    )


def _make_numbered(kind: Kind, number: int, options: Options) -> Instrument:
    base = _BASES[number] if number < len(_BASES) else f"SYN{number:03d}"
    age_ms = int(options.age_days * _AGES[number % len(_AGES)] * 24) * HOUR_MS
    listed_ms = options.epoch_ms - options.epoch_ms % HOUR_MS - age_ms
    plain = make_instrument(kind, base, kind.quotes[number == 1], listed_ms, number=number)
    if number == 0 and kind.perpetual and not kind.hourly_rates:
        return replace(plain, cadences=_change_cadence(listed_ms, age_ms))
    if number == 1:
        outage_ms = min(OUTAGE_MS, int(age_ms * 0.4) // HOUR_MS * HOUR_MS)
        start_ms = listed_ms + age_ms // 3 + 30 * 60_000
        return replace(plain, outages=((start_ms, start_ms + outage_ms),))
    return plain


def _make_delisted(kind: Kind, options: Options) -> Instrument:
    age_hours = int(options.age_days * 24)
    listed_ms = options.epoch_ms - options.epoch_ms % HOUR_MS - int(age_hours * 0.9) * HOUR_MS
    delisted_ms = listed_ms + int(age_hours * 0.5) * HOUR_MS
    return make_instrument(kind, DELISTED_BASE, kind.quotes[0], listed_ms, delisted_ms=delisted_ms, number=99)


def _change_cadence(listed_ms: int, age_ms: int) -> tuple[tuple[int, int], ...]:
    """Eight hours, then four, then one; it changes at a settlement of the longer interval."""
    step_ms = 8 * HOUR_MS
    to_four, to_one = ((listed_ms + int(age_ms * share)) // step_ms * step_ms for share in (0.4, 0.7))
    return (listed_ms, step_ms), (to_four, 4 * HOUR_MS), (to_one, HOUR_MS)

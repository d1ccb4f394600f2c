"""The truth behind the demo vendors: which rows a product has, and what stands in them.

Every value is a function of seed, product and time, so any page can be made without the ones before it. Prices are
whole ticks: a day's bar comes from noise, and each bar is split into smaller ones that begin and end where it does,
stay inside it and touch its high and low. So bars of all durations agree with each other exactly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, Duration
from series_pipelines.errors import InvalidInput
from series_pipelines.vendors.contract import Product

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bars = Ints  # rows: open, high, low, close and two random numbers; a column is a bar; prices in ticks

UNITS_MS: Final = (DAY_MS, 4 * HOUR_MS, HOUR_MS, 15 * MINUTE_MS, 5 * MINUTE_MS, MINUTE_MS)
HOUR_LEVEL: Final = UNITS_MS.index(HOUR_MS)
RATE_DECIMALS: Final = 8

_LOW_64: Final = 0xFFFFFFFFFFFFFFFF
_U32, _U48 = np.uint64(32), np.uint64(48)
_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True)
class DemoProduct:
    """A product and its life. Rates settle every `rate_every_ms`; derivatives have open interest and settlements."""

    product: Product
    listing_ms: int
    delisting_ms: int | None = None
    retention_ms: int | None = None
    outages: tuple[tuple[int, int], ...] = ()
    rate_every_ms: int = 8 * HOUR_MS
    derivative: bool = True
    base_price: float | None = None

    def __post_init__(self) -> None:
        if self.rate_every_ms < MINUTE_MS or self.rate_every_ms % MINUTE_MS:
            raise InvalidInput(f"rate_every_ms must be whole minutes, not {self.rate_every_ms}")

    @property
    def product_id(self) -> str:
        return self.product.product_id


class Grid:
    """Numbers the rows of a series, so that pages can be counted in rows. Without a duration: rate settlements."""

    def __init__(self, duration: Duration | None, rate_every_ms: int) -> None:
        self.duration = duration
        self.months = duration.months if duration else 0
        self.step_ms = duration.nominal_ms if duration else rate_every_ms
        self.origin_ms = duration.start_of_bar(0) if duration else 0

    def index_at(self, time_ms: int) -> int:
        """Return the number of the last row that begins at or before `time_ms`."""
        if self.months:
            return int(np.datetime64(time_ms, "ms").astype("datetime64[M]").astype(np.int64)) // self.months
        return (time_ms - self.origin_ms) // self.step_ms

    def index_from(self, time_ms: int) -> int:
        """Return the number of the first row that begins at or after `time_ms`."""
        return self.index_at(time_ms - 1) + 1

    def starts(self, indices: Ints) -> Ints:
        if self.months:
            months = (indices * self.months).astype("datetime64[M]")
            return months.astype("datetime64[ms]").astype(np.int64)
        return indices * self.step_ms + self.origin_ms

    def ends(self, indices: Ints) -> Ints:
        return self.starts(indices + 1)

    def find_stretches(self, life: DemoProduct, now_ms: int) -> Iterator[tuple[int, int]]:
        """Yield, oldest first, the first and last numbers of stretches of rows that the vendor has at `now_ms`.

        A bar is lost in an outage only if all of it lies inside.
        """
        first = self.index_at(life.listing_ms) if self.duration else self.index_from(life.listing_ms)
        if life.retention_ms is not None:
            first = max(first, self.index_from(now_ms - life.retention_ms))
        end_ms = now_ms if life.delisting_ms is None else min(now_ms, life.delisting_ms - 1)
        last = self.index_at(end_ms)
        for start_ms, stop_ms in sorted(life.outages):
            lost_from = self.index_from(start_ms)
            lost_until = self.index_at(stop_ms) if self.duration else self.index_from(stop_ms)
            if lost_from < lost_until:
                if first <= min(last, lost_from - 1):
                    yield first, min(last, lost_from - 1)
                first = max(first, lost_until)
        if first <= last:
            yield first, last


class Market:
    """The values of one product's rows."""

    def __init__(self, seed: int, life: DemoProduct) -> None:
        symbol = life.product_id.rpartition("/")[2]
        salt, symbol_salt = _hash_text(f"{seed}/{life.product_id}"), _hash_text(f"{seed}/symbol/{symbol}")
        self._derivative = life.derivative
        self._price_factor, self._price_decimals = _parse_step(life.product.price_step or "0.01")
        self._volume_factor, self._volume_decimals = _parse_step(life.product.volume_step or "0.001")
        tick = self._price_factor / 10**self._price_decimals
        self._base_ticks = life.base_price / tick if life.base_price else 10 ** (4 + 2 * _share(symbol_salt))
        self._volume_a_minute = 10 ** (3 + 2 * _share(salt))
        trend = tuple(
            (symbol_salt, days * DAY_MS, size) for days, size in ((64, 0.3), (16, 0.12), (4, 0.05), (1, 0.01))
        )
        self._trend = Waves((*trend, (salt, DAY_MS, 0.002)))
        self._flow = Waves(((salt, DAY_MS, 0.05 * 1440), (salt, HOUR_MS, 0.1 * 60), (salt, MINUTE_MS, 0.15)))
        self._interest = Waves(((salt + 1, 7 * DAY_MS, 0.3), (salt + 1, HOUR_MS, 0.05)))
        self._rate = Waves(((salt + 2, 3 * DAY_MS, 3e-4), (salt + 2, life.rate_every_ms, 1e-4)))
        self._salts = [np.uint64((salt + (level << 40)) & _LOW_64) for level in range(len(UNITS_MS))]
        # The hours of the last page, as the next page is likely to lie in the same days.
        self._kept_hours: tuple[int, int, Bars] = (0, -1, np.empty((6, 0), np.int64))

    def ohlc_rows(self, grid: Grid, indices: Ints, now_ms: int) -> list[tuple[Any, ...]]:
        """Return the bars of these numbers; the one that is still forming shows only what has happened by now."""
        starts, ends = grid.starts(indices), grid.ends(indices)
        prices = self._prices(grid, starts, ends)
        if ends[-1] > now_ms:
            _cut_forming_bar(prices, (now_ms - int(starts[-1])) / int(ends[-1] - starts[-1]))
        known_ends = np.minimum(ends, now_ms)
        amounts = [self._volume(starts, known_ends)]
        if self._derivative:
            amounts.append(self._open_interest(known_ends))
        columns = _cut(_format_decimals(prices.ravel() * self._price_factor, self._price_decimals), 4)
        units = np.concatenate(amounts) * self._volume_factor
        columns += _cut(_format_decimals(units, self._volume_decimals), len(amounts))
        if not self._derivative:
            columns.append([None] * len(indices))
        return list(zip(starts.tolist(), ends.tolist(), *columns, strict=True))

    def rate_rows(self, grid: Grid, indices: Ints) -> list[tuple[Any, ...]]:
        """Return the rates settled at these numbers."""
        times = grid.starts(indices)
        units = np.rint((1e-4 + self._rate.at(times)) * 10**RATE_DECIMALS).astype(np.int64)
        settled: list[str | None] = [None] * len(times)
        if self._derivative:
            prices = self._prices(grid, times, times + grid.step_ms)[0]
            settled[:] = _format_decimals(prices * self._price_factor, self._price_decimals)
        long_rates, short_rates = (_format_decimals(side, RATE_DECIMALS) for side in (-units, units))
        return list(zip(times.tolist(), long_rates, short_rates, settled, strict=True))

    def _volume(self, starts: Ints, ends: Ints) -> Ints:
        # The slopes of rhythm and noise add up to less than one, so the total only grows.
        times = np.concatenate((starts, ends))
        minutes = times / MINUTE_MS
        day = 2 * np.pi / 1440
        total = minutes - 0.35 / day * np.cos(minutes * day) + self._flow.at(times)
        until_start, until_end = np.floor(self._volume_a_minute * total).astype(np.int64).reshape(2, -1)
        return until_end - until_start

    def _open_interest(self, times: Ints) -> Ints:
        return (self._volume_a_minute * 1_000 * (1 + self._interest.at(times))).astype(np.int64)

    def _prices(self, grid: Grid, starts: Ints, ends: Ints) -> Ints:
        whole_ms = DAY_MS if grid.months else grid.step_ms
        level = next(level for level, unit_ms in enumerate(UNITS_MS) if whole_ms % unit_ms == 0)
        unit_ms, first_ms = UNITS_MS[level], int(starts[0])
        bars = self._unit_bars(level, first_ms, int(ends[-1]))[:4]
        left = (starts - first_ms) // unit_ms
        if unit_ms == grid.step_ms:
            return bars.take(left, axis=1)
        right = (ends - first_ms) // unit_ms
        edges = np.column_stack((left, right)).ravel()
        high = np.maximum.reduceat(bars[1], edges)[::2]
        low = np.minimum.reduceat(bars[2], edges)[::2]
        return _pack((bars[0][left], high, low, bars[3][right - 1]))

    def _unit_bars(self, level: int, start_ms: int, end_ms: int) -> Bars:
        """Return the bars of one unit from `start_ms`, and at least one more of which only the open counts."""
        if level <= HOUR_LEVEL:
            return self._refine(self._day_bars(start_ms, end_ms), 0, level, start_ms, end_ms)
        kept_from, kept_until, hours = self._kept_hours
        if not kept_from <= start_ms <= end_ms <= kept_until:
            kept_from, kept_until = start_ms - start_ms % DAY_MS, end_ms - end_ms % DAY_MS + DAY_MS
            hours = self._unit_bars(HOUR_LEVEL, kept_from, kept_until)
            self._kept_hours = kept_from, kept_until, hours
        hours = hours[:, start_ms // HOUR_MS - kept_from // HOUR_MS :]
        return self._refine(hours, HOUR_LEVEL, level, start_ms, end_ms)

    def _refine(self, bars: Bars, level: int, finer: int, start_ms: int, end_ms: int) -> Bars:
        for depth in range(level + 1, finer + 1):
            bars = self._split(bars, depth, start_ms, end_ms)
        return bars

    def _day_bars(self, start_ms: int, end_ms: int) -> Bars:
        days = _number_units(0, start_ms, end_ms)
        price = np.rint(self._base_ticks * np.exp(self._trend.at(days * DAY_MS)))
        opened = np.maximum(price, 2).astype(np.int64)
        closed = _shift(opened)
        chance = _chances(days, self._salts[0])
        high = np.maximum(opened, closed)
        high += high * (800 + chance[0]) >> 22
        low = np.minimum(opened, closed)
        low -= low * (800 + chance[1]) >> 22
        return _pack((opened, high, np.maximum(low, 1), closed, chance[2], chance[3]))

    def _split(self, parents: Bars, depth: int, start_ms: int, end_ms: int) -> Bars:
        parts = UNITS_MS[depth - 1] // UNITS_MS[depth]
        numbers = _number_units(depth, start_ms, end_ms)
        chance = _chances(numbers, self._salts[depth])
        parent, place = np.divmod(numbers, parts)
        begin, ceiling, floor, end, pick_high, pick_low = parents.take(parent - parent[0], axis=1)
        line = begin + (end - begin) * place // parts
        anywhere = floor + ((ceiling - floor + 1) * chance[0] >> 16)
        opened = np.where(place == 0, begin, (line + anywhere) >> 1)
        closed = _shift(opened)
        high, low = np.maximum(opened, closed), np.minimum(opened, closed)
        high += (ceiling - high) * chance[1] >> 18
        low -= (low - floor) * chance[1] >> 18
        high = np.where(place == pick_high % parts, ceiling, high)
        low = np.where(place == pick_low % parts, floor, low)
        return _pack((opened, high, low, closed, chance[2], chance[3]))


class Waves:
    """Noises of given (salt, period, size), added: random at the multiples of the period, straight in between."""

    def __init__(self, octaves: tuple[tuple[int, int, float], ...]) -> None:
        self._salts = np.array([[(salt + (period << 20)) & _LOW_64] for salt, period, _ in octaves], np.uint64)
        self._periods = np.array([[period] for _, period, _ in octaves])
        self._sizes = np.array([size for _, _, size in octaves])

    def at(self, times: Ints) -> Floats:
        number, rest = np.divmod(times, self._periods)
        left = _hash(number, self._salts) >> _U48
        right = _hash(number + 1, self._salts) >> _U48
        share = rest / self._periods
        height = (left * (1.0 - share) + right * share) / 0x8000 - 1.0
        return self._sizes @ height  # type: ignore[no-any-return]


def _cut_forming_bar(prices: Ints, elapsed: float) -> None:
    opened, closed = int(prices[0, -1]), int(prices[3, -1])
    price = opened + round((closed - opened) * elapsed)
    prices[1:, -1] = max(opened, price), min(opened, price), price


def _number_units(level: int, start_ms: int, end_ms: int) -> Ints:
    return np.arange(start_ms // UNITS_MS[level], end_ms // UNITS_MS[level] + 2)


def _pack(rows: tuple[Ints, ...]) -> Ints:
    return np.concatenate(rows).reshape(len(rows), -1)


def _shift(opened: Ints) -> Ints:
    return np.concatenate((opened[1:], opened[-1:]))


def _hash(numbers: Ints, salt: np.uint64 | npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    mixed = numbers.view(np.uint64) + salt
    mixed *= _MIX_1
    mixed ^= mixed >> _U32
    mixed *= _MIX_2
    mixed ^= mixed >> _U32
    return mixed


def _chances(numbers: Ints, salt: np.uint64) -> Ints:
    """Return four rows of random 16-bit numbers."""
    return _hash(numbers, salt).view(np.uint16).reshape(-1, 4).T.astype(np.int64)


def _hash_text(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def _share(salt: int) -> float:
    return (salt & 0xFFFF) / 0x10000


def _cut(texts: list[str], columns: int) -> list[list[str] | list[None]]:
    count = len(texts) // columns
    return [texts[column * count : (column + 1) * count] for column in range(columns)]


def _parse_step(step_text: str) -> tuple[int, int]:
    step = Decimal(step_text)
    exponent = step.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    return int(step.scaleb(decimals)), decimals


def _format_decimals(units: Ints, decimals: int) -> list[str]:
    """Write whole numbers of the last decimal as decimal texts, all at once and digit by digit: this is hot."""
    rest = np.abs(units)
    digits = max(len(str(int(rest.max()))), decimals + 1)
    text = np.full((len(units), digits + 3), ord(" "), np.uint8)
    column = digits + 1
    for place in range(digits):
        if place == decimals and decimals:
            text[:, column] = ord(".")
            column -= 1
        tens = rest // 10
        digit = rest - 10 * tens + ord("0")
        text[:, column] = digit if place <= decimals else np.where(rest > 0, digit, ord(" "))
        column -= 1
        rest = tens
    texts = text.tobytes().decode("ascii").split()
    if units.min() < 0:
        return ["-" + word if unit < 0 else word for word, unit in zip(texts, units.tolist(), strict=True)]
    return texts

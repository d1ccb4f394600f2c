"""One instrument's bars of one length: found by number, made in blocks, written once in the exchange's own words.

A page is then a slice. Bars are numbered through; those in an outage have numbers too, but are never found.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from series_pipelines.core.duration import HOUR_MS, parse_duration
from series_pipelines.vendors.contract import Product
from series_pipelines.vendors.demo import market as demo_market
from series_pipelines.vendors.demo.market import DemoProduct, Grid

from .instruments import Instrument
from .wire import Exchange, Row, trim_zeros

NEVER_MS: Final = 1 << 52
_BLOCK: Final = 512


class BarSeries:
    """The bars of one instrument in one of the exchange's words for a length."""

    def __init__(self, exchange: Exchange, instrument: Instrument, interval: str, values: demo_market.Market) -> None:
        self._render, self._instrument, self._values = exchange.render_bar, instrument, values
        self._duration = parse_duration(exchange.intervals[interval].duration)
        self._shift_ms = exchange.intervals[interval].shift_ms
        self._grid = Grid(self._duration, HOUR_MS)
        self._texts: dict[int, list[str]] = {}
        self._life = make_life(instrument, self._shift_ms)

    def find_rows(
        self, start_ms: int, end_ms: int, now_ms: int, *, limit: int | None, newest: bool, forming: bool
    ) -> list[tuple[int, int]]:
        """Return first and last numbers of stretches of bars that begin in [start, end), oldest first."""
        shift_ms, kind = self._shift_ms, self._instrument.kind
        stretches = list(self._grid.find_stretches(self._life, now_ms + shift_ms))
        if kind.keep_rows is not None:
            stretches = _keep(stretches, kind.keep_rows, newest=True)
        if kind.keep_points is not None:
            start_ms = max(start_ms, now_ms - kind.keep_points * self._duration.nominal_ms)
        least = self._grid.index_from(max(start_ms, 0) + shift_ms)
        most = self._grid.index_at(max(end_ms, 0) + shift_ms - 1)
        if not forming:
            most = min(most, self._grid.index_at(now_ms + shift_ms) - 1)
        inside = [(max(first, least), min(last, most)) for first, last in stretches]
        return _keep([pair for pair in inside if pair[0] <= pair[1]], limit, newest=newest)

    def texts(self, stretches: Sequence[tuple[int, int]], now_ms: int) -> list[str]:
        """Return these bars as the exchange writes them; the last one may still be forming."""
        found: list[str] = []
        for first, last in stretches:
            for block in range(first // _BLOCK, last // _BLOCK + 1):
                low = max(first - block * _BLOCK, 0)
                found += self._block(block)[low : last - block * _BLOCK + 1]
        if stretches and self._end_of(stretches[-1][1]) > now_ms:
            row = self.rows([(stretches[-1][1],) * 2], now_ms)[0]
            found[-1] = self._render(self._instrument, row, False)
        return found

    def rows(self, stretches: Sequence[tuple[int, int]], now_ms: int) -> list[Row]:
        """Return these bars' values."""
        made = []
        for first, last in stretches:
            for row in self._values.ohlc_rows(self._grid, np.arange(first, last + 1), now_ms + self._shift_ms):
                made.append((row[0] - self._shift_ms, row[1] - self._shift_ms, *self._write(row[2:7])))
        return made

    def _write(self, decimals: Sequence[str]) -> Sequence[str]:
        kind = self._instrument.kind
        if kind.volume_in_contracts:
            decimals = *decimals[:4], self._instrument.count_contracts(decimals[4])
        return [trim_zeros(text) for text in decimals] if kind.trim else decimals

    def _end_of(self, number: int) -> int:
        return int(self._grid.ends(np.array([number]))[0]) - self._shift_ms

    def _block(self, block: int) -> list[str]:
        if (texts := self._texts.get(block)) is None:
            rows = self.rows([(block * _BLOCK, (block + 1) * _BLOCK - 1)], NEVER_MS)
            texts = self._texts[block] = [self._render(self._instrument, row, True) for row in rows]
        return texts


def make_life(instrument: Instrument, shift_ms: int) -> DemoProduct:
    """Return an instrument's life as the demo market reads it, moved by `shift_ms`."""
    product = Product(instrument.value_key, price_step=instrument.moving_step, volume_step=instrument.volume_step)
    return DemoProduct(
        product=product,
        listing_ms=instrument.listed_ms + shift_ms,
        delisting_ms=None if instrument.delisted_ms is None else instrument.delisted_ms + shift_ms,
        outages=tuple((start + shift_ms, end + shift_ms) for start, end in instrument.outages),
        rate_every_ms=HOUR_MS,
        base_price=instrument.price,
    )


def _keep(stretches: list[tuple[int, int]], limit: int | None, *, newest: bool) -> list[tuple[int, int]]:
    if limit is None:
        return stretches
    kept: list[tuple[int, int]] = []
    for first, last in reversed(stretches) if newest else stretches:
        count = min(last - first + 1, limit)
        if count <= 0:
            break
        kept.append((last - count + 1, last) if newest else (first, first + count - 1))
        limit -= count
    return kept[::-1] if newest else kept

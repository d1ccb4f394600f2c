"""The truth behind a loopback exchange: every bar and every rate, each a function of seed, instrument and time.

`Market` is what a server asks; `Truth` shows the same to a test, in its own process.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.vendors.demo import market as demo_market
from series_pipelines.vendors.demo.market import Grid

from .bars import NEVER_MS, BarSeries, make_life
from .catalogue import load_exchange
from .instruments import Instrument, Kind, Options, make_instrument, make_instruments
from .wire import Exchange, Rate, Row, trim_zeros


class Market:
    """All instruments of one exchange. Instruments may be added and vanish while it runs."""

    def __init__(self, exchange: Exchange, options: Options) -> None:
        self.exchange, self.options = exchange, options
        self.instruments = {each.product_id: each for each in make_instruments(exchange.kinds, options)}
        self.hidden: set[str] = set()
        self.gone: set[str] = set()
        self._values: dict[str, demo_market.Market] = {}
        self._series: dict[tuple[str, str], BarSeries] = {}
        self._rates: dict[str, tuple[int, list[Rate]]] = {}

    def listed(self, kind: str) -> list[Instrument]:
        """Return the instruments that the exchange's list of this kind names."""
        return [
            each for each in self.instruments.values() if each.kind.name == kind and each.product_id not in self.hidden
        ]

    def find(self, kind: str, instrument_id: str) -> Instrument | None:
        """Return the instrument of that name, if requests for it are answered."""
        product_id = self.exchange.kinds[kind].prefix + instrument_id
        return None if product_id in self.gone else self.instruments.get(product_id)

    def add(self, prefix: str, base: str, quote: str, listed_ms: int) -> Instrument:
        """List one more instrument."""
        kind = find_kind(self.exchange, prefix)
        added = make_instrument(kind, base, quote, listed_ms, number=len(self.instruments))
        self.instruments[added.product_id] = added
        return added

    def vanish(self, product_id: str, at_ms: int, *, gone: bool = False) -> None:
        """Take an instrument off its list at that time; if `gone`, its history can't be asked for either."""
        if product_id not in self.instruments:
            raise KeyError(product_id)
        self.instruments[product_id] = replace(self.instruments[product_id], delisted_ms=at_ms)
        self.hidden.add(product_id)
        if gone:
            self.gone.add(product_id)
        self._series = {key: series for key, series in self._series.items() if key[0] != product_id}
        self._rates.pop(product_id, None)

    def series(self, instrument: Instrument, interval: str) -> BarSeries:
        """Return an instrument's bars in the exchange's word for their length."""
        key = instrument.product_id, interval
        if (series := self._series.get(key)) is None:
            series = self._series[key] = BarSeries(self.exchange, instrument, interval, self._value(instrument))
        return series

    def bar_texts(
        self,
        instrument: Instrument,
        interval: str,
        *,
        now_ms: int,
        start_ms: int,
        end_ms: int,
        limit: int,
        newest: bool,
        forming: bool,
    ) -> list[str]:
        """Return a page of bars as the exchange writes them, oldest first."""
        series = self.series(instrument, interval)
        found = series.find_rows(start_ms, end_ms, now_ms, limit=limit, newest=newest, forming=forming)
        return series.texts(found, now_ms)

    def rates(self, instrument: Instrument, now_ms: int) -> Sequence[Rate]:
        """Return the rates settled by now that the exchange still gives, oldest first."""
        made_until, rates = self._rates.get(instrument.product_id, (0, []))
        if made_until < now_ms:
            made_until = now_ms + 7 * DAY_MS
            rates = _make_rates(instrument, self._value(instrument), made_until)
            self._rates[instrument.product_id] = made_until, rates
        keep_ms = instrument.kind.rate_keep_ms
        least_ms = 0 if keep_ms is None else now_ms - keep_ms
        return [rate for rate in rates if least_ms <= rate[0] <= now_ms]

    def lending_rates(self, currency: str, now_ms: int) -> Sequence[Rate]:
        """Return the hourly rates at which a currency was lent, oldest first; none for an unknown currency."""
        listed = [each.listed_ms for each in self.instruments.values() if currency in (each.base, each.quote)]
        if not listed:
            return []
        kind = Kind("LENDING", "LENDING/", lambda base, quote: base, hourly_rates=True, perpetual=True, trim=True)
        return self.rates(make_instrument(kind, currency, currency, min(listed)), now_ms)

    def _value(self, instrument: Instrument) -> demo_market.Market:
        if (values := self._values.get(instrument.value_key)) is None:
            values = demo_market.Market(self.options.seed, make_life(instrument, 0))
            self._values[instrument.value_key] = values
        return values


class TrueProduct(NamedTuple):
    """A product as a test expects to find it."""

    product_id: str
    listed_ms: int
    delisted_ms: int | None
    base: str
    quote: str
    price_step: str
    volume_step: str


class Truth:
    """What one exchange can give, for a test to compare with: it follows from its name, seed and other `Options`."""

    def __init__(self, exchange: str, seed: int = 1, **options: Any) -> None:
        self.market = Market(load_exchange(exchange), Options(seed=seed, **options))

    def products(self) -> list[TrueProduct]:
        """Return every product that the exchange lists, delisted ones where it reports them."""
        return [
            TrueProduct(
                each.product_id,
                each.listed_ms,
                each.delisted_ms,
                each.base,
                each.quote,
                each.price_step,
                each.lot_step,
            )
            for each in self.market.instruments.values()
            if each.product_id not in self.market.hidden
        ]

    def bars(self, product_id: str, duration: str, now_ms: int) -> list[Row]:
        """Return all closed bars that the exchange gives at `now_ms`, oldest first, decimals as on the wire."""
        instrument = self.market.instruments[product_id]
        series = self.market.series(instrument, self.market.exchange.find_interval(duration))
        found = series.find_rows(0, NEVER_MS, now_ms, limit=None, newest=True, forming=False)
        return series.rows(found, now_ms)

    def rates(self, product_id: str, now_ms: int) -> list[tuple[int, str, str | None]]:
        """Return (created, rate, settlement price) of all rates that it gives, oldest first.

        A spot product has none; where lending is public, one on margin has its base currency's (`lending_rates`).
        """
        instrument = self.market.instruments[product_id]
        if instrument.kind.lends:
            return self.lending_rates(instrument.base, now_ms)
        priced = instrument.kind.settlement_price
        return [(time, rate, price if priced else None) for time, rate, price in self.market.rates(instrument, now_ms)]

    def lending_rates(self, currency: str, now_ms: int) -> list[tuple[int, str, str | None]]:
        """Return (created, rate, None) of a currency's public lending rates, oldest first."""
        return [(time, rate, None) for time, rate, _ in self.market.lending_rates(currency, now_ms)]


def find_kind(exchange: Exchange, prefix: str) -> Kind:
    """Return the kind whose product ids begin so."""
    return next(kind for kind in exchange.kinds.values() if kind.prefix == prefix)


def _make_rates(instrument: Instrument, values: demo_market.Market, until_ms: int) -> list[Rate]:
    times: list[int] = []
    cadences = instrument.cadences
    if not cadences:
        return []
    end_ms = until_ms if instrument.delisted_ms is None else min(until_ms, instrument.delisted_ms - 1)
    for (since_ms, every_ms), next_ms in zip(cadences, [since for since, _ in cadences[1:]] + [NEVER_MS], strict=True):
        first_ms = since_ms + -since_ms % every_ms
        times += range(first_ms, min(next_ms, end_ms + 1), every_ms)
    if not times:
        return []
    jitter_ms, trim = instrument.kind.rate_jitter_ms, instrument.kind.trim
    rows = values.rate_rows(Grid(None, HOUR_MS), np.array(times) // HOUR_MS)
    return [
        (
            time_ms + (time_ms // HOUR_MS * 7919 % (jitter_ms + 1)),
            trim_zeros(rate) if trim else rate,
            price or "",
        )
        for time_ms, _, rate, price in rows
    ]

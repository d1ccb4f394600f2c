"""Makes products of ccxt's markets: which market belongs under which prefix, and its steps and dates as text. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import PageRefused
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.contract import Product
from series_pipelines.vendors.exchanges.spec import Exchange, Segment

# Binance's word for "never" where a perpetual contract must name its last day.
NEVER_MS: Final = 4_133_404_800_000
MOST_DIGITS: Final = 60


def make_products(
    exchange: Exchange,
    offers: Iterable[Segment],
    markets: Sequence[Mapping[str, Any]],
) -> list[Product]:
    """Return all products. A prefix without any market is not believed: markets do not all vanish."""
    products = []
    for offer in offers:
        found = [_make_product(exchange, offer, market) for market in markets if _belongs(offer, market)]
        if not found:
            raise PageRefused(f"{exchange.name}: it lists no market for {offer.prefix}, which can't be true")
        products += found
    return products


def format_decimal(value: object) -> str | None:
    """Return a number as plain decimal text, 1e-08 as 0.00000001; None for what is no number."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = Decimal(value) if isinstance(value, str) else Decimal(repr(value))
    except InvalidOperation:
        return None
    # Written out, 1e999999999 would fill the memory.
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
        return None
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _belongs(offer: Segment, market: Mapping[str, Any]) -> bool:
    if offer.quotes and market.get("quote") not in offer.quotes:
        return False
    if offer.kind == "spot":
        return market.get("spot") is True
    if offer.kind == "margin":
        return market.get("spot") is True and market.get("margin") is True
    return market.get("swap") is True and (offer.kind == "swap" or market.get(offer.kind) is True)


def _make_product(exchange: Exchange, offer: Segment, market: Mapping[str, Any]) -> Product:
    info = market.get("info") or {}
    instrument = market.get(exchange.id_field) if market.get("contract") else market.get("id")
    precision = market.get("precision") or {}
    spot = market.get("spot") is True
    created = _to_time(market.get("created"))
    listed = [*([created + exchange.created_shift_ms] if created else []), *_read_times(info, exchange.listed)]
    delisted = [time for time in _read_times(info, exchange.delisted) if time != NEVER_MS]
    return Product(
        product_id=f"{offer.prefix}{instrument}",
        name=str(market.get("symbol") or instrument),
        base_currency=str(market.get("base") or ""),
        quote_currency=str(market.get("quote") or ""),
        price_step=format_decimal(precision.get("price")),
        volume_step=format_decimal(precision.get("amount")),
        value_scale="1" if spot else format_decimal(market.get("contractSize")) or "1",
        allow_long=True,
        allow_short=offer.kind != "spot",
        no_interest_rate=offer.rates is None,
        market_id=exchange.name.upper(),
        # Trading before the listing that is announced has bars too.
        listed_ms=min(listed, default=None),
        delisted_ms=min(delisted, default=None),
        trading=market.get("active") is not False,
    )


def _read_times(info: Mapping[str, Any], names: tuple[str, ...]) -> list[int]:
    times = []
    for name in names:
        field, _, unit = name.partition(":")
        time = _to_time(info.get(field))
        if time:
            times.append(time * (1_000 if unit == "s" else 1))
    return times


def _to_time(value: object) -> int | None:
    try:
        time = Decimal(str(value))
        return int(time) if 0 < time <= LAST_MOMENT_MS and int(time) else None
    except (InvalidOperation, ValueError):
        return None


def is_wanted(product: Product, config: ExchangeConfig, now_ms: int) -> bool:
    """Whether the configuration asks for a product."""
    if config.quotes and product.quote_currency not in config.quotes:
        return False
    if config.products and product.product_id not in config.products:
        return False
    return product.listed_ms is None or now_ms - product.listed_ms >= config.min_age_days * DAY_MS

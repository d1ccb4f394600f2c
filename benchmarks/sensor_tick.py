"""Row 7: what one tick costs with many series: each sensor evaluated in a process of its own, on a real instance."""

from typing import Final

from benchmarks.coverage import MINUTE, add_ranges, age_states
from benchmarks.dagster_home import ask_child, make_environment
from benchmarks.harness import Row, say
from benchmarks.market import read_clock
from benchmarks.server import Server, vacuum
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.postgres.connection import connect
from series_pipelines.vendors.loading import load_vendors
from series_pipelines.vendors.registry import Registry

TARGET_SECONDS: Final = 3.0
TARGET_MB: Final = 500.0
RANGES: Final = 3
SENSORS: Final = ("ohlc_v2_head", "ohlc_v2_tail", "universe")
# Five sixths of the demo's products have six OHLC series each, and two thirds a rate.
PRODUCTS: Final = 4_002
QUICK_PRODUCTS: Final = 402


def run(server: Server, quick: bool) -> list[Row]:
    """Fill the tables of the demo vendors' series and tick."""
    products = QUICK_PRODUCTS if quick else PRODUCTS
    settings = {"SERIES_VENDORS": "demo", "SERIES_DEMO_PRODUCTS": str(products)}
    with server.fresh_database() as url:
        with connect(url, purpose="bench") as conn:
            report = sync_universe(
                conn, Registry(*load_vendors(["demo"], {"demo": {"products": products}})), read_clock()
            )
            for table_name in report.series:
                add_ranges(conn, RANGES, step=300 * MINUTE, length=300 * MINUTE, gap=60 * MINUTE, table=table_name)
            age_states(conn)
        vacuum(url)
        environment = make_environment(server, url, settings)
        for table_name in report.series:
            ask_child("partitions", table_name, environment)
        ohlc, rates = report.series["ohlc_v2"], report.series["interest_rate"]
        say(f"sensor_tick: {ohlc} OHLC and {rates} rate series")
        ticks = {name: ask_child("tick", name, environment) for name in SENSORS}
    for name, tick in ticks.items():
        say(f"sensor_tick: {name}: {tick}")
    seconds = max(tick["seconds"] for tick in ticks.values())
    peak_mb = max(tick["peak_mb"] for tick in ticks.values())
    each = "; ".join(f"{name} {tick['seconds']:.2f} s, {tick['peak_mb']:.0f} MB" for name, tick in ticks.items())
    return [
        Row(
            f"a sensor tick at {ohlc:,} series",
            f"under {TARGET_SECONDS:.0f} s, under {TARGET_MB:.0f} MB",
            f"{seconds:.2f} s, {peak_mb:.0f} MB",
            seconds < TARGET_SECONDS and peak_mb < TARGET_MB,
            f"the worst of: {each}; {ohlc:,} OHLC and {rates:,} rate series, {RANGES} ranges each; peak memory of the "
            "whole process",
            {"seconds": seconds, "peak_mb": peak_mb, "head_seconds": ticks["ohlc_v2_head"]["seconds"]},
        )
    ]

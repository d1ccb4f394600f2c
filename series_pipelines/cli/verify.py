"""`verify`: does coverage stand, and take back what does not."""

from typing import TYPE_CHECKING, Any, Final

import click

from series_pipelines.cli.exit_codes import DONE, FAILED
from series_pipelines.cli.options import with_json, with_series, with_table
from series_pipelines.cli.output import print_json, print_table, to_iso
from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import format_span, format_time

if TYPE_CHECKING:
    from series_pipelines.ingest.verify import Fault

MOST_SHOWN: Final = 50
_COLUMNS: Final = ("series", "what", "from", "to", ">how long", "taken back")


@click.command("verify", short_help="Hold coverage against rows, evidence and clocks.")
@with_series(required=False)
@with_table
@click.option("--mend", "do_mend", is_flag=True, help="Take back what does not stand, so that it is asked for again.")
@with_json
@click.pass_context
def verify_command(
    ctx: click.Context, series: tuple[str, ...], table_name: str | None, do_mend: bool, as_json: bool
) -> None:
    """Hold the coverage of SERIES, or of all, against their rows, the evidence, the clock and what a page can span.

    Covered time without rows or a believable hole, time and rows that are still to come or were told before they came,
    rows from before or after a product's life, and bars across each other do not stand. --mend takes them back: the
    time is unknown again and asked for, the ledger has an event and the revisions have what the rows said. The exit
    code is 1 if anything still does not stand.

    Example: series verify 'DEMO/SWAP/*/1m' --mend
    """
    from series_pipelines.cli.session import choose_series, open_database
    from series_pipelines.ingest.verify import mend, verify_series
    from series_pipelines.settings import load_settings
    from series_pipelines.store.clock import read_clock
    from series_pipelines.system_clock import SystemClock

    now_ms = SystemClock().now_ms()
    with open_database("verify") as conn:
        tolerance_ms = load_settings().clock_tolerance_seconds * 1000
        limit_ms = max(now_ms, read_clock(conn)) + tolerance_ms
        chosen = choose_series(conn, series, table_name) if series else None
        found = []
        for name in TABLES if table_name is None else (table_name,):
            wanted = None if chosen is None else [each.series_id for each in chosen if each.table_name == name]
            found += verify_series(conn, name, wanted, limit_ms, tolerance_ms)
        conn.commit()
        if do_mend:
            found = mend(conn, found, limit_ms, now_ms, tolerance_ms)
    if as_json:
        print_json([_describe(fault) for fault in found])
    else:
        _print(found)
    ctx.exit(DONE if all(fault.is_mended for fault in found) else FAILED)


def _describe(fault: "Fault") -> dict[str, Any]:
    return {
        "series_id": fault.series_id,
        "table_name": fault.table_name,
        "what": fault.what,
        "start": to_iso(fault.window.start_ms),
        "end": to_iso(fault.window.end_ms),
        "taken_back": fault.is_mended,
    }


def _print(found: "list[Fault]") -> None:
    from series_pipelines.ingest.verify import WHY

    if not found:
        click.echo("all coverage stands")
        return
    rows = [
        (
            fault.series_id,
            fault.what,
            format_time(fault.window.start_ms),
            format_time(fault.window.end_ms),
            format_span(fault.window.end_ms - fault.window.start_ms),
            "yes" if fault.is_mended else "no",
        )
        for fault in found[:MOST_SHOWN]
    ]
    print_table(_COLUMNS, rows)
    more = f", the first {MOST_SHOWN} shown" if len(found) > MOST_SHOWN else ""
    click.echo(f"\n{len(found)} things do not stand{more}")
    for what in sorted({fault.what for fault in found}):
        click.echo(f"{what}: {WHY[what]}")

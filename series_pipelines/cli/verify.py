"""`verify`: does coverage stand, and take back what does not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from series_pipelines.cli.exit_codes import DONE, FAILED
from series_pipelines.cli.options import with_json, with_series, with_table
from series_pipelines.cli.output import print_json, print_table
from series_pipelines.core.times import format_span, format_time

if TYPE_CHECKING:
    from series_pipelines.ingest.proving.verify import Fault

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
    from series_pipelines.actions.choosing import choose_series
    from series_pipelines.actions.verify import verify_chosen
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.app.settings import load_settings
    from series_pipelines.cli.session import open_database

    now_ms, tolerance_ms = SystemClock().now_ms(), load_settings().clock_tolerance_seconds * 1000
    with open_database("verify") as conn:
        chosen = choose_series(conn, series, table_name) if series else None
        done = verify_chosen(conn, chosen, table_name, now_ms, tolerance_ms, do_mend=do_mend)
    if as_json:
        print_json(done.as_json())
    else:
        _print(done.faults)
    ctx.exit(DONE if done.stands else FAILED)


def _print(found: "Sequence[Fault]") -> None:
    from series_pipelines.ingest.proving.verify import WHY

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

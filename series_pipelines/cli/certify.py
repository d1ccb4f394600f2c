"""`certify`: what is known of a window of series, with a digest of their rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from series_pipelines.cli.exit_codes import DONE, FAILED
from series_pipelines.cli.ledger_months import describe_digest
from series_pipelines.cli.options import check_window, with_json, with_series, with_table, with_window
from series_pipelines.cli.output import print_json, to_iso
from series_pipelines.core.coverage import COVERAGE_KINDS
from series_pipelines.core.ranges import Range
from series_pipelines.core.times import format_span, format_time

if TYPE_CHECKING:
    from series_pipelines.ingest.certify import Certificate


@click.command("certify", short_help="Certify what is known of a window of series.")
@with_series(required=True)
@with_window
@with_table
@with_json
@click.pass_context
def certify_command(
    ctx: click.Context,
    series: tuple[str, ...],
    start_ms: int | None,
    end_ms: int | None,
    table_name: str | None,
    as_json: bool,
) -> None:
    """Certify what is known of SERIES between --start and --end: time by kind, rows, their digest, ledger position.

    The same data gives the same digest, one changed bar another. Without --start from where the series is proven to
    begin, or was listed; without --end until the last bar that has closed. The exit code is 1 if anything of a window
    is unknown or was refused.

    Example: series certify DEMO/SWAP/BTC-USDT/1h --start 2026-01-01 --end 2026-02-01
    """
    from series_pipelines.cli.session import choose_series, ensure_series, open_database
    from series_pipelines.cli.status import measure_series
    from series_pipelines.ingest.certify import certify
    from series_pipelines.store import ledger_months
    from series_pipelines.system_clock import SystemClock

    now_ms = SystemClock().now_ms()
    check_window(start_ms, end_ms if end_ms is not None else now_ms)
    with open_database("certify") as conn:
        ensure_series(conn)
        chosen = choose_series(conn, series, table_name)
        windows = [
            choose_window(entry.coverage.life or Range(0, now_ms), start_ms, end_ms, now_ms)
            for entry in measure_series(conn, chosen, now_ms)
        ]
        conn.commit()
        ledger_months.close_months(conn)
        certificates = [
            certify(conn, known.table_name, known.series_id, window)
            for known, window in zip(chosen, windows, strict=True)
        ]
    if as_json:
        print_json([_describe(certificate) for certificate in certificates])
    else:
        for certificate in certificates:
            _print(certificate)
        _print_ledger_months(certificates)
    ctx.exit(DONE if all(certificate.is_complete for certificate in certificates) else FAILED)


def choose_window(life: Range, start_ms: int | None, end_ms: int | None, now_ms: int) -> Range:
    """Return what is to be certified: what was asked for, else all that can be known of the series' life."""
    if end_ms is None:
        end_ms = life.end_ms if start_ms is None or start_ms < life.end_ms else now_ms
    if start_ms is None:
        start_ms = life.start_ms if life.start_ms < end_ms else 0
    check_window(start_ms, end_ms)
    return Range(start_ms, end_ms)


def _describe(certificate: "Certificate") -> dict[str, Any]:
    return {
        "series_id": certificate.series_id,
        "table_name": certificate.table_name,
        "start": to_iso(certificate.window.start_ms),
        "end": to_iso(certificate.window.end_ms),
        "complete": certificate.is_complete,
        "kinds": {kind: span_ms / 1000 for kind, span_ms in certificate.kinds.items()},
        "stretches": [
            {"kind": stretch.kind, "start": to_iso(stretch.start_ms), "end": to_iso(stretch.end_ms)}
            for stretch in certificate.stretches
        ],
        "rows": certificate.rows,
        "digest": f"sha256:{certificate.digest}",
        "ledger_position": certificate.ledger_position,
        "ledger_months": [describe_digest(digest) for digest in certificate.ledger_months],
    }


def _print_ledger_months(certificates: "Sequence[Certificate]") -> None:
    """Print what the ledger's closed months hold; it is the same for all series."""
    for told in certificates[0].ledger_months if certificates else ():
        click.echo(f"ledger {told.month}, {told.events} events up to number {told.until_id}: sha256:{told.digest}")


def _print(certificate: "Certificate") -> None:
    window, kinds = certificate.window, certificate.kinds
    span_ms = window.end_ms - window.start_ms
    click.echo(f"{certificate.series_id} ({certificate.table_name})")
    click.echo(f"  window   [{format_time(window.start_ms)}, {format_time(window.end_ms)})")
    click.echo(f"  complete {'yes' if certificate.is_complete else 'no'}")
    for kind in COVERAGE_KINDS:
        if kind in kinds:
            count = sum(stretch.kind == kind for stretch in certificate.stretches)
            share = 100 * kinds[kind] / span_ms
            stretches = "1 stretch" if count == 1 else f"{count} stretches"
            click.echo(f"  {kind:<16} {format_span(kinds[kind]):>10} {share:6.2f} %  in {stretches}")
    click.echo(f"  rows     {certificate.rows}")
    click.echo(f"  digest   sha256:{certificate.digest}")
    click.echo(f"  ledger   {certificate.ledger_position or 'no event yet'}")

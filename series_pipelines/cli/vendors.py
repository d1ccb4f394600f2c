"""Commands about vendors: `vendors list`, `vendors check`."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from series_pipelines.cli.exit_codes import FAILED
from series_pipelines.cli.options import with_json
from series_pipelines.cli.output import print_json, print_table

if TYPE_CHECKING:
    from series_pipelines.vendors.contract import Vendor


@click.group("vendors", short_help="See which vendors are configured and whether they work.")
def vendors_command() -> None:
    """See which vendors are configured, what each serves, and whether it works.

    Example: SERIES_VENDORS_FILE=vendors.toml series vendors check okx
    """


@vendors_command.command("list", short_help="List what each vendor serves.")
@with_json
def list_command(as_json: bool) -> None:
    """List what each configured vendor serves, without asking an exchange anything.

    Example: series vendors list --json
    """
    from series_pipelines.settings import load_settings
    from series_pipelines.sources import load_registry_to_ask

    catalogue = load_registry_to_ask(load_settings()).read()
    for refusal in catalogue.refused:
        click.echo(f"series: refused: {refusal}", err=True)
    capabilities = sorted(catalogue.capabilities.values(), key=lambda known: (known.vendor, known.cap_key))
    if as_json:
        print_json([asdict(capability) for capability in capabilities])
        return
    rows = [
        (
            capability.vendor,
            capability.method,
            capability.product_prefix,
            capability.direction,
            " ".join(capability.durations),
            capability.limits.concurrent,
        )
        for capability in capabilities
    ]
    print_table(
        ("vendor", "method", "prefix", "direction", "durations", ">at once"), rows, droppable=("at once", "direction")
    )


@vendors_command.command("check", short_help="Try each vendor and say what works.")
@click.argument("names", nargs=-1)
@with_json
def check_command(names: tuple[str, ...], as_json: bool) -> None:
    """Try each vendor, or those of NAMES: services, products, and one page of each service.

    The exit code is 1 when something does not work. Nothing is written but what the request budgets need; where no
    database is yet, nobody shares them, and nothing is written at all.

    Example: series vendors check okx binance
    """
    from series_pipelines.database import find_database, has_database
    from series_pipelines.ingest.vendor_check import check_vendor
    from series_pipelines.settings import load_settings
    from series_pipelines.store.connection import Connection, connect
    from series_pipelines.system_clock import SystemClock

    settings = load_settings()

    def open_connection() -> Connection:
        return connect(find_database(settings), purpose="check", autocommit=True)

    connect_to_books = open_connection if has_database(settings) else None
    findings = []
    vendors, refused = _choose(names)
    for refusal in refused:
        click.echo(f"series: refused: {refusal}", err=True)
    for vendor in vendors:
        for finding in check_vendor(vendor, SystemClock(), connect_to_books):
            findings.append(finding)
            if not as_json:
                click.echo(f"{'ok  ' if finding.ok else 'BAD '} {finding.vendor:<12} {finding.what}: {finding.detail}")
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if refused or not all(finding.ok for finding in findings):
        click.get_current_context().exit(FAILED)


def _choose(names: tuple[str, ...]) -> "tuple[list[Vendor], tuple[str, ...]]":
    """Return the vendors of some names, or all, and why others could not be loaded."""
    from series_pipelines.errors import UnknownVendor
    from series_pipelines.settings import load_settings
    from series_pipelines.sources import load_registry_to_ask

    registry = load_registry_to_ask(load_settings())
    configured = registry.by_name
    for name in names:
        if name not in configured:
            reasons = "".join(f"; {refusal}" for refusal in registry.refused)
            raise UnknownVendor(f"no vendor {name!r}: configured are {', '.join(configured) or 'none'}{reasons}")
    return [configured[name] for name in names or configured], () if names else registry.refused

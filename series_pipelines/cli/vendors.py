"""Commands about vendors: `vendors list`, `vendors check`."""

from functools import partial

import click

from series_pipelines.cli.exit_codes import FAILED
from series_pipelines.cli.options import with_json
from series_pipelines.cli.output import print_json, print_table


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
    from series_pipelines.actions.vendors import describe_capability, list_capabilities
    from series_pipelines.app.settings import load_settings
    from series_pipelines.app.sources import load_registry_to_ask
    from series_pipelines.cli.session import say_refused

    catalogue = load_registry_to_ask(load_settings()).read()
    say_refused(catalogue.refused)
    capabilities = list_capabilities(catalogue)
    if as_json:
        print_json([describe_capability(capability) for capability in capabilities])
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
    from series_pipelines.actions.vendors import check_vendors, describe_trial
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.app.database import has_database, open_connection
    from series_pipelines.app.settings import load_settings
    from series_pipelines.app.sources import load_registry_to_ask
    from series_pipelines.cli.session import say_refused

    settings = load_settings()
    registry = load_registry_to_ask(settings)
    refused = () if names else registry.refused
    say_refused(refused)
    # Nobody shares the books of a database that is not there.
    connect = partial(open_connection, settings, "check", True) if has_database(settings) else None
    findings = []
    for finding in check_vendors(registry, names, SystemClock(), connect):
        findings.append(finding)
        if not as_json:
            click.echo(f"{'ok  ' if finding.ok else 'BAD '} {finding.vendor:<12} {finding.what}: {finding.detail}")
    if as_json:
        print_json([describe_trial(finding) for finding in findings])
    if refused or not all(finding.ok for finding in findings):
        click.get_current_context().exit(FAILED)

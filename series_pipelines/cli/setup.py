"""Commands that set things up: `dev`, `migrate`, `products`."""

from typing import TYPE_CHECKING

import click

from series_pipelines.cli.exit_codes import DONE, FAILED
from series_pipelines.cli.options import set_environment, with_json
from series_pipelines.cli.output import print_json, print_table

if TYPE_CHECKING:
    from series_pipelines.ingest.catalogue.products import ListedProduct

_COLUMNS = ("product", "vendor", "name", "base", "quote", ">price step", ">volume step", "rates", "listed", "delisted")


@click.command("dev", short_help="Start everything; Ctrl-C stops it all.")
@click.option("--port", type=click.IntRange(0, 65535), help="The UI's port; 0 takes any free one (SERIES_UI_PORT).")
@click.pass_context
def dev_command(ctx: click.Context, port: int | None) -> None:
    """Start everything: Postgres, Dagster's UI and daemon, sensors on. Ctrl-C stops it all.

    Example: series dev --port 3001
    """
    from series_pipelines.app.dev import run_dev
    from series_pipelines.app.settings import load_settings

    if port is not None:
        set_environment("SERIES_UI_PORT", str(port))
    ctx.exit(run_dev(load_settings()))


@click.command("migrate", short_help="Bring the database's tables up to date.")
def migrate_command() -> None:
    """Bring the database's tables up to date. Safe to run at any time, and many times.

    It works as the role of SERIES_OWNER_URL, and lets the role of SERIES_DATABASE_URL in.

    Example: SERIES_DATABASE_URL=postgresql://me@db/market series migrate
    """
    from series_pipelines.app.database import migrate_database
    from series_pipelines.app.settings import load_settings

    applied = migrate_database(load_settings())
    for name in applied:
        click.echo(f"applied {name}")
    if not applied:
        click.echo("nothing to do")


@click.command("products", short_help="List the products.")
@click.argument("text", required=False, default="")
@click.option("--refresh", is_flag=True, help="Ask the vendors first.")
@click.option("--retire", is_flag=True, help="Let go of series that no vendor offers, however many; with --refresh.")
@with_json
@click.pass_context
def products_command(ctx: click.Context, text: str, refresh: bool, retire: bool, as_json: bool) -> None:
    """List the products, those whose id or name contains TEXT.

    All series of a vendor that is gone, or more than half of a table's, only retire with --retire; without it
    --refresh says what would, and its exit code is 1.

    Example: series products btc --json
    """
    from series_pipelines.actions.products import list_products
    from series_pipelines.cli.session import ensure_series, open_database, sync_series

    if retire and not refresh:
        raise click.UsageError("--retire is only understood with --refresh.", ctx)
    held_back = False
    with open_database("products", may_make=refresh) as conn:
        if refresh:
            held_back = bool(sync_series(conn, may_retire=retire).held_back)
        else:
            ensure_series(conn)
        found = list_products(conn, text)
    if as_json:
        print_json(found.as_json())
    elif found.listed:
        rows = [_make_row(product) for product in found.listed]
        print_table(_COLUMNS, rows, droppable=("name", "volume step", "quote"))
    else:
        click.echo(f"series: no product contains {text!r}" if text else "series: no products", err=True)
    ctx.exit(FAILED if held_back else DONE)


def _make_row(product: "ListedProduct") -> tuple[object, ...]:
    from series_pipelines.actions.products import to_plain

    return (
        *(product.product_id, product.vendor, product.name, product.base_currency, product.quote_currency),
        *(to_plain(product.price_step), to_plain(product.volume_step)),
        "no" if product.no_interest_rate else "yes",
        *(moment and f"{moment:%Y-%m-%d %H:%M}" for moment in (product.listed_at, product.delisted_at)),
    )

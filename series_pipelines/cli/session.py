"""What commands work with: the database and the vendors, and what is said of them beside the result."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

import click

from series_pipelines.actions.products import has_series, read_vendors, sync_products
from series_pipelines.actions.workshop import Workshop
from series_pipelines.app.clock import SystemClock
from series_pipelines.app.database import find_database, find_existing_database, find_owner_database, has_database
from series_pipelines.app.settings import load_settings
from series_pipelines.app.sources import load_registry
from series_pipelines.ingest.catalogue.universe import UniverseReport
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection, connect, translated_errors
from series_pipelines.vendors.registry import Catalogue


@contextmanager
def open_database(purpose: str, *, may_make: bool = False) -> Iterator[Connection]:
    """Open the database for one command; what the driver complains about becomes one line.

    Only a command that brings data in may make one: asked in the wrong folder, a question would find nothing in it.
    """
    settings = load_settings()
    if may_make and not has_database(settings):
        click.echo(f"series: making a database in {settings.home.absolute()}", err=True)
    url = find_database(settings) if may_make else find_existing_database(settings)
    with translated_errors(), connect(url, purpose=purpose) as conn:
        yield conn


@contextmanager
def open_as_owner(purpose: str) -> Iterator[Connection]:
    """Open the database as the role that owns its tables, for what the writer may not do."""
    settings = load_settings()
    # Asked for first, because an embedded database is migrated then.
    find_existing_database(settings)
    with translated_errors(), connect(find_owner_database(settings), purpose=purpose) as conn:
        yield conn


def sync_series(conn: Connection, *, may_retire: bool = False) -> UniverseReport:
    """Ask the vendors what they have, and say what was refused."""
    clock, registry = SystemClock(), load_registry(load_settings())
    report = sync_products(conn, registry, clock, may_retire=may_retire)
    say_refused(report.refused)
    return report


def ensure_series(conn: Connection) -> None:
    """Ask the vendors once, when no series are known yet."""
    if has_series(conn):
        return
    click.echo("series: no series are known yet, asking the vendors", err=True)
    report = sync_series(conn)
    click.echo(f"series: {report.products} products, {sum(report.series.values())} series", err=True)


def ask_vendors(conn: Connection, workshop: Workshop, chosen: Collection[KnownSeries]) -> Catalogue:
    """Ask the vendors that serve some series, and only them; say which vendors could not be loaded."""
    registry = workshop.load_registry()
    say_refused(registry.refused)
    return read_vendors(conn, registry, {series.cap_key for series in chosen})


def say_refused(refusals: Iterable[str]) -> None:
    """Say what of the vendors was refused."""
    for refusal in refusals:
        click.echo(f"series: refused: {refusal}", err=True)

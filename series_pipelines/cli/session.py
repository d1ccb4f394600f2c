"""What commands work with: the database, the vendors, and the series a person means."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import click

from series_pipelines.core.series import check_product_id
from series_pipelines.core.tables import TABLES
from series_pipelines.database import find_database, find_existing_database, find_owner_database, has_database
from series_pipelines.errors import UnknownSeries
from series_pipelines.ingest.universe import UniverseReport, sync_universe
from series_pipelines.reading import explain_unknown, is_pattern, match_pattern, normalise_series_id
from series_pipelines.settings import load_settings
from series_pipelines.sources import load_registry
from series_pipelines.store import capabilities, states
from series_pipelines.store.connection import Connection, connect, translated_errors
from series_pipelines.store.states import KnownSeries
from series_pipelines.system_clock import SystemClock
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


def refresh_series(conn: Connection, *, may_retire: bool = False) -> UniverseReport:
    """Ask the vendors what they have, and say what was refused."""
    conn.commit()  # each vendor gets a transaction of its own
    clock, registry = SystemClock(), load_registry(load_settings())
    report = sync_universe(conn, registry, clock.now_ms(), may_retire=may_retire, wait=clock.wait)
    conn.commit()
    for refusal in report.refused:
        click.echo(f"series: refused: {refusal}", err=True)
    return report


def ensure_series(conn: Connection) -> None:
    """Ask the vendors once, when no series are known yet."""
    if any(states.list_series(conn, table_name) for table_name in TABLES):
        return
    click.echo("series: no series are known yet, asking the vendors", err=True)
    report = refresh_series(conn)
    click.echo(f"series: {report.products} products, {sum(report.series.values())} series", err=True)


def read_vendors(conn: Connection, cap_keys: Collection[str]) -> Catalogue:
    """Ask the vendors that serve some capabilities, and only them; say which vendors could not be loaded."""
    registry = load_registry(load_settings())
    for refusal in registry.refused:
        click.echo(f"series: refused: {refusal}", err=True)
    catalogue = registry.read_of(capabilities.find_vendors(conn, cap_keys))
    conn.commit()
    return catalogue


def list_known(conn: Connection, table_name: str | None) -> list[KnownSeries]:
    """Return every series, retired ones too, of one table or of both."""
    tables = TABLES if table_name is None else (table_name,)
    return [known for name in tables for known in states.list_series(conn, name)]


def choose_series(conn: Connection, typed: Sequence[str], table_name: str | None) -> list[KnownSeries]:
    """Return the series of some ids or patterns in the order they were typed; all active ones of none."""
    known = list_known(conn, table_name)
    if not typed:
        return [series for series in known if series.active]
    chosen: dict[tuple[str, str], KnownSeries] = {}
    for text in typed:
        for series in match_series(text, known):
            chosen[series.table_name, series.series_id] = series
    return list(chosen.values())


def match_series(typed: str, known: Sequence[KnownSeries]) -> list[KnownSeries]:
    """Return the series that an id names or a pattern matches, or say that there is none."""
    check_product_id(typed)
    for wanted in dict.fromkeys((typed, normalise_series_id(typed))):
        found = [series for series in known if series.series_id == wanted]
        if not found and is_pattern(wanted):
            found = match_pattern(wanted, known)
        if found:
            return found
    raise explain_unknown(typed, known)


def refuse_retired(chosen: Sequence[KnownSeries]) -> None:
    """Refuse series that no vendor offers any more."""
    for series in chosen:
        if not series.active:
            raise UnknownSeries(f"series {series.series_id!r} has retired: no vendor offers it now")

"""Which series a person means: ids and patterns as they are typed, and why there is no such series."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.series import check_product_id
from series_pipelines.core.tables import TABLES
from series_pipelines.errors import InvalidDuration, InvalidInput, UnknownSeries
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.rows import read_last
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection


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


def find_stored_series(conn: Connection, typed: str, tables: Sequence[str] = tuple(TABLES)) -> tuple[str, str]:
    """Return the table and the id of a series that is known or has rows, by its id as a person types it."""
    check_product_id(typed)
    for series_id in dict.fromkeys((typed, normalise_series_id(typed))):
        known = {found.table_name for found in states.find_series(conn, [series_id])}
        found = [name for name in tables if name in known or _has_rows(conn, name, series_id)]
        if len(found) > 1:
            raise InvalidInput(f"{series_id!r} is a series of {' and of '.join(found)}: choose one with --table")
        if found:
            return found[0], series_id
    every = [series for name in tables for series in states.list_series(conn, name)]
    matching = match_pattern(normalise_series_id(typed), every) if is_pattern(typed) else []
    if matching:
        example = matching[0].series_id
        raise InvalidInput(f"{typed!r} is a pattern of {len(matching)} series, and one is needed, like {example!r}")
    raise explain_unknown(typed, every)


def is_pattern(typed: str) -> bool:
    """Whether a text may stand for many series."""
    return any(char in typed for char in "*?[")


def match_pattern(pattern: str, known: Iterable[KnownSeries]) -> list[KnownSeries]:
    """Return the active series that a pattern matches; if there are none, the retired ones that it does."""
    found = [series for series in known if fnmatchcase(series.series_id, pattern)]
    return [series for series in found if series.active] or found


def normalise_series_id(typed: str) -> str:
    """Return an id with its duration in ISO form, when it ends in one: `…/1m` becomes `…/PT1M`."""
    product_id, slash, duration = typed.rpartition("/")
    try:
        return f"{product_id}{slash}{parse_duration(duration).text}"
    except InvalidDuration:
        return typed


def explain_unknown(typed: str, known: Iterable[KnownSeries]) -> InvalidInput:
    """Return the error that says why there is no such series, with the likeliest id that there is.

    What no vendor offers any more is only suggested when nothing but its letters' case differs.
    """
    # Retired ones first, so that an id of two tables is known as active if it is in one.
    every = sorted(known, key=lambda series: series.active)
    if not every:
        return UnknownSeries(f"no series {typed!r}: no series are known yet, run `series products --refresh`")
    if is_pattern(typed):
        return UnknownSeries(f"no series {typed!r}: no id matches this pattern, `series coverage` lists all")
    product_id, _, duration = typed.rpartition("/")
    is_offered = {series.product_id: series.active for series in every}
    if product_id in is_offered:
        try:
            parse_duration(duration)
        except InvalidDuration as error:
            return InvalidDuration(f"no series {typed!r}: {error}")
        if not is_offered[product_id]:
            return UnknownSeries(f"no series {typed!r}: {product_id!r} has retired, no vendor offers it now")
    by_lower = {series.series_id.lower(): series for series in every}
    wanted = normalise_series_id(typed).lower()
    offered = [lowered for lowered, series in by_lower.items() if series.active]
    likely = [wanted] if wanted in by_lower else get_close_matches(wanted, offered, n=1)
    if not likely:
        return UnknownSeries(f"no series {typed!r}: `series coverage` lists all")
    found = by_lower[likely[0]]
    retired = "" if found.active else ", which has retired"
    return UnknownSeries(f"no series {typed!r}: did you mean {found.series_id!r}{retired}?")


def _has_rows(conn: Connection, table_name: str, series_id: str) -> bool:
    return bool(read_last(conn, TABLES[table_name], [series_id], 1))

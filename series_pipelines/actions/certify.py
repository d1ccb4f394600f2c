"""Certificates of completeness for windows of series, and their JSON form, which `cursors verify` reads again."""

import json
from collections.abc import Sequence

from series_pipelines.actions.answers import Json, to_iso
from series_pipelines.actions.coverage import measure_series
from series_pipelines.core.ranges import Range
from series_pipelines.core.times import format_time
from series_pipelines.errors import InvalidInput
from series_pipelines.ingest.ledger import months as ledger_months
from series_pipelines.ingest.ledger.months import MonthDigest
from series_pipelines.ingest.proving.certify import Certificate, certify
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection

_PREFIX = "sha256:"


def certify_series(
    conn: Connection, chosen: Sequence[KnownSeries], start_ms: int | None, end_ms: int | None, now_ms: int
) -> list[Certificate]:
    """Certify a window of some series: what was asked for, else all that can be known of each one's life."""
    windows = [
        choose_window(entry.standing.coverage.life or Range(0, now_ms), start_ms, end_ms, now_ms)
        for entry in measure_series(conn, chosen, now_ms)
    ]
    conn.commit()
    # The digests of all months that are over, also of those that nobody has looked at yet.
    ledger_months.close_months(conn)
    return [
        certify(conn, known.table_name, known.series_id, window) for known, window in zip(chosen, windows, strict=True)
    ]


def choose_window(life: Range, start_ms: int | None, end_ms: int | None, now_ms: int) -> Range:
    """Return what is to be certified: what was asked for, else all that can be known of the series' life."""
    if end_ms is None:
        end_ms = life.end_ms if start_ms is None or start_ms < life.end_ms else now_ms
    if start_ms is None:
        start_ms = life.start_ms if life.start_ms < end_ms else 0
    if start_ms >= end_ms:
        raise InvalidInput(f"--start {format_time(start_ms)} must be before --end {format_time(end_ms)}")
    return Range(start_ms, end_ms)


def describe_certificate(certificate: Certificate) -> Json:
    """Return a certificate as JSON."""
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
        "digest": f"{_PREFIX}{certificate.digest}",
        "ledger_position": certificate.ledger_position,
        "ledger_months": [describe_digest(digest) for digest in certificate.ledger_months],
    }


def describe_digest(digest: MonthDigest) -> Json:
    """Return the digest of a closed month as JSON."""
    return {
        "month": digest.month,
        "after_event": digest.after_id,
        "until_event": digest.until_id,
        "events": digest.events,
        "digest": f"{_PREFIX}{digest.digest}",
    }


def read_ledger_months(text: bytes, name: str) -> list[MonthDigest]:
    """Return the months of what `series certify --json` printed."""
    try:
        return [
            MonthDigest(
                str(month["month"]),
                int(month["after_event"]),
                int(month["until_event"]),
                int(month["events"]),
                str(month["digest"]).removeprefix(_PREFIX),
            )
            for certificate in json.loads(text)
            for month in certificate["ledger_months"]
        ]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInput(f"{name} is not what `series certify --json` prints") from error

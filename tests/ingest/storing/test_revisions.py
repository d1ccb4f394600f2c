"""The revision log: what a vendor changed is kept with the old value; what it did not change leaves no trace."""

from datetime import UTC, datetime

from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.ingest.refreshing import campaigns
from series_pipelines.ingest.storing import revisions
from series_pipelines.ingest.storing.rows import SeriesRows, write_rows
from series_pipelines.postgres.connection import Connection
from tests.support.bars import make_bar
from tests.support.simulation import NOON_MS

MINUTE = 60_000
START = NOON_MS - 100 * MINUTE
SERIES = "SIM/A/PT1M"


def bar(index: int, **changes: object) -> tuple[object, ...]:
    created = START + index * MINUTE
    values = {"closed_at": created + MINUTE, "open": "1.5", "high": "2", "low": "1", "close": "1.5", "volume": "3"}
    return make_bar(created, **values | changes)


def write(conn: Connection, *rows: tuple[object, ...], series_id: str = SERIES) -> int:
    with conn.transaction():
        return write_rows(conn, OHLC, [SeriesRows(series_id, list(rows))]).total()


def read(conn: Connection, series_id: str = SERIES) -> list[tuple[int, str, str | None, str | None]]:
    """Return which minute of the series changed in which column, from what to what."""
    found = revisions.read(conn, "ohlc_v2", [series_id], after=0)
    conn.commit()
    return [((c.created_ms - START) // MINUTE, c.column, c.old_value, c.new_value) for c in found]


def test_new_and_equal_rows_leave_no_revision(conn: Connection, owner: Connection) -> None:
    write(conn, bar(0), bar(1), bar(9))
    assert write(conn, bar(0, close="1.50"), bar(1), bar(2), bar(3), bar(9)) == 2
    assert read(conn) == []
    assert owner.execute("select last_value, is_called from row_revision_revision_id_seq").fetchone() == (1, False)


def test_a_changed_row_leaves_its_old_and_its_new_values(conn: Connection) -> None:
    write(conn, *(bar(index) for index in range(10)))
    changed = [bar(3, close="1.75"), bar(4), bar(5, high="3", open_interest="7"), bar(6, volume=None)]
    assert write(conn, *changed) == 3
    assert read(conn) == [
        (3, "close", "1.5", "1.75"),
        (5, "high", "2", "3"),
        (5, "open_interest", None, "7"),
        (6, "volume", "3", None),
    ]
    assert revisions.count(conn, "ohlc_v2", [SERIES], after=0) == {SERIES: 3}
    old, new = conn.execute("select old_value::text, new_value::text from row_revision limit 1").fetchone()  # type: ignore[misc]
    assert '"open": 1.5' in str(old)
    assert '"close": 1.75' in str(new)
    assert "series_id" not in str(new)


def test_the_same_changed_page_twice_leaves_one_revision(conn: Connection) -> None:
    write(conn, bar(0), bar(1))
    page = [bar(0, close="1.75"), bar(1)]
    assert write(conn, *page) == 1
    assert write(conn, *page) == 0
    assert read(conn) == [(0, "close", "1.5", "1.75")]


def test_each_change_of_a_row_is_kept(conn: Connection) -> None:
    for close in ("1.5", "1.6", "1.7", "1.5"):
        write(conn, bar(0, close=close))
    assert read(conn) == [(0, "close", "1.5", "1.6"), (0, "close", "1.6", "1.7"), (0, "close", "1.7", "1.5")]
    assert revisions.count(conn, "ohlc_v2", [SERIES], after=0) == {SERIES: 1}


def test_values_are_exact_and_an_equal_number_written_differently_is_no_change(conn: Connection) -> None:
    before, after = "12345678901234567890.123456789012345678", "12345678901234567890.123456789012345679"
    write(conn, bar(0, high=before, low="1.10"))
    write(conn, bar(0, high=after, low="1.1"))
    assert read(conn) == [(0, "high", before, after)]


def test_a_bar_that_closes_at_another_time_is_a_change(conn: Connection) -> None:
    write(conn, bar(0))
    write(conn, bar(0, closed_at=START + MINUTE + 500))
    ((_, column, old, new),) = read(conn)
    assert column == "closed_at"
    assert [datetime.fromisoformat(str(text)) for text in (old, new)] == [
        datetime.fromtimestamp((START + MINUTE) / 1000, UTC),
        datetime.fromtimestamp((START + MINUTE + 500) / 1000, UTC),
    ]


def test_rates_are_logged_too(conn: Connection) -> None:
    first = [(START, "0.0001", "-0.0001", None), (START + MINUTE, "0.0002", "-0.0002", "5")]
    second = [(START, "0.00010", "-0.0001", "4"), (START + MINUTE, "0.0003", "-0.0002", "5")]
    for rows in (first, second):
        with conn.transaction():
            write_rows(conn, INTEREST_RATE, [SeriesRows("SIM/A", rows)])
    found = revisions.read(conn, "interest_rate", ["SIM/A"], after=0)
    assert [(c.table_name, c.created_ms, c.column, c.old_value, c.new_value) for c in found] == [
        ("interest_rate", START, "settlement_price", None, "4"),
        ("interest_rate", START + MINUTE, "long_rate", "0.0002", "0.0003"),
    ]
    assert revisions.read(conn, "ohlc_v2", ["SIM/A"], after=0) == []


def test_a_revision_is_there_only_if_the_row_is(conn: Connection) -> None:
    write(conn, bar(0))
    write_rows(conn, OHLC, [SeriesRows(SERIES, [bar(0, close="1.75")])])
    assert len(revisions.read(conn, "ohlc_v2", [SERIES], after=0)) == 1
    conn.rollback()
    assert read(conn) == []


def test_a_revision_was_seen_when_its_row_was_updated(conn: Connection) -> None:
    write(conn, bar(0))
    write(conn, bar(0, close="1.75"))
    assert conn.execute("select seen_at = updated_at from row_revision, ohlc_v2").fetchone() == (True,)


def test_a_campaign_reports_what_was_seen_between_its_begin_and_its_end(conn: Connection) -> None:
    window = Range(START, NOON_MS)
    for index, close in enumerate(("1.5", "1.6", "1.7", "1.8")):
        if index == 2:
            wanted = campaigns.Campaign("c", {"interest_rate": ("SIM/A",), "ohlc_v2": (SERIES,)}, window, NOON_MS)
            campaign = campaigns.begin(conn, wanted)
            conn.commit()
        if index == 3:
            assert campaigns.finish(conn, "c", NOON_MS + 1).finished_ms == NOON_MS + 1
            conn.commit()
        write(conn, bar(0, close=close))
        write(conn, bar(0, close=close), series_id="SIM/B/PT1M")
    (finished,) = campaigns.read(conn, "c")
    assert campaigns.finish(conn, "c", NOON_MS + 9) == finished
    assert (finished.series, finished.window, finished.series_count) == (wanted.series, window, 2)
    assert [c.new_value for c in campaigns.read_changes(conn, finished)] == ["1.7"]
    assert [c.new_value for c in campaigns.read_changes(conn, campaign)] == ["1.7", "1.8"]
    assert len(campaigns.read_changes(conn, campaign, most=1)) == 1
    assert campaigns.count_changed(conn, finished) == {("ohlc_v2", SERIES): 1}


def test_unfinished_campaigns_are_found_newest_first(conn: Connection) -> None:
    for number, name in enumerate(("old", "done", "new")):
        campaigns.begin(conn, campaigns.Campaign(name, {"ohlc_v2": (SERIES,)}, Range(0, 1), NOON_MS + number))
    campaigns.finish(conn, "done", NOON_MS)
    assert [campaign.campaign_id for campaign in campaigns.read(conn)] == ["new", "done", "old"]
    assert [campaign.campaign_id for campaign in campaigns.read(conn, unfinished=True)] == ["new", "old"]
    assert campaigns.read(conn, "nothing") == []

"""Rule 1 and rule 11 on real Postgres: a page commits whole or not at all, and twice is the same as once."""

import itertools
from decimal import Decimal
from functools import partial

import pytest

from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.errors import StoreError
from series_pipelines.ingest.ledger.append import Author
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.floor import keep_floor
from series_pipelines.ingest.pages.outcome import Outcome, judge_page
from series_pipelines.ingest.planning.cadence import bar_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.ingest.storing.commit import Finished, commit_group
from series_pipelines.ingest.storing.rows import SeriesRows, write_rows
from series_pipelines.ingest.storing.writer import Writer, Written
from series_pipelines.postgres.connection import Connection
from tests.support.bars import make_bar
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

MINUTE = 60_000
START = NOON_MS - 100 * MINUTE
SERIES = ("SIM/A/PT1M", "SIM/B/PT1M")
AUTHOR = Author("cap", lane="lane", direction="backward", run_id="run")
NUMBERS = itertools.count()
LONG_MS = NOON_MS + 100 * MINUTE


def bar(index: int, close: str = "1.5", **changes: str | None) -> tuple[object, ...]:
    created = START + index * MINUTE
    values = {"open": "1.5", "high": "2", "low": "1", "close": close, "volume": "3"} | changes
    return make_bar(created, created + MINUTE, **values)


@pytest.fixture
def world(database_url: str) -> object:
    clock = MovableClock()
    vendor = make_vendor(clock, [make_product("SIM/A", START), make_product("SIM/B", START)])
    world = World(database_url, [vendor], clock)
    yield world
    world.close()


def finish(world: World, series_id: str, rows: list[tuple[object, ...]]) -> Finished:
    facts = states.read_facts(world.conn, "ohlc_v2", series_ids=[series_id])[0]
    world.conn.commit()
    page = Page(rows, Range(rows[0][0], rows[-1][1]), len(rows))  # type: ignore[arg-type]
    fetch = Fetch("head", "head", NOON_MS, "test")
    outcome = judge_page(facts, fetch, page, bar_cadence("PT1M", 0), NOON_MS)
    return Finished(facts, fetch, NOON_MS, page, outcome, next(NUMBERS))


def count(conn: Connection) -> dict[str, int]:
    tables = ("ohlc_v2", "series_data_range", "ing_cursor_event", "ing_cursor")
    found = {table: conn.execute(f"select count(*) from {table}").fetchone() for table in tables}
    attempted = conn.execute("select count(*) from series_state where head_attempted_at is not null").fetchone()
    conn.commit()
    return {table: row[0] for table, row in found.items()} | {"attempted": attempted[0]}  # type: ignore


def snapshot(conn: Connection) -> list[object]:
    rows = conn.execute("select * from ohlc_v2 order by series_id, created_at").fetchall()
    conn.commit()
    return rows  # type: ignore[return-value]


def test_rows_range_event_and_state_commit_together(world: World) -> None:
    group = [finish(world, series_id, [bar(0), bar(1), bar(2)]) for series_id in SERIES]
    commit_group(world.conn, "ohlc_v2", AUTHOR, group)
    assert count(world.conn) == {
        "ohlc_v2": 6,
        "series_data_range": 2,
        "ing_cursor_event": 2,
        "ing_cursor": 2,
        "attempted": 2,
    }


@pytest.mark.parametrize("table", ["series_data_range", "ing_cursor_event", "ing_cursor", "series_state"])
def test_when_one_part_fails_none_of_the_page_is_there(world: World, owner: Connection, table: str) -> None:
    nothing = count(world.conn)
    world.conn.commit()
    owner.execute("create function refuse() returns trigger language plpgsql as $$begin raise 'no'; end$$")
    owner.execute(f"create trigger refuse before insert or update on {table} for each row execute function refuse()")
    with pytest.raises(StoreError, match="the database refused: no"):
        commit_group(world.conn, "ohlc_v2", AUTHOR, [finish(world, SERIES[0], [bar(0), bar(1)])])
    assert count(world.conn) == nothing


def test_writing_a_page_twice_changes_nothing_not_even_updated_at(world: World) -> None:
    rows = [bar(index) for index in range(50)]
    commit_group(world.conn, "ohlc_v2", AUTHOR, [finish(world, SERIES[0], rows)])
    before = snapshot(world.conn)
    commit_group(world.conn, "ohlc_v2", AUTHOR, [finish(world, SERIES[0], rows)])
    assert snapshot(world.conn) == before
    assert len(ranges.read(world.conn, "ohlc_v2", [SERIES[0]])[SERIES[0]]) == 1


def test_a_commit_tells_how_many_rows_of_each_series_were_new_or_different(world: World) -> None:
    first, second = SERIES
    group = [finish(world, first, [bar(0), bar(1), bar(2)]), finish(world, second, [bar(0)])]
    assert commit_group(world.conn, "ohlc_v2", AUTHOR, group) == {first: 3, second: 1}
    later = [finish(world, first, [bar(1), bar(2, close="1.75"), bar(3)]), finish(world, second, [bar(0)])]
    assert commit_group(world.conn, "ohlc_v2", AUTHOR, later).total() == 2
    kept = world.conn.execute("select series_id, new_rows from series_state where new_rows > 0").fetchall()
    assert dict(kept) == {first: 5, second: 1}  # type: ignore[arg-type]


def test_a_changed_bar_is_updated_and_only_that_one(world: World) -> None:
    with world.conn.transaction():
        assert write_rows(world.conn, OHLC, [SeriesRows(SERIES[0], [bar(i) for i in range(10)])]).total() == 10
    before = snapshot(world.conn)
    with world.conn.transaction():
        changed = [bar(i, close="1.75" if i == 4 else "1.5") for i in range(3, 14)]
        assert write_rows(world.conn, OHLC, [SeriesRows(SERIES[0], changed)]).total() == 5
    after = snapshot(world.conn)
    assert [row for row in after if row not in before] == [after[4], *after[10:]]
    assert after[4][6] == Decimal("1.75")  # type: ignore[index]
    assert after[4][9] > before[4][9]  # type: ignore[index]


def test_equal_numbers_written_differently_are_equal(world: World) -> None:
    with world.conn.transaction():
        write_rows(world.conn, OHLC, [SeriesRows(SERIES[0], [bar(0, close="1.10")])])
        assert write_rows(world.conn, OHLC, [SeriesRows(SERIES[0], [bar(0, close="1.1")])]).total() == 0


def test_eighteen_digits_arrive_unchanged_and_nulls_stay_null(world: World) -> None:
    price = "12345678.123456789012345678"
    with world.conn.transaction():
        row = bar(0, close=price, high="99999999", volume=None)
        write_rows(world.conn, OHLC, [SeriesRows(SERIES[0], [row])])
        write_rows(world.conn, INTEREST_RATE, [SeriesRows("SIM/A", [(START, "-0.000000000000000001", "1E-18", None)])])
    stored = world.conn.execute("select close::text, volume, open_interest from ohlc_v2").fetchone()
    assert stored == (price, None, None)
    assert world.conn.execute("select long_rate::text, settlement_price from interest_rate").fetchone() == (
        "-0.000000000000000001",
        None,
    )


def test_a_series_id_with_a_backslash_is_written_as_it_is(world: World) -> None:
    with world.conn.transaction():
        write_rows(world.conn, OHLC, [SeriesRows("SIM/odd\\name/PT1M", [bar(0)])])
    assert world.conn.execute("select series_id from ohlc_v2").fetchone() == ("SIM/odd\\name/PT1M",)


def test_one_bad_page_fails_only_its_own_series(world: World) -> None:
    good = finish(world, SERIES[0], [bar(0), bar(1)])
    bad = finish(world, SERIES[1], [bar(0, close="not a number"), bar(1)])
    written: list[Written] = []
    broken: list[BaseException] = []
    writer = Writer(
        partial(world.connect, "writer"), "ohlc_v2", AUTHOR, world.clock, LONG_MS, written.extend, broken.append
    )
    writer.submit(good)
    writer.submit(bad)
    writer.close()
    assert not broken
    assert [(w.finished.facts.series_id, w.finished.page is not None) for w in written] == [
        (SERIES[0], True),
        (SERIES[1], False),
    ]
    assert count(world.conn)["ohlc_v2"] == 2
    error = world.conn.execute("select last_error, failures from series_state where series_id = %s", [SERIES[1]])
    message, failures = error.fetchone()  # type: ignore[misc]
    assert "the page can't be stored: the database refused: " in str(message)
    assert failures == 1


def test_a_failed_attempt_leaves_state_but_no_range(world: World) -> None:
    facts: SeriesFacts = states.read_facts(world.conn, "ohlc_v2", series_ids=[SERIES[0]])[0]
    world.conn.commit()
    outcome = Outcome(False, 0, 1, NOON_MS + 15_000, None, keep_floor(facts), "broken body")
    failed = Finished(facts, Fetch("head", "head", NOON_MS, "test"), NOON_MS, None, outcome)
    commit_group(world.conn, "ohlc_v2", AUTHOR, [failed])
    assert count(world.conn) == {
        "ohlc_v2": 0,
        "series_data_range": 0,
        "ing_cursor_event": 0,
        "ing_cursor": 0,
        "attempted": 1,
    }


def test_cursors_only_advance_and_every_page_leaves_an_event(world: World) -> None:
    for first in (5, 0, 7):
        rows = [bar(index) for index in range(first, first + 3)]
        commit_group(world.conn, "ohlc_v2", AUTHOR, [finish(world, SERIES[0], rows)])
    events = world.conn.execute("select reason, new_position from ing_cursor_event order by event_id").fetchall()
    assert [reason for reason, _ in events] == ["advanced", "no-forward", "advanced"]
    current = world.conn.execute("select position from ing_cursor").fetchone()
    assert current == (events[-1][1],)

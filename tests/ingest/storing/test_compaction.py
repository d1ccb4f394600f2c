"""Compaction on real Postgres: the owner's own scenarios, a model, and writers that do not wait for it."""

import random
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from series_pipelines.core.ranges import Range, merge_overlapping
from series_pipelines.ingest.storing import ranges
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.postgres.locks import own_series

HOUR = 3_600_000
DAY_1 = 1_735_689_600_000  # 2025-01-01
S1, S2, BULK = "__merge_test_s1__", "__merge_test_s2__", "__merge_test_bulk__"


def insert(conn: Connection, series_id: str, stretches: list[tuple[float, float]], origin: int = DAY_1) -> None:
    for start, end in stretches:
        conn.execute(
            "insert into series_data_range "
            "values (%s, 'ohlc_v2', to_timestamp(%s / 1000.0), to_timestamp(%s / 1000.0)) on conflict do nothing",
            [series_id, origin + int(start * HOUR), origin + int(end * HOUR)],
        )


@pytest.fixture
def scenario(conn: Connection) -> Connection:
    insert(conn, S1, [(0, 1.5), (1, 2), (3, 4.5), (4, 5), (6, 7), (7, 8)])
    insert(conn, S2, [(10, 11)])
    overlapping = [(24 + i / 6, 24 + i / 6 + 1 / 3) for i in range(50)]
    touching = [(48 + i, 49 + i) for i in range(24)]
    apart = [(72 + 2 * i, 73 + 2 * i) for i in range(12)]
    bulk = overlapping + touching + apart
    random.Random(1).shuffle(bulk)
    insert(conn, BULK, bulk)
    return conn


def hours(found: list[Range]) -> list[tuple[float, float]]:
    return [((r.start_ms - DAY_1) / HOUR, (r.end_ms - DAY_1) / HOUR) for r in found]


def test_six_fragments_become_four_and_the_touching_pair_survives(scenario: Connection) -> None:
    change = ranges.compact(scenario, "ohlc_v2", [S1])
    assert hours(ranges.read(scenario, "ohlc_v2", [S1])[S1]) == [(0, 2), (3, 5), (6, 7), (7, 8)]
    assert (len(change.deleted), len(change.inserted)) == (4, 2)


def test_another_series_is_untouched(scenario: Connection) -> None:
    ranges.compact(scenario, "ohlc_v2", [S1])
    assert hours(ranges.read(scenario, "ohlc_v2", [S2])[S2]) == [(10, 11)]
    assert len(ranges.read(scenario, "ohlc_v2", [BULK])[BULK]) == 86


def test_the_bulk_of_86_becomes_37(scenario: Connection) -> None:
    assert len(ranges.read(scenario, "ohlc_v2", [BULK])[BULK]) == 86
    ranges.compact(scenario, "ohlc_v2", [BULK])
    found = hours(ranges.read(scenario, "ohlc_v2", [BULK])[BULK])
    assert len(found) == 37
    assert found[0] == (24, 24 + 8.5)


def test_compacting_again_changes_nothing(scenario: Connection) -> None:
    ranges.compact(scenario, "ohlc_v2")
    again = ranges.compact(scenario, "ohlc_v2")
    assert (again.deleted, again.inserted) == ([], [])


def test_compacting_a_table_leaves_the_other_table_alone(scenario: Connection) -> None:
    scenario.execute(
        "insert into series_data_range select series_id, 'interest_rate', start_time, end_time from series_data_range"
    )
    ranges.compact(scenario, "ohlc_v2")
    assert len(ranges.read(scenario, "interest_rate", [BULK])[BULK]) == 86


def test_a_range_inside_a_stored_one_is_not_added(conn: Connection) -> None:
    ranges.add(conn, "ohlc_v2", [(S1, Range(0, 100))])
    ranges.add(conn, "ohlc_v2", [(S1, Range(10, 90))])
    ranges.add(conn, "ohlc_v2", [(S1, Range(0, 100))])
    assert ranges.read(conn, "ohlc_v2", [S1])[S1] == [Range(0, 100)]


stretches = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 15)).map(lambda pair: Range(pair[0] * 1000, sum(pair) * 1000)),
    max_size=20,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(of_a=stretches, of_b=stretches)
def test_compaction_equals_the_model_and_changes_no_read(
    conn: Connection, of_a: list[Range], of_b: list[Range]
) -> None:
    conn.execute("delete from series_data_range")
    for series_id, found in (("a", of_a), ("b", of_b)):
        for stretch in found:
            insert(conn, series_id, [(stretch.start_ms / HOUR, stretch.end_ms / HOUR)], origin=0)
    ranges.compact(conn, "ohlc_v2")
    after = ranges.read(conn, "ohlc_v2", ["a", "b"])
    assert after == {"a": merge_overlapping(of_a), "b": merge_overlapping(of_b)}
    second = ranges.compact(conn, "ohlc_v2", ["a", "b"])
    assert (second.deleted, second.inserted) == ([], [])


@pytest.mark.parametrize("whole_table", [False, True])
def test_concurrent_writers_and_compactions_lose_nothing(database_url: str, whole_table: bool) -> None:
    rounds, failures = 150, []
    done = threading.Event()

    def write(worker: int) -> None:
        try:
            with connect(database_url, purpose="test") as conn:
                for step in range(rounds):
                    for series_id in ("a", "b"):
                        start = (step * 2 + worker) * 1000
                        with conn.transaction():
                            own_series(conn, "ohlc_v2", [series_id])
                            ranges.add(conn, "ohlc_v2", [(series_id, Range(start, start + 1500))])
        except Exception as error:
            failures.append(error)

    def compact() -> None:
        try:
            with connect(database_url, purpose="test") as conn:
                while not done.is_set():
                    with conn.transaction():
                        ranges.compact(conn, "ohlc_v2", None if whole_table else ["b", "a"])
        except Exception as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(2)]
    compactor = threading.Thread(target=compact)
    for thread in (*writers, compactor):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    compactor.join()
    assert not failures
    with connect(database_url, purpose="test") as conn:
        ranges.compact(conn, "ohlc_v2")
        expected = [Range(0, (rounds * 2 - 1) * 1000 + 1500)]
        assert ranges.read(conn, "ohlc_v2", ["a", "b"]) == {"a": expected, "b": expected}

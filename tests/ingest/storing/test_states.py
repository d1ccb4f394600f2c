"""What sensors read of every series says the same as what lanes read of theirs."""

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.ingest.planning.due import find_behind_due
from series_pipelines.ingest.storing import ranges, states
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

LISTED_MS = NOON_MS - 10 * DAY_MS
SERIES = [f"SIM/{name}/PT1M" for name in "ABC"]
STRETCHES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda stretch: (stretch[0], sum(stretch))), max_size=6
)


def find_end(stretch: Range) -> int:
    return stretch.end_ms


@given(st.tuples(*[STRETCHES] * len(SERIES)))
@example(([(0, 100), (10, 20), (30, 40)], [(0, 1), (2, 3)], []))
@example(([(0, 2), (0, 1), (3, 4)], [(0, 1), (1, 2)], [(0, 2), (1, 3), (5, 6)]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_stored_sensors_and_lanes_see_the_same_gaps(
    database_url: str, stored: tuple[list[tuple[int, int]], ...]
) -> None:
    clock = MovableClock()
    world = World(database_url, [make_vendor(clock, [make_product(f"SIM/{name}", LISTED_MS) for name in "ABC"])], clock)
    with world.conn.transaction(force_rollback=True):
        missing = {}
        for series_id, stretches in zip(SERIES, stored, strict=True):
            held = [Range(LISTED_MS + start * HOUR_MS, LISTED_MS + end * HOUR_MS) for start, end in stretches]
            for stretch in held:
                ranges.add(world.conn, "ohlc_v2", [(series_id, stretch)])
            missing[series_id] = find_missing(held, Range(min(held).start_ms, max(map(find_end, held)))) if held else []
        seen = {due.series_id: due for due in states.read_due(world.conn, "ohlc_v2")}
        known = {facts.series_id: facts for facts in states.read_facts(world.conn, "ohlc_v2")}
    world.close()
    for series_id in SERIES:
        due, facts = seen[series_id], known[series_id]
        assert due.has_gap == facts.has_gap == bool(missing[series_id])
        assert (due.start_ms, due.end_ms) == (facts.start_ms, facts.end_ms)
        assert find_behind_due(due) == find_behind_due(facts)

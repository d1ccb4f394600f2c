"""Series with many ranges and a past, written by one statement each, for the benchmarks that plan and compact."""

from typing import Final

from benchmarks.market import TABLE
from series_pipelines.postgres.connection import Connection

MINUTE: Final = 60
DAY: Final = 24 * 60 * MINUTE
ADD_RANGES: Final = """
with numbered as (
    select number, date_trunc('minute', now()) - make_interval(
        secs => %(behind)s + (number + 1) * %(step)s + (number / %(run)s) * %(gap)s
    ) as start_time
    from generate_series(0, %(count)s - 1) as number
)
insert into series_data_range (series_id, table_name, start_time, end_time)
select series_id, table_name, start_time, start_time + make_interval(secs => %(length)s)
from series_state cross join numbered
where table_name = %(table)s"""
AGE_STATES: Final = """
update series_state set head_attempted_at = now() - interval '3 days', tail_attempted_at = now() - interval '2 days',
    last_success_at = now() - interval '2 days', shown_at = now() - interval '1 day', last_page_span_ms = 18000000,
    start_eligible_at = now() - interval '1 hour'"""


def add_ranges(
    conn: Connection,
    count: int,
    *,
    step: int,
    length: int,
    gap: int,
    run: int = 1,
    behind: int = 3 * DAY,
    table: str = TABLE,
) -> None:
    """Give every series this many ranges, one `step` seconds before the other, and a gap after each `run` of them."""
    parameters = {"count": count, "step": step, "length": length, "gap": gap, "run": run, "behind": behind}
    with conn.transaction():
        conn.execute(ADD_RANGES, {**parameters, "table": table})


def age_states(conn: Connection) -> None:
    """Give every series the state of one that has been worked on, not of one that was just found."""
    with conn.transaction():
        conn.execute(AGE_STATES)

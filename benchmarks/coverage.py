"""Series with many ranges, written by one statement, for the benchmarks that plan and compact."""

from typing import Final

from benchmarks.market import TABLE
from series_pipelines.store.connection import Connection

MINUTE: Final = 60
ADD_RANGES: Final = """
insert into series_data_range (series_id, table_name, start_time, end_time)
select series_id, table_name,
       date_trunc('minute', now()) - make_interval(secs => (number + 1) * %(step)s + (number / %(run)s) * %(gap)s),
       date_trunc('minute', now()) - make_interval(secs => (number + 1) * %(step)s + (number / %(run)s) * %(gap)s)
           + make_interval(secs => %(length)s)
from series_state cross join generate_series(0, %(count)s - 1) as number
where table_name = %(table)s"""


def add_ranges(
    conn: Connection, count: int, *, step: int, length: int, gap: int, run: int = 1, table: str = TABLE
) -> None:
    """Give every series this many ranges, one `step` seconds before the other, and a gap after each `run` of them."""
    with conn.transaction():
        parameters = {"count": count, "step": step, "length": length, "gap": gap, "run": run, "table": table}
        conn.execute(ADD_RANGES, parameters)

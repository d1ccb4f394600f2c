"""A table of series is one entry of TABLES, a migration and a vendor: nothing else knows what is in it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from dagster import AssetKey, DagsterInstance, materialize, mem_io_manager

from series_pipelines.app.clock import SystemClock
from series_pipelines.cli import series
from series_pipelines.core.clock import Clock
from series_pipelines.core.duration import HOUR_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES, Column, SeriesTable
from series_pipelines.defs.assets import build_series_asset
from series_pipelines.defs.partitions import find_partitions
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.proving.certify import certify
from series_pipelines.ingest.proving.verify import mend, verify_series
from series_pipelines.ingest.storing import revisions
from series_pipelines.ingest.storing.rows import SeriesRows, write_rows
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import Limits, Product, Reply, Request, Service
from series_pipelines.vendors.registry import Registry
from tests.support.cli_results import succeed
from tests.support.simulation import NOON_MS, MovableClock, World

PREMIUMS = SeriesTable(
    name="premium_bar",
    method="IngestPremium",
    noun="premium",
    has_durations=True,
    columns=(
        *(Column(name, is_required=True, may_be_negative=True) for name in ("open", "high", "low", "close")),
        Column("trades", is_required=True),
        Column("skew", may_be_negative=True),
    ),
    shown=("close", "trades"),
    partitions="premium_series",
    description="How far a swap trades from its index.",
)
RATIOS = SeriesTable(
    name="position_ratio",
    method="IngestRatio",
    noun="ratio",
    has_durations=False,
    columns=(Column("long_short", is_required=True),),
    shown=("long_short",),
    partitions="ratio_series",
    description="Longs against shorts.",
    left_out_by="no_interest_rate",
)
ROWS = {"premium_bar": ("-1.5", "2", "-3", "1.25", "7", "-0.5"), "position_ratio": ("1.10",)}
HOURS = 47
LISTED_MS = NOON_MS - (HOURS + 1) * HOUR_MS
CERTAIN_MS = NOON_MS - HOUR_MS
PAGE_ROWS = 20


class HourlyVendor:
    """Gives one row an hour of whatever table it is for."""

    name = "hourly"

    def __init__(self, table: SeriesTable, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def services(self) -> list[Service]:
        properties: dict[str, object] = {
            "product_id": {"type": "string", "pattern": "^SIM/"},
            "direction": {"const": "backward"},
        }
        required = ["product_id", "direction", "time"]
        if self._table.has_durations:
            properties["duration"] = {"enum": ["PT1H"]}
            required.append("duration")
        schema = {"properties": properties | {"time": {"type": "integer"}}, "required": required}
        return [Service(self._table.method, schema, Limits(page_rows=PAGE_ROWS))]

    def products(self) -> list[Product]:
        return [Product("SIM/A", listed_ms=LISTED_MS), Product("SIM/B", listed_ms=LISTED_MS, no_interest_rate=True)]

    def fetch(self, request: Request) -> Reply:
        assert request.duration == ("PT1H" if self._table.has_durations else None)
        now_ms = self._clock.now_ms()
        hours = [hour for hour in range(LISTED_MS, now_ms, HOUR_MS) if hour < request.time_ms][-PAGE_ROWS:]
        ends = (None,) if self._table.has_durations else ()
        return Reply([(hour, *ends, *ROWS[self._table.name]) for hour in hours], now_ms)


@pytest.fixture(params=[PREMIUMS, RATIOS], ids=lambda table: table.name)
def table(
    request: pytest.FixtureRequest, owner: Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> SeriesTable:
    added: SeriesTable = request.param
    values = ", ".join(f"{column.name} numeric{' not null' * column.is_required}" for column in added.columns)
    times = ", ".join(f"{name} timestamptz not null" for name in added.times)
    owner.execute(
        f'create table {added.name} (series_id text collate "C" not null, {times}, {values},'
        " updated_at timestamptz not null default now(), primary key (series_id, created_at))"
    )
    writer = database_url.split("://")[1].split(":")[0]
    owner.execute(f"grant select, insert, update, delete on {added.name} to {writer}")
    monkeypatch.setitem(TABLES, added.name, added)
    return added


@pytest.fixture
def world(table: SeriesTable, database_url: str) -> Iterator[World]:
    clock = MovableClock()
    built = World(database_url, [HourlyVendor(table, clock)], clock)
    yield built
    built.close()


def list_ids(table: SeriesTable) -> list[str]:
    return ["SIM/A/PT1H", "SIM/B/PT1H"] if table.has_durations else ["SIM/A"]


def test_lanes_fill_another_table_to_its_floor(world: World, table: SeriesTable) -> None:
    world.settle()
    for series_id in list_ids(table):
        stored = read_hours(world.conn, table, series_id)
        assert stored[:HOURS] == list(range(LISTED_MS, CERTAIN_MS, HOUR_MS))
        world.conn.commit()
        certificate = certify(world.conn, table.name, series_id, Range(LISTED_MS, CERTAIN_MS))
        assert certificate.is_complete
        assert certificate.rows == HOURS
        assert certificate.kinds == {"data": HOURS * HOUR_MS}
    assert world.reports
    assert [report.failed for report in world.reports if report.failed] == []
    known = world.conn.execute("select distinct table_name, floor_kind from series_state").fetchall()
    assert known == [(table.name, "listing")]


def read_hours(conn: Connection, table: SeriesTable, series_id: str) -> list[int]:
    rows = conn.execute(
        f"select (date_part('epoch', created_at) * 1000)::bigint from {table.name} where series_id = %s order by 1",
        [series_id],
    ).fetchall()
    return [int(str(created_ms)) for (created_ms,) in rows]


def test_a_change_of_another_table_is_kept_with_its_old_values(world: World, table: SeriesTable) -> None:
    world.settle()
    series_id = list_ids(table)[0]
    column = table.values[-1]
    times = (LISTED_MS, LISTED_MS + HOUR_MS) if table.has_durations else (LISTED_MS,)
    changed = (*ROWS[table.name][:-1], "9.75")
    with world.conn.transaction():
        again = write_rows(world.conn, table, [SeriesRows(series_id, [(*times, *ROWS[table.name])])])
        assert again.total() == 0
        assert write_rows(world.conn, table, [SeriesRows(series_id, [(*times, *changed)])]).total() == 1
    [seen] = revisions.read(world.conn, table.name, [series_id], after=0)
    assert (seen.column, seen.old_value, seen.new_value) == (column, ROWS[table.name][-1], "9.75")


def test_what_does_not_stand_in_another_table_is_taken_back(world: World, table: SeriesTable) -> None:
    world.settle()
    series_id, limit_ms = list_ids(table)[0], NOON_MS + HOUR_MS
    assert verify_series(world.conn, table.name, None, limit_ms) == []
    # Rates speak for the time between their first and their last only, bars for their own.
    world.conn.execute(f"delete from {table.name} where series_id = %s and created_at <= to_timestamp(%s)",
                       [series_id, LISTED_MS / 1000])  # fmt: skip
    world.conn.commit()
    [fault] = verify_series(world.conn, table.name, None, limit_ms)
    assert (fault.series_id, fault.what, fault.window) == (series_id, "hollow", Range(LISTED_MS, LISTED_MS + HOUR_MS))
    assert [each.is_mended for each in mend(world.conn, [fault], limit_ms, NOON_MS)] == [True]
    assert verify_series(world.conn, table.name, None, limit_ms) == []
    world.settle()
    assert read_hours(world.conn, table, series_id)[0] == LISTED_MS


def test_the_command_line_reads_another_table(
    world: World, table: SeriesTable, series_environment: dict[str, str], tmp_path: Path
) -> None:
    world.settle()
    invoke = CliRunner().invoke
    rows = json.loads(succeed(invoke(series, ["read", list_ids(table)[0], "--format", "json", "--limit", "1"])))
    assert list(rows[0].values())[len(table.times) :] == list(ROWS[table.name])
    known = json.loads(succeed(invoke(series, ["coverage", "--json"])))
    assert [(each["table_name"], each["gaps"]) for each in known] == [(table.name, []) for _ in list_ids(table)]
    path = tmp_path / "rows.parquet"
    succeed(invoke(series, ["read", list_ids(table)[0], "--exact", "--output", str(path)]))
    assert path.stat().st_size > 0


# Dagster's own way of looking at a resource's fields.
@pytest.mark.filterwarnings("ignore:The `__fields__` attribute is deprecated")
def test_dagster_shows_another_table(
    conn: Connection, table: SeriesTable, series_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry([HourlyVendor(table, SystemClock())])
    monkeypatch.setattr(SeriesResource, "load_registry", lambda self: registry)
    series_id = list_ids(table)[0]
    sync_universe(conn, registry, SystemClock().now_ms())
    conn.commit()
    with DagsterInstance.ephemeral() as instance:
        name = find_partitions(table.name).name
        assert name == table.partitions
        instance.add_dynamic_partitions(name, [series_id])
        done = materialize(
            [build_series_asset(table.name)],
            instance=instance,
            partition_key=series_id,
            resources={"series": SeriesResource(), "in_memory": mem_io_manager},
            raise_on_error=False,
        )
        assert done.success
        [record] = instance.fetch_materializations(AssetKey(table.name), limit=10).records
    assert record.asset_materialization is not None
    shown = record.asset_materialization.metadata["last_rows"].value.records[0].data  # type: ignore[union-attr]
    assert shown.keys() == {"created_at", *table.shown}

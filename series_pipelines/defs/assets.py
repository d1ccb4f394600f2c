"""The two tables of series as partitioned assets, and the capabilities as a table to look at.

Each table is a graph of two ops, `ingest` and `compact_ranges`. There are three ways in: a sensor's lane names a
capability and has no partition; a person's run has one partition or a range of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

from dagster import (
    AssetOut,
    AssetsDefinition,
    BackfillPolicy,
    Config,
    Failure,
    In,
    MaterializeResult,
    OpExecutionContext,
    Out,
    asset,
    graph_multi_asset,
    op,
)
from pydantic import Field

from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.series import TABLE_NAMES, TableName
from series_pipelines.core.times import parse_time
from series_pipelines.defs.display import Display
from series_pipelines.defs.partitions import SERIES_PARTITIONS
from series_pipelines.defs.peek_metadata import describe_backlog
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.dev_lock import end_with_dev
from series_pipelines.errors import CapabilityBusy, InvalidOrder, SeriesError, UnknownCapability
from series_pipelines.ingest.backlog import read_backlog
from series_pipelines.ingest.lane import LaneOrder, LaneReport, LaneTools, run_lane
from series_pipelines.ingest.pause import pause_unserved
from series_pipelines.ingest.writer import compact_series
from series_pipelines.store import states

DESCRIPTIONS: dict[TableName, str] = {
    "ohlc_v2": (
        "OHLC bars, one partition a series (`PRODUCT_ID/DURATION`). The sensors keep heads fresh and fill history "
        "behind them. Launch a backfill to bring chosen series up to date: head first, then tail."
    ),
    "interest_rate": (
        "Interest and funding rates, one partition a product. The sensors keep heads fresh and fill history behind "
        "them. Launch a backfill to bring chosen series up to date."
    ),
}
OWNERS = ["team:market-data"]


class WorkKind(Enum):
    """What a lane serves."""

    head = "head"
    tail = "tail"
    both = "both"


class IngestConfig(Config):
    """What a run does. A person leaves `capability` empty and chooses partitions instead."""

    capability: str | None = Field(None, description="the capability a sensor's lane works; leave empty otherwise")
    kind: WorkKind = Field(WorkKind.both, description="head: towards now; tail: gaps and history; both: head first")
    seconds: int | None = Field(None, ge=1, description="how long the run may work; the settings say if empty")
    pages: int | None = Field(None, ge=1, description="at most this many vendor pages a capability")
    start: str | None = Field(None, description="only what is missing from this time on, like 2026-01-31T00:00:00Z")
    end: str | None = Field(None, description="only what is missing before this time; now if empty")


@op(
    description="Fetch page after page from the vendor and commit each with its range.",
    out=Out(list[str], io_manager_key="in_memory", description="the series that were touched"),
)
def ingest(context: OpExecutionContext, config: IngestConfig, series: SeriesResource) -> list[str]:
    table_name = _find_table(context)
    touched: set[str] = set()
    failed: dict[str, str] = {}
    try:
        for report in _run_lanes(context, config, series, table_name):
            touched |= report.touched
            failed |= report.failed
            context.log.info(
                f"{report.pages} pages, {report.rows} rows, {len(report.touched)} series, {len(report.failed)} failed; "
                f"ended because {report.ended}"
            )
    except SeriesError as error:
        raise Failure(str(error), allow_retries=False) from error
    if failed and _find_partitions(context):
        with series.connect("compact") as conn:
            compact_series(conn, table_name, sorted(touched))
        examples = "; ".join(f"{series_id}: {reason}" for series_id, reason in sorted(failed.items())[:5])
        raise Failure(f"{len(failed)} of the chosen series failed: {examples}", allow_retries=False)
    return sorted(touched)


@op(
    description="Merge the overlapping ranges of the series that were touched.",
    ins={"touched": In(list[str])},
    out=Out(is_required=False),
)
def compact_ranges(context: OpExecutionContext, touched: list[str], series: SeriesResource) -> Iterator[Any]:
    with series.connect("compact") as conn:
        change = compact_series(conn, _find_table(context), touched)
    merged, added = len(change.deleted), len(change.inserted)
    context.log.info(f"{len(touched)} series were touched; {added} ranges replace {merged} that overlapped")
    # The ingest op has logged an event for each partition; an output here would log one without.
    yield from ()


def build_series_asset(table_name: TableName) -> AssetsDefinition:
    """Make the asset of one table."""

    @graph_multi_asset(
        name=table_name,
        outs={
            table_name: AssetOut(
                description=DESCRIPTIONS[table_name],
                is_required=False,
                kinds={"postgres", "table"},
                owners=OWNERS,
                metadata={"dagster/table_name": f"public.{table_name}"},
            )
        },
        partitions_def=SERIES_PARTITIONS[table_name],
        backfill_policy=BackfillPolicy.single_run(),
        group_name="series",
    )
    def series_asset() -> Any:
        return {table_name: compact_ranges(ingest())}

    return series_asset


@asset(
    group_name="series",
    kinds={"postgres"},
    owners=OWNERS,
    description="What each vendor service can do, what waits in it, and whether it backs off: the Peek table.",
)
def capabilities(series: SeriesResource) -> MaterializeResult[None]:
    with series.connect("peek") as conn:
        backlog = read_backlog(conn, series.clock.now_ms())
    return MaterializeResult(metadata=describe_backlog(backlog))


def build_assets() -> list[AssetsDefinition]:
    """Make all assets."""
    return [*(build_series_asset(table_name) for table_name in TABLE_NAMES), capabilities]


def _find_table(context: OpExecutionContext) -> TableName:
    parent = context.op_handle.parent
    for table_name in TABLE_NAMES:
        if parent is not None and parent.name == table_name:
            return table_name
    raise InvalidOrder(f"op {context.op_handle} belongs to no table")


def _find_partitions(context: OpExecutionContext) -> Sequence[str]:
    if context.has_partition_key:
        return [context.partition_key]
    return context.partition_keys if context.has_partition_key_range else []


def _run_lanes(
    context: OpExecutionContext, config: IngestConfig, series: SeriesResource, table_name: TableName
) -> Iterator[LaneReport]:
    if series.settings.under_dev:
        end_with_dev(series.settings.home)
    catalogue = series.load_registry().read()
    clock = series.clock
    chosen = _group_series(series, table_name, _find_partitions(context), config)
    by_person = config.capability is None
    seconds = config.seconds or (series.settings.backfill_seconds if by_person else series.settings.shift_seconds)
    deadline_ms = clock.now_ms() + seconds * 1000
    with series.connect("display", autocommit=True) as conn:
        for position, (cap_key, series_ids) in enumerate(chosen.items()):
            if cap_key not in catalogue.capabilities:
                reason = "; ".join(catalogue.refused) or "is it configured?"
                pause_unserved(conn, cap_key, reason, clock.now_ms())
                raise UnknownCapability(f"no vendor serves {cap_key} now; {reason}")
            share_ms = max(1_000, (deadline_ms - clock.now_ms()) // (len(chosen) - position))
            order = LaneOrder(
                work=("head", "tail") if config.kind is WorkKind.both else (config.kind.value,),
                shift_ms=share_ms,
                series_ids=series_ids,
                max_pages=config.pages,
                window=_parse_window(config, clock.now_ms()),
                by_person=by_person,
                run_id=context.run_id,
                recheck_after_ms=series.settings.recheck_days * DAY_MS,
                clock_tolerance_ms=series.settings.clock_tolerance_seconds * 1000,
            )
            count = len(series_ids) if series_ids is not None else _count_series(series, table_name, cap_key)
            display = Display(context, conn, table_name, count, by_person)
            tools = LaneTools(series.connect, clock, display.note, context.log.warning)
            try:
                report = run_lane(tools, catalogue.vendor_of[cap_key], catalogue.capabilities[cap_key], order)
                display.show_rest([key for key in series_ids or () if key not in report.failed])
                yield report
            except CapabilityBusy as busy:
                if by_person:
                    raise
                context.log.info(f"{busy}; nothing to do")
            finally:
                context.log.info(display.finish())


def _count_series(series: SeriesResource, table_name: TableName, cap_key: str) -> int:
    with series.connect("count") as conn:
        return sum(known.cap_key == cap_key for known in states.list_series(conn, table_name))


def _group_series(
    series: SeriesResource, table_name: TableName, partitions: Sequence[str], config: IngestConfig
) -> dict[str, tuple[str, ...] | None]:
    """Return which series each capability is to serve; None stands for all of its own."""
    if config.capability is not None:
        if partitions:
            raise InvalidOrder("a run has either a capability or partitions, not both: empty `capability`")
        return {config.capability: None}
    if not partitions:
        raise InvalidOrder("choose partitions, or name a capability in the run config")
    with series.connect("find series") as conn:
        known = [found for found in states.find_series(conn, partitions) if found.table_name == table_name]
    unknown = sorted(set(partitions) - {found.series_id for found in known if found.active})
    if unknown:
        raise InvalidOrder(f"{len(unknown)} of the chosen series are not served by any vendor now: {unknown[0]}")
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for found in known:
        grouped[found.cap_key].append(found.series_id)
    return {cap_key: tuple(series_ids) for cap_key, series_ids in grouped.items()}


def _parse_window(config: IngestConfig, now_ms: int) -> Range | None:
    if config.start is None and config.end is None:
        return None
    if config.kind is WorkKind.head:
        raise InvalidOrder("a time window has no head: choose kind `tail` or `both`, or leave out start and end")
    start_ms = parse_time(config.start) if config.start else 0
    end_ms = parse_time(config.end) if config.end else now_ms
    if start_ms >= end_ms:
        raise InvalidOrder(f"start {config.start or 'of time'} is not before end {config.end or 'now'}")
    return Range(start_ms, end_ms)

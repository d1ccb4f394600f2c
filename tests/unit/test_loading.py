"""Vendors are loaded by name; one that can't be is refused in one line, and stops no other."""

import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from series_pipelines.errors import UnknownVendor
from series_pipelines.vendors import loading
from series_pipelines.vendors.contract import Product, Reply, Request, Service
from series_pipelines.vendors.loading import load_vendors

DEMO = "series_pipelines.vendors.demo.vendor:create"


class FakeVendor:
    def __init__(self, name: Any) -> None:
        self.name = name

    def services(self) -> list[Service]:
        return []

    def products(self) -> list[Product]:
        return []

    def fetch(self, request: Request) -> Reply:
        return Reply([], 0)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("acme_plugin")
    monkeypatch.setitem(sys.modules, "acme_plugin", module)
    points = EntryPoints([EntryPoint("acme", "acme_plugin:create", loading.ENTRY_POINT_GROUP)])
    monkeypatch.setattr(loading, "entry_points", lambda group: points.select(group=group))
    return module


def test_a_vendor_is_loaded_by_entry_point_or_by_module_and_factory(plugin: ModuleType) -> None:
    seen: list[Mapping[str, Any]] = []

    def make(options: Mapping[str, Any]) -> list[FakeVendor]:
        seen.append(options)
        return [FakeVendor(options.get("as", "plain"))]

    plugin.create = make  # type: ignore[attr-defined]
    vendors, refused = load_vendors(["acme", "acme_plugin:create"], {"acme": {"as": "named"}, "unused": {}})
    assert ([vendor.name for vendor in vendors], refused) == (["named", "plain"], [])
    assert seen == [{"as": "named"}, {}]


def test_an_unknown_vendor_is_refused_with_the_known_names(plugin: ModuleType) -> None:
    for name in ("nobody", "", "os:", ":create"):
        with pytest.raises(UnknownVendor, match="known are acme;"):
            load_vendors([name], {})


@pytest.mark.parametrize("name", ["acme", "no_such_module:create", "os:no_such_factory", "os:sep"])
def test_a_factory_that_can_not_be_loaded_says_so(plugin: ModuleType, name: str) -> None:
    with pytest.raises(UnknownVendor, match=f"vendor '{name}'"):
        load_vendors([name], {})


def test_a_factory_that_raises_is_named_in_one_line(plugin: ModuleType) -> None:
    with pytest.raises(UnknownVendor, match="can't be made: demo option error_rate must be between 0 and 1"):
        load_vendors([DEMO], {DEMO: {"error_rate": 2}})


@pytest.mark.parametrize("made", [None, 7, [object()], [FakeVendor("")]])
def test_a_factory_that_makes_no_vendors_is_refused(plugin: ModuleType, made: object) -> None:
    plugin.create = lambda options: made  # type: ignore[attr-defined]
    with pytest.raises(UnknownVendor, match="vendor 'acme'"):
        load_vendors(["acme"], {})


def test_a_vendor_without_a_method_is_refused(plugin: ModuleType) -> None:
    half = ModuleType("half")
    half.name = "half"  # type: ignore[attr-defined]
    half.services = half.products = list  # type: ignore[attr-defined]
    plugin.create = lambda options: [half]  # type: ignore[attr-defined]
    with pytest.raises(UnknownVendor, match=r"which has no fetch\(\)"):
        load_vendors(["acme"], {})


def test_a_vendor_configured_twice_counts_once_and_the_second_is_refused(plugin: ModuleType) -> None:
    vendors, refused = load_vendors([DEMO] * 2, {})
    assert [vendor.name for vendor in vendors] == ["demo-a", "demo-b"]
    assert refused == ["vendor 'demo-a' is configured twice", "vendor 'demo-b' is configured twice"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def create(options:", "SyntaxError: "),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise RuntimeError('no \\ud83d\\0 key')", "RuntimeError: no key"),
        ("import nothing_of_that_name", "ModuleNotFoundError: "),
        ("def create(options): raise SystemExit", "can't be made: SystemExit"),
        ("def create(options):\n    while True: yield object()", "the name of its object must be a text"),
        ("class V:\n    def __getattr__(self, _): raise SystemExit(3)\ndef create(_): return [V()]", "SystemExit: 3"),
    ],
)  # fmt: skip
def test_a_module_that_can_not_be_loaded_is_one_line_and_the_others_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, told: str
) -> None:
    (tmp_path / "bad_plugin.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "bad_plugin", raising=False)
    vendors, [refused] = load_vendors(["bad_plugin:create", DEMO], {})
    assert [vendor.name for vendor in vendors] == ["demo-a", "demo-b"]
    assert refused.startswith("vendor 'bad_plugin:create'")
    assert told in refused
    assert refused.isprintable()


def test_a_module_that_never_ends_loading_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_plugin.py").write_text("import threading\nrelease = threading.Event()\nrelease.wait()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slow_plugin", raising=False)
    monkeypatch.setattr(loading, "LOAD_SECONDS", 2.0)
    try:
        vendors, [refused] = load_vendors([DEMO, "slow_plugin:create"], {})
        assert [vendor.name for vendor in vendors] == ["demo-a", "demo-b"]
        assert "loading did not end" in refused
    finally:
        sys.modules["slow_plugin"].release.set()

"""Vendors are loaded by name; one that can't be is refused in one line, and stops no other."""

import sys
import threading
from collections.abc import Mapping
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from series_pipelines.errors import UnknownVendor
from series_pipelines.vendors import loading
from series_pipelines.vendors.contract import Product, Reply, Request, Service
from series_pipelines.vendors.loading import load_vendors
from series_pipelines.vendors.offers import Offer, look_at_all
from series_pipelines.vendors.registry import Registry

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


def test_a_name_is_read_once_where_a_vendor_is_loaded(plugin: ModuleType) -> None:
    class Shy(FakeVendor):
        names: ClassVar = ["shy"]
        name = property(lambda self: self.names.pop(), lambda self, name: None)

    plugin.create = lambda options: [Shy("shy")]  # type: ignore[attr-defined]
    [vendor], refused = load_vendors(["acme"], {})
    registry = Registry([vendor])
    assert (vendor.name, list(registry.by_name), registry.read().refused, refused) == ("shy", ["shy"], (), [])
    assert (vendor.services(), vendor.products(), vendor.fetch(Request("", "", None, "", 0)).rows) == ([], [], [])


def test_what_is_still_listed_is_asked_for_where_a_vendor_knows_it(plugin: ModuleType) -> None:
    class Choosy(FakeVendor):
        def products(self) -> list[Product]:
            return [Product("A/1")]

        def still_listed(self, product_ids: list[str]) -> list[str]:
            return product_ids[:1]

    plugin.create = lambda options: [Choosy("choosy"), FakeVendor("plain")]  # type: ignore[attr-defined]
    registry = Registry(*load_vendors(["acme"], {}))
    looks = look_at_all(registry, {"choosy": ["A/1", "A/2", "A/3"], "plain": ["B/1"]})
    assert [look.still_listed for look in looks.values() if isinstance(look, Offer)] == [{"A/2"}, frozenset()]


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


def test_modules_are_loaded_side_by_side_with_one_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["slow_first", "slow_second", "slow_third"]
    barrier = threading.Barrier(len(names) + 1)
    monkeypatch.setattr(sys, "slow_barrier", barrier, raising=False)
    for name in names:
        (tmp_path / f"{name}.py").write_text(
            "import sys\nsys.slow_barrier.wait(30)\nfrom series_pipelines.vendors.demo.vendor import create\n"
        )
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    loaded: list[Any] = []
    loading_all = threading.Thread(target=lambda: loaded.append(load_vendors([f"{n}:create" for n in names], {})))
    loading_all.start()
    # It is passed only while all of them are being loaded.
    barrier.wait(30)
    loading_all.join()
    [(vendors, refused)] = loaded
    assert [vendor.name for vendor in vendors] == ["demo-a", "demo-b"]
    assert refused == ["vendor 'demo-a' is configured twice", "vendor 'demo-b' is configured twice"] * 2


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

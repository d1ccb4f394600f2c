"""Whatever a vendor does when it is called hurts only that call: hostile errors, hanging calls, texts from outside."""

import threading
from asyncio import CancelledError
from collections.abc import Iterator

import pytest

from series_pipelines.core.text import clean_text, describe_error, show_value
from series_pipelines.errors import (
    DatabaseUnavailable,
    PageRefused,
    VendorBroken,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.vendors import asking
from series_pipelines.vendors.asking import VendorThreads, ask, ask_all, blame_vendor, count_left_behind


class Unspeakable(BaseException):
    """Raises when anybody looks at it."""

    def __str__(self) -> str:
        raise SystemExit(0)

    __repr__ = __str__


class EvilText(str):
    def __getitem__(self, key: object) -> str:
        raise SystemExit(0)

    __str__ = __repr__ = __format__ = __getitem__  # type: ignore[assignment]


def make_deep() -> object:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


HOSTILE_VALUES = [
    10**6000,
    Unspeakable(),
    EvilText("x"),
    make_deep(),
    "\ud83d",
    "a\0b",
    "\x1b[31mred",
    "x" * 20_000_000,
]


@pytest.fixture
def hanging() -> Iterator[threading.Event]:
    """What a hanging call waits for; set at the end, and awaited, so that no test counts another's calls."""
    release = threading.Event()
    yield release
    release.set()
    while any(asking._left_behind.values()):
        threading.Event().wait(0.001)


@pytest.mark.parametrize("value", HOSTILE_VALUES, ids=lambda value: type(value).__name__)
def test_any_value_becomes_one_short_printable_line(value: object) -> None:
    for text in (clean_text(value), show_value(value), describe_error(Exception(value))):
        assert type(text) is str
        assert len(text) <= 300
        assert text.isprintable()
        text.encode()


def test_a_text_keeps_its_words_and_loses_its_lines() -> None:
    assert clean_text(" two\n lines\tand \x1b[2Jan escape ") == "two lines and [2Jan escape"
    assert clean_text("word " * 100) == ("word " * 60).rstrip()[:299].rstrip() + "…"


@pytest.mark.parametrize(
    "error",
    [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), CancelledError(), Unspeakable(), ValueError(10**6000)],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_vendor_raises_is_a_breakdown_of_that_call(error: BaseException) -> None:
    def call() -> None:
        raise error

    with pytest.raises(VendorBroken, match=f"vendor 'evil' broke: {type(error).__name__}"):
        ask("evil", "fetch()", call, 5)


def test_what_a_vendor_says_of_itself_keeps_its_meaning() -> None:
    busy = blame_vendor("v", VendorBusy("429", retry_after_ms=42_000))
    assert isinstance(busy, VendorBusy)
    assert (str(busy), busy.retry_after_ms) == ("429", 42_000)
    assert type(blame_vendor("v", PageRefused("no"))) is PageRefused
    assert str(blame_vendor("v", VendorRejected())) == "VendorRejected"
    assert type(blame_vendor("v", DatabaseUnavailable("gone"))) is VendorUnavailable


@pytest.mark.parametrize(
    ("given", "kept"), [("5", None), (-1, None), (True, None), (10**18, 7 * 86_400_000), (None, None)]
)
def test_a_mad_retry_after_is_bounded_or_ignored(given: object, kept: int | None) -> None:
    blamed = blame_vendor("v", VendorBusy("429", given))  # type: ignore[arg-type]
    assert isinstance(blamed, VendorBusy)
    assert blamed.retry_after_ms == kept


def test_a_vendor_that_hangs_delays_only_its_own_answer(hanging: threading.Event) -> None:
    answers = ask_all({"slow": hanging.wait, "quick": lambda: True}, "products()", 0.05)
    assert answers["quick"] is True
    assert isinstance(answers["slow"], VendorTimeout)
    assert count_left_behind("slow") == 1


def test_a_vendor_that_left_too_many_calls_unanswered_is_not_asked(hanging: threading.Event) -> None:
    for _ in range(asking.MOST_LEFT_BEHIND):
        with pytest.raises(VendorTimeout, match="did not end within"):
            ask("slow", "fetch()", hanging.wait, 0.001)
    with pytest.raises(VendorTimeout, match="have not ended yet"):
        ask("slow", "fetch()", lambda: pytest.fail("it was asked"), 5)
    hanging.set()
    while count_left_behind("slow"):
        threading.Event().wait(0.001)
    assert ask("slow", "fetch()", lambda: 7, 5) == 7


def test_threads_are_used_again_and_a_hanging_one_is_passed_by(hanging: threading.Event) -> None:
    threads: VendorThreads[object] = VendorThreads("v")
    threads.submit(hanging.wait)
    idents = {threads.submit(threading.get_ident).result(5) for _ in range(20)}
    assert len(idents) <= 3
    with pytest.raises(VendorError):
        threads.submit(lambda: 1 / 0).result(5)
    threads.close()

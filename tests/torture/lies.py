"""Every way in which a vendor's answer lies, by name.

| kind | what must come of it |
|---|---|
| refused | nothing of it is stored; its series has a short, printable error |
| pause | the same, and its capability pauses |
| harmless | what it says is true in an odd way: it may be stored or refused, never changed |
| omission | well formed, but it leaves out what exists: the time it was asked for is doubted |
| value | well formed, with values that never were: they are doubted |

A lie gets what the vendor would honestly answer and returns or raises something else.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any, Literal

import psycopg

from series_pipelines.core.duration import DAY_MS, HOUR_MS, parse_duration
from series_pipelines.errors import (
    CapabilityBusy,
    DatabaseUnavailable,
    PageRefused,
    VendorBusy,
    VendorRejected,
    VendorTimeout,
)
from series_pipelines.vendors.contract import Reply, Request

from .market import Life, Market, find_start, step

Kind = Literal["refused", "pause", "harmless", "omission", "value"]
Needs = Literal["nothing", "rows", "bars", "stored bars", "later rows", "earlier time"]

MAD_MS = 10**18
HUGE = 10**6_000 - 1
"""More digits than Python turns into text by itself."""
DEPTH = 100_000
MILLIONS = 5_000_000
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\r\nsecond line\u202e\x00\ud83d"


class FalseInterrupt(KeyboardInterrupt):
    """An interrupt that no person sent."""


@dataclass
class Asked:
    """What was asked, and what the honest answer would be."""

    random: Random
    market: Market
    life: Life
    duration: str | None
    request: Request
    rows: list[list[Any]]
    """The honest rows, the forming one too, each a list of its own."""
    final: list[int]
    """Which of them are final and in the asked direction."""
    stored: list[int]
    """Which of those were given before, by an honest answer, and have closed even if they begin half a bar later."""
    now_ms: int
    released: threading.Event = field(default_factory=threading.Event)
    """Set when those who hang may end."""
    while_hanging: Callable[[], None] = lambda: None
    """Lets time pass where it only passes when someone waits."""
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    """What the vendor does to its rows after it gave them away."""

    @property
    def reply(self) -> Reply:
        return Reply(self.rows, self.now_ms)

    @property
    def texts(self) -> range:
        """The columns that hold decimals and must not be empty."""
        return range(2, 6) if self.duration else range(1, 3)

    @property
    def half_a_bar_ms(self) -> int:
        return find_half(self.duration)

    def pick(self) -> list[Any]:
        """Return one of the final rows, to spoil it."""
        return self.rows[self.random.choice(self.final)]


@dataclass(frozen=True)
class Lie:
    """A named way to lie, what must come of it, what the honest answer must have for it."""

    name: str
    kind: Kind
    needs: Needs
    weight: int
    tell: Callable[[Asked], Any]
    denies: bool = False
    """Whether it says that the vendor does not have what was asked for: of a delisted product that is believed."""

    def fits(self, asked: Asked) -> bool:
        """Whether the honest answer has what this lie spoils."""
        if self.needs == "nothing":
            return True
        if self.needs == "later rows":
            return bool(_list_outside(asked))
        if self.needs == "earlier time":
            return asked.request.direction == "backward" and asked.life.is_listing_known
        rows = asked.stored if self.needs == "stored bars" else asked.final
        return bool(rows) and (self.needs == "rows" or asked.duration is not None)


LIES: dict[str, Lie] = {}


def _lie(kind: Kind, needs: Needs = "nothing", weight: int = 100) -> Callable[[Callable[[Asked], Any]], Any]:
    def register(tell: Callable[[Asked], Any]) -> Callable[[Asked], Any]:
        name = tell.__name__.strip("_")
        LIES[name] = Lie(name, kind, needs, weight, tell)
        return tell

    return register


def find_half(duration: str | None) -> int:
    """Return half the length of the shortest bar of a duration; of rates, zero."""
    return parse_duration(duration).nominal_ms // 2 if duration else 0


def choose(random: Random, asked: Asked, names: Sequence[str]) -> Lie | None:
    """Return one of the named lies that fits, the heavy ones seldom."""
    fitting = [LIES[name] for name in names if LIES[name].fits(asked)]
    return random.choices(fitting, [lie.weight for lie in fitting])[0] if fitting else None


# One value of a row


def _spoil(name: str, kind: Kind, column: Callable[[Asked], int], make: Callable[[Any], Any], needs: Needs) -> None:
    def tell(asked: Asked) -> Reply:
        row, position = asked.pick(), column(asked)
        row[position] = make(row[position])
        return asked.reply

    LIES[name] = Lie(name, kind, needs, 100, tell)


def _spoil_times(makes: Mapping[str, Callable[[int], Any]]) -> None:
    for name, make in makes.items():
        _spoil(f"time_{name}", "refused", lambda asked: 0, make, "rows")


def _spoil_decimals(makes: Mapping[str, Callable[[str], Any]]) -> None:
    for name, make in makes.items():
        _spoil(f"decimal_{name}", "refused", lambda asked: asked.random.choice(asked.texts), make, "rows")


def _spoil_closes(makes: Mapping[str, Callable[[int], Any]], kind: Kind = "refused") -> None:
    for name, make in makes.items():
        _spoil(f"close_{name}", kind, lambda asked: 1, make, "bars")


def _spoil_volumes(makes: Mapping[str, Callable[[str], Any]]) -> None:
    for name, make in makes.items():
        _spoil(f"volume_{name}", "refused", lambda asked: 6, make, "bars")


class _HostileText(str):
    """A text that is right and does as it likes."""

    __slots__ = ()

    def __str__(self) -> str:
        raise SystemExit(0)

    __repr__ = __format__ = strip = __str__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise FalseInterrupt

    def __hash__(self) -> int:
        raise GeneratorExit

    def __len__(self) -> int:
        return 10**9


class _HostileInt(int):
    def __repr__(self) -> str:
        raise SystemExit(0)

    __str__ = __format__ = __repr__  # type: ignore[assignment]

    def __lt__(self, other: object) -> bool:
        raise FalseInterrupt

    __le__ = __gt__ = __ge__ = __lt__


class _Unprintable:
    def __repr__(self) -> str:
        raise SystemExit("no repr")

    __str__ = __repr__

    @property
    def __class__(self) -> Any:
        raise FalseInterrupt

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise FalseInterrupt


class _OddRepr:
    def __repr__(self) -> str:
        return 5  # type: ignore[return-value]

    __str__ = __repr__


@cache
def _nest(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


@cache
def _megabytes(count: int) -> str:
    return "x\x1b[31m\ud83d\n" * (count << 17)


_spoil_times(
    {
        "of_6000_digits": lambda _: HUGE,
        "as_float": float,
        "as_text": str,
        "as_bool": bool,
        "none": lambda _: None,
        "negative": lambda at: -at,
        "in_nanoseconds": lambda at: at * 1_000_000,
        "before_all": lambda _: -(10**18),
        "after_year_9999": lambda _: 253_402_300_800_000,
        "not_printable": lambda _: _Unprintable(),
        "hostile_int": _HostileInt,
        "nested_deep": lambda _: _nest(DEPTH),
        "nan": lambda _: float("nan"),
    }
)

_spoil_decimals(
    {
        "int_of_6000_digits": lambda _: HUGE,
        "text_of_6000_digits": lambda _: "9" * 6_000,
        "text_of_20_mb": lambda _: _megabytes(20),
        "as_float": float,
        "as_int": lambda text: int(float(text)),
        "as_decimal": Decimal,
        "as_bytes": str.encode,
        "none": lambda _: None,
        "nan": lambda _: "NaN",
        "infinite": lambda _: "Infinity",
        "underscored": lambda _: "1_000.0",
        "full_width": lambda _: "１２.３",
        "empty": lambda _: "",
        "spaced": lambda text: f" {text}\n",
        "with_nul": lambda text: f"{text}\x00",
        "with_surrogate": lambda text: f"{text}\ud83d",
        "with_escapes": lambda text: text + ESCAPES,
        "hostile_text": _HostileText,
        "not_printable": lambda _: _Unprintable(),
        "odd_repr": lambda _: _OddRepr(),
        "nested_deep": lambda _: _nest(DEPTH),
        "in_a_list": lambda text: [text],
        "as_html": lambda _: "<html><h1>502 Bad Gateway</h1></html>",
    }
)

_spoil_closes(
    {
        "of_6000_digits": lambda _: HUGE,
        "before_the_start": lambda at: at - 400 * DAY_MS,
        "a_year_late": lambda at: at + 400 * DAY_MS,
        "as_text": str,
        "not_printable": lambda _: _Unprintable(),
        "zero": lambda _: 0,
    }
)
_spoil_closes({"as_float": float}, "harmless")

_spoil_volumes(
    {
        "negative": lambda text: f"-{text}1",
        "nan": lambda _: "nan",
        "int_of_6000_digits": lambda _: HUGE,
        "hostile_text": _HostileText,
        "in_a_dict": lambda text: {text: text},
    }
)


# One row


class _RowDict(dict):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 8


class _HostileList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[Any]:
        raise SystemExit(0)

    def __getitem__(self, key: Any) -> Any:
        raise FalseInterrupt

    def __repr__(self) -> str:
        raise GeneratorExit


class _LyingLength(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 10**9


class _NoLength(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 0


def _replace_row(name: str, make: Callable[[list[Any]], Any], kind: Kind = "refused") -> None:
    def tell(asked: Asked) -> Reply:
        position = asked.random.choice(asked.final)
        asked.rows[position] = make(asked.rows[position])
        return asked.reply

    LIES[f"row_{name}"] = Lie(f"row_{name}", kind, "rows", 100, tell)


for _name, _make in {
    "none": lambda _: None,
    "number": lambda _: 7,
    "text": lambda _: "abcdefgh",
    "empty": lambda _: [],
    "too_short": lambda row: row[:-1],
    "too_long": lambda row: [*row, None],
    "dict": lambda row: dict(enumerate(row)),
    "dict_subclass": lambda row: _RowDict(enumerate(row)),
    "generator": lambda row: (value for value in row),
    "nested_deep": lambda _: _nest(DEPTH),
    "not_printable": lambda _: _Unprintable(),
    "set": frozenset,
}.items():
    _replace_row(_name, _make)
_replace_row("hostile_list", _HostileList, "harmless")
_replace_row("tuple", tuple, "harmless")


# Time


@_lie("refused", "rows", weight=300)
def times_in_seconds(asked: Asked) -> Reply:
    for row in asked.rows:
        row[0] //= 1_000
        if asked.duration:
            row[1] //= 1_000
    return asked.reply


@_lie("refused", "bars", weight=300)
def all_shifted_by_1_ms(asked: Asked) -> Reply:
    return _shift(asked, asked.final, 1)


@_lie("refused", "bars", weight=300)
def all_shifted_by_half_a_bar(asked: Asked) -> Reply:
    half_ms = asked.half_a_bar_ms
    # Half a month is whole days, and bars of days and longer may begin at any midnight: that could be true.
    return _shift(asked, asked.final, half_ms if half_ms % DAY_MS else half_ms + HOUR_MS)


@_lie("refused", "stored bars", weight=600)
def stored_shifted_by_1_ms(asked: Asked) -> Reply:
    return _shift(asked, asked.stored, 1)


@_lie("refused", "stored bars", weight=600)
def stored_shifted_by_half_a_bar(asked: Asked) -> Reply:
    return _shift(asked, asked.stored, asked.half_a_bar_ms)


@_lie("refused", "bars")
def one_shifted_by_1_ms(asked: Asked) -> Reply:
    asked.pick()[0] += 1
    return asked.reply


ONLY_ON_GRID = ("all_shifted_by_1_ms", "all_shifted_by_half_a_bar", "one_shifted_by_1_ms")
"""Where bars need not lie on a grid, nobody could know, unless others are stored there."""


def _shift(asked: Asked, positions: Sequence[int], by_ms: int) -> Reply:
    # Not those beside the asked time: one that falls out of the asked direction is left out, which is right.
    asked.rows = [asked.rows[position] for position in positions]
    for row in asked.rows:
        row[0] += by_ms if asked.request.direction == "forward" else -by_ms
        row[1] = None
    return asked.reply


@_lie("refused", "bars")
def overlapping_bars(asked: Asked) -> Reply:
    row = list(asked.pick())
    row[0] += asked.half_a_bar_ms * (1 if asked.request.direction == "forward" else -1)
    row[1] = None
    asked.rows += [row, *([list(row)] if asked.random.random() < 0.5 else [])]
    return asked.reply


@_lie("refused", "earlier time", weight=300)
def a_row_from_long_before_the_listing(asked: Asked) -> Reply:
    at_ms = find_start(asked.life, asked.duration, asked.life.listing_ms - 500 * DAY_MS)
    return Reply([list(asked.market.make_row(asked.life, asked.duration, at_ms)), *asked.rows], asked.now_ms)


@_lie("harmless", "rows")
def a_row_in_year_9999(asked: Asked) -> Reply:
    at_ms = find_start(asked.life, asked.duration, 253_400_000_000_000)
    return Reply([*asked.rows, list(asked.market.make_row(asked.life, asked.duration, at_ms))], asked.now_ms)


@_lie("omission", "rows")
def only_rows_in_year_9999(asked: Asked) -> Reply:
    at_ms = find_start(asked.life, asked.duration, 253_400_000_000_000)
    return Reply([list(asked.market.make_row(asked.life, asked.duration, at_ms))], asked.now_ms)


@_lie("harmless", "rows")
def rows_out_of_order(asked: Asked) -> Reply:
    asked.random.shuffle(asked.rows)
    return asked.reply


@_lie("harmless", "rows")
def rows_twice(asked: Asked) -> Reply:
    return Reply([*asked.rows, *map(list, asked.rows)], asked.now_ms)


@_lie("harmless", "rows", weight=20)
def rows_a_thousand_times(asked: Asked) -> Reply:
    return Reply(asked.rows * (10_000 // len(asked.rows)), asked.now_ms)


@_lie("harmless", "rows")
def rows_beyond_what_was_asked(asked: Asked) -> Reply:
    return Reply([*asked.rows, *_list_outside(asked)], asked.now_ms)


@_lie("refused", "later rows", weight=300)
def only_rows_beyond_what_was_asked(asked: Asked) -> Reply:
    return Reply(_list_outside(asked), asked.now_ms)


def _list_outside(asked: Asked) -> list[list[Any]]:
    """Return true rows on the other side of the asked time."""
    other = "forward" if asked.request.direction == "backward" else "backward"
    rows = asked.market.read_page(asked.life, asked.duration, other, asked.request.time_ms, 5, asked.now_ms)
    return [list(row) for row in rows]


# Leaving out, and values that never were


@_lie("omission", "rows")
def rows_left_out(asked: Asked) -> Reply:
    kept = [row for row in asked.rows if asked.random.random() < 0.7]
    return Reply(kept or asked.rows[:1], asked.now_ms)


@_lie("omission", "rows")
def a_stretch_left_out(asked: Asked) -> Reply:
    first, last = sorted(asked.random.randrange(len(asked.rows) + 1) for _ in "ab")
    return Reply([*asked.rows[:first], *asked.rows[last:]], asked.now_ms)


@_lie("omission", "rows")
def only_half_a_page(asked: Asked) -> Reply:
    half = -(-len(asked.rows) // 2)
    return Reply(asked.rows[:half] if asked.random.random() < 0.5 else asked.rows[-half:], asked.now_ms)


@_lie("omission", "rows")
def nothing_by_mistake(asked: Asked) -> Reply:
    return Reply([], asked.now_ms)


@_lie("value", "rows")
def another_value(asked: Asked) -> Reply:
    row = asked.pick()
    row[3 if asked.duration else 1] = "99999999.5"
    return asked.reply


@_lie("value", "rows")
def rows_that_contradict_each_other(asked: Asked) -> Reply:
    row = list(asked.pick())
    row[3 if asked.duration else 1] = "88888888.5"
    return Reply([*asked.rows, row], asked.now_ms)


@_lie("refused", "bars")
def high_below_low(asked: Asked) -> Reply:
    row = asked.pick()
    row[3], row[4] = "1.0", "2.0"
    return asked.reply


# The reply and its rows as things


@_lie("refused", weight=5)
def five_million_rows(asked: Asked) -> Reply:
    row = asked.rows[0] if asked.rows else [asked.now_ms, *["1"] * 7]
    return Reply([row] * MILLIONS, asked.now_ms)


@_lie("refused")
def rows_generator(asked: Asked) -> Reply:
    return Reply((row for row in asked.rows), asked.now_ms)  # type: ignore[arg-type]


@_lie("refused")
def rows_without_end(asked: Asked) -> Reply:
    return Reply(iter(lambda: [1], 0), asked.now_ms)  # type: ignore[arg-type]


@_lie("refused")
def rows_dict(asked: Asked) -> Reply:
    return Reply({"data": asked.rows}, asked.now_ms)  # type: ignore[arg-type]


@_lie("refused")
def rows_none(asked: Asked) -> Reply:
    return Reply(None, asked.now_ms)  # type: ignore[arg-type]


@_lie("refused")
def rows_text(asked: Asked) -> Reply:
    return Reply("<html>502</html>", asked.now_ms)


@_lie("refused")
def rows_bytes(asked: Asked) -> Reply:
    return Reply(b"\x00\xff", asked.now_ms)  # type: ignore[arg-type]


@_lie("refused")
def rows_not_printable(asked: Asked) -> Reply:
    return Reply(_Unprintable(), asked.now_ms)  # type: ignore[arg-type]


@_lie("harmless", "rows")
def rows_hostile_list(asked: Asked) -> Reply:
    return Reply(_HostileList(asked.rows), asked.now_ms)


@_lie("harmless", "rows")
def rows_of_lying_length(asked: Asked) -> Reply:
    return Reply(_LyingLength(asked.rows), asked.now_ms)


@_lie("omission", "rows")
def rows_that_say_they_are_none(asked: Asked) -> Reply:
    return Reply(_NoLength(asked.rows), asked.now_ms)


@_lie("harmless", "rows")
def rows_changed_afterwards(asked: Asked) -> Reply:
    rows = asked.rows

    def change() -> None:
        for row in rows:
            row[3 if asked.duration else 1] = "77777777.5"
        rows.clear()

    asked.afterwards.append(change)
    return asked.reply


class _HostileReply(Reply):
    __slots__ = ()

    def __init__(self) -> None:
        pass

    @property
    def rows(self) -> Any:
        raise SystemExit(0)

    @property
    def now_ms(self) -> Any:
        raise FalseInterrupt


class _FalseReply:
    def __init__(self, asked: Asked) -> None:
        self.rows, self.now_ms = asked.rows, asked.now_ms

    @property
    def __class__(self) -> Any:
        return Reply

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise FalseInterrupt


for _name, _make in {
    "none": lambda _: None,
    "dict": lambda asked: {"rows": asked.rows, "now_ms": asked.now_ms},
    "tuple": lambda asked: (asked.rows, asked.now_ms),
    "text_of_20_mb": lambda _: _megabytes(20),
    "number": lambda _: HUGE,
    "error": lambda _: VendorBusy("returned, not raised"),
    "class": lambda _: Reply,
    "not_printable": lambda _: _Unprintable(),
    "nested_deep": lambda _: _nest(DEPTH),
    "hostile_subclass": lambda _: _HostileReply(),
}.items():
    LIES[f"reply_{_name}"] = Lie(f"reply_{_name}", "refused", "nothing", 100, _make)
LIES["reply_in_disguise"] = Lie("reply_in_disguise", "harmless", "nothing", 100, _FalseReply)


# The clock


_CLOCKS: dict[str, Callable[[int], Any]] = {
    "none": lambda _: None,
    "text": str,
    "float": float,
    "bool": bool,
    "zero": lambda _: 0,
    "negative": lambda now: -now,
    "in_seconds": lambda now: now // 1_000,
    "of_6000_digits": lambda _: HUGE,
    "mad": lambda _: 10**30,
    "nan": lambda _: float("nan"),
    "hostile_int": _HostileInt,
    "not_printable": lambda _: _Unprintable(),
    "ahead_400_days": lambda now: now + 400 * DAY_MS,
    "behind_400_days": lambda now: now - 400 * DAY_MS,
    "ahead_an_hour": lambda now: now + HOUR_MS,
    "behind_an_hour": lambda now: now - HOUR_MS,
}
for _name, _change in _CLOCKS.items():

    def _tell(asked: Asked, change: Callable[[int], Any] = _change) -> Reply:
        return Reply(asked.rows, change(asked.now_ms))

    LIES[f"clock_{_name}"] = Lie(f"clock_{_name}", "refused", "nothing", 100, _tell)


@_lie("refused", weight=300)
def clock_and_a_row_400_days_ahead(asked: Asked) -> Reply:
    later_ms = asked.now_ms + 400 * DAY_MS
    at_ms = find_start(asked.life, asked.duration, later_ms - 2 * DAY_MS)
    return Reply([*asked.rows, list(asked.market.make_row(asked.life, asked.duration, at_ms))], later_ms)


@_lie("refused")
def a_world_400_days_ahead(asked: Asked) -> Reply:
    later_ms, rows, at_ms = asked.now_ms + 400 * DAY_MS, [], find_start(asked.life, asked.duration, asked.now_ms)
    for _ in range(50):
        rows.append(list(asked.market.make_row(asked.life, asked.duration, at_ms)))
        at_ms = step(asked.life, asked.duration, at_ms)
    return Reply(rows, later_ms)


@_lie("harmless")
def clock_a_little_ahead(asked: Asked) -> Reply:
    now_ms, request = asked.now_ms + 5_000, asked.request
    most = max(2, len(asked.rows))
    rows = asked.market.read_page(asked.life, asked.duration, request.direction, request.time_ms, most, now_ms)
    return Reply(rows, now_ms)


# Raising


class _MuteError(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)

    __repr__ = __str__


class _OddTextError(Exception):
    def __str__(self) -> str:
        return 5  # type: ignore[return-value]


class _MadBaseError(BaseException):
    pass


class _HostileBusy(VendorBusy):
    def __init__(self) -> None:
        super().__init__("hostile")

    def __getattribute__(self, name: str) -> Any:
        if name == "retry_after_ms":
            raise SystemExit(0)
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "retry_after_ms":
            super().__setattr__(name, value)


def _with_retry(value: Any) -> VendorBusy:
    error = VendorBusy("later, please")
    error.retry_after_ms = value
    return error


def _with_digest(digest: Any) -> PageRefused:
    error = PageRefused("not to be trusted")
    error.digest = digest
    return error


def _in_a_circle() -> Exception:
    error = ValueError("a circle")
    error.__cause__ = error
    error.__context__ = error
    return error


def _raise_as(name: str, kind: Kind, make: Callable[[], BaseException]) -> None:
    def tell(asked: Asked) -> Reply:
        raise make()

    weight = 100 if kind == "refused" else 20
    denies = isinstance(make(), VendorRejected)
    LIES[f"raises_{name}"] = Lie(f"raises_{name}", kind, "nothing", weight, tell, denies)


for _name, _fail in {
    "with_nul": lambda: ValueError("a\x00b"),
    "half_a_surrogate": lambda: VendorRejected("msg \ud83d"),
    "escapes": lambda: ValueError(ESCAPES),
    "20_mb": lambda: ValueError(_megabytes(20)),
    "many_lines": lambda: VendorRejected("one\ntwo\r\nthree\x85four\u2028five"),
    "no_text": lambda: VendorRejected(),
    "system_exit": lambda: SystemExit(0),
    "system_exit_text": lambda: SystemExit("\ud83d\x00"),
    "keyboard_interrupt": FalseInterrupt,
    "generator_exit": GeneratorExit,
    "cancelled": asyncio.CancelledError,
    "future_cancelled": concurrent.futures.CancelledError,
    "future_timeout": concurrent.futures.TimeoutError,
    "base": lambda: _MadBaseError("beyond Exception"),
    "mute": _MuteError,
    "odd_text": _OddTextError,
    "stop_iteration": lambda: StopIteration([]),
    "recursion": lambda: RecursionError("deep"),
    "memory": MemoryError,
    "group": lambda: BaseExceptionGroup("many", [SystemExit(0), ValueError("\x00")]),
    "circle": _in_a_circle,
    "broken_pipe": BrokenPipeError,
    "driver_operational": lambda: psycopg.OperationalError("the vendor's own database is gone"),
    "driver_interface": lambda: psycopg.InterfaceError("the connection is closed"),
    "driver_deadlock": lambda: psycopg.errors.DeadlockDetected("deadlock detected"),
    "capability_busy": lambda: CapabilityBusy("another lane works it"),
    "page_refused_odd_digest": lambda: _with_digest(_Unprintable()),
    "page_refused_nul_digest": lambda: _with_digest("\x00\ud83d" * 1000),
    "huge_argument": lambda: ValueError(HUGE),
    "nested_argument": lambda: ValueError(_nest(DEPTH)),
    "key_error": lambda: KeyError(_Unprintable()),
}.items():
    _raise_as(_name, "refused", _fail)


for _name, _fail in {
    "busy": lambda: VendorBusy("429 \x1b[31m\ud83d"),
    "busy_20_mb": lambda: VendorTimeout(_megabytes(20)),
    "busy_for_ever": lambda: _with_retry(MAD_MS),
    "busy_for_6000_digits": lambda: _with_retry(HUGE),
    "busy_as_text": lambda: _with_retry("5"),
    "busy_nan": lambda: _with_retry(float("nan")),
    "busy_negative": lambda: _with_retry(-(10**18)),
    "busy_hostile_int": lambda: _with_retry(_HostileInt(5)),
    "busy_not_printable": lambda: _with_retry(_Unprintable()),
    "busy_hostile": _HostileBusy,
    "database_unavailable": lambda: DatabaseUnavailable("the database at somewhere can't be reached"),
}.items():
    _raise_as(_name, "pause", _fail)


@_lie("pause", weight=30)
def hangs(asked: Asked) -> Reply:
    asked.while_hanging()
    asked.released.wait()
    return asked.reply


ONLY_ALONE = ("hangs", "stored_shifted_by_1_ms", "stored_shifted_by_half_a_bar")
"""What is only told where one process asks and none is killed."""
BY_KIND: dict[Kind, tuple[str, ...]] = {
    kind: tuple(name for name, lie in LIES.items() if lie.kind == kind)
    for kind in ("refused", "pause", "harmless", "omission", "value")
}

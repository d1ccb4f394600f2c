"""A vendor's reply becomes a page by stated rules: normalised, trimmed and counted, or refused whole."""

import tracemalloc
from collections.abc import Sequence
from decimal import Decimal
from itertools import repeat
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, Duration, parse_duration
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import PageRefused
from series_pipelines.ingest.pages.check import (
    MOST_ROWS,
    BarRow,
    Page,
    check_bar_page,
    check_instant_page,
    find_possible_life,
)
from tests.support.bars import BAR_NAMES, make_bar
from tests.support.narrowing import read_bars

MINUTE = parse_duration("PT1M")
NEVER_FORMING = LAST_MOMENT_MS

EMPTY_LISTS: list[Sequence[object]] = [[], ()]

NOT_DECIMALS = [
    *("NaN", "nan", "sNaN", "inf", "-inf", "Infinity", "1e", "e5", "1_000", "1,5", "0x10", "", " ", "-", "."),
    *(" 1", "1 ", "1\n", "\t1", "1\t2", "--1", "1.2.3", "1e9999", "<b>1</b>", "１", "٣.٥", "१"),
    *(1.5, 1, True, Decimal("1"), b"1", ["1"], {"price": "1"}, float("nan")),
]
NOT_TIMES = [True, False, 60_000.0, "60000", None, -1, LAST_MOMENT_MS + 1, Decimal(60_000), [60_000]]
NOT_LISTS: list[object] = [
    *(None, "", "<html><body>502 Bad Gateway</body></html>", b"[]", {}, {"data": []}, 0, False, set(), range(0)),
]


def bar(created_ms: int, closed_ms: Any = None, **parts: Any) -> tuple[Any, ...]:
    values = {"open": "10", "high": "12", "low": "9", "close": "11", "volume": "5"} | parts
    return make_bar(created_ms, closed_ms, **values)


def rate(created_ms: Any, long: Any = "-0.0001", short: Any = "0.0001", price: Any = None) -> tuple[Any, ...]:
    return (created_ms, long, short, price)


def check_bars(
    rows: Any, direction: str = "forward", time_ms: int = 0, now_ms: int = NEVER_FORMING, duration: Duration = MINUTE
) -> Page:
    return check_bar_page(OHLC, rows, direction=direction, time_ms=time_ms, duration=duration, closed_before_ms=now_ms)


def check_rates(rows: Any, direction: str = "forward", time_ms: int = 0, now_ms: int = NEVER_FORMING) -> Page:
    return check_instant_page(INTEREST_RATE, rows, direction=direction, time_ms=time_ms, closed_before_ms=now_ms)


def list_times(page: Page) -> list[int]:
    return [row[0] for row in page.rows]


def test_a_good_page_keeps_its_rows_and_covers_first_created_to_last_closed() -> None:
    page = check_bars([bar(0), bar(MINUTE_MS, open_interest="7")])

    assert page.rows == [
        make_bar(0, MINUTE_MS, "10", "12", "9", "11", "5"),
        make_bar(MINUTE_MS, 2 * MINUTE_MS, "10", "12", "9", "11", "5", "7"),
    ]
    assert page.range == Range(0, 2 * MINUTE_MS)
    assert (page.received, page.duplicates, page.outside, page.forming) == (2, 0, 0, 0)


@pytest.mark.parametrize("check", [check_bars, check_rates])
def test_an_empty_list_is_an_empty_page(check: Any) -> None:
    for rows in EMPTY_LISTS:
        page = check(rows)
        assert page.is_empty
        assert (page.rows, page.range, page.received) == ([], None, 0)


def test_rows_as_lists_are_as_good_as_tuples() -> None:
    assert check_bars([list(bar(0))]) == check_bars([bar(0)])


class Endless(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return repeat(bar(0))


class Short(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 3


class EndlessRow(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return repeat("1")


class Named(NamedTuple):
    created_ms: int
    long: str = "1"
    short: str = "1"
    price: str | None = None


@pytest.mark.parametrize("check", [check_bars, check_rates])
@pytest.mark.parametrize("make", [Endless, Short])
def test_a_list_with_a_mind_of_its_own_is_not_gone_through(check: Any, make: Any) -> None:
    rows = make(bar(number * MINUTE_MS) for number in range(MOST_ROWS + 1))
    with pytest.raises(PageRefused, match=f"rows are not a list but {make.__name__}"):
        check(rows)


@pytest.mark.parametrize(
    ("check", "row"), [(check_bars, EndlessRow(bar(0))), (check_rates, EndlessRow(rate(0))), (check_rates, Named(0))]
)
def test_a_row_with_a_mind_of_its_own_is_not_gone_through(check: Any, row: Any) -> None:
    with pytest.raises(PageRefused, match=rf"a row must be a list of \d+ values, not {type(row).__name__}$"):
        check([row])


def test_a_row_is_looked_at_only_if_it_is_as_wide_as_a_row() -> None:
    wide = [0] * 1_000_000
    with pytest.raises(PageRefused, match=f"a row must be a list of {len(BAR_NAMES)} values"):
        check_bars([wide] * MOST_ROWS)


def test_a_price_is_looked_at_only_if_it_is_as_long_as_a_price() -> None:
    long = f"1.{'0' * 5_000_000}"
    tracemalloc.start()
    with pytest.raises(PageRefused, match="not a decimal"):
        check_bars([bar(number * MINUTE_MS, open=long, high=long, low=long, close=long) for number in range(20)])
    assert tracemalloc.get_traced_memory()[1] < 10 * len(long)
    tracemalloc.stop()


def test_rows_out_of_order_are_sorted() -> None:
    page = check_bars([bar(2 * MINUTE_MS), bar(0), bar(MINUTE_MS)])

    assert list_times(page) == [0, MINUTE_MS, 2 * MINUTE_MS]
    assert (page.received, page.duplicates) == (3, 0)


def test_repeated_rows_are_counted_and_the_last_one_stands() -> None:
    page = check_bars([bar(0, close="10"), bar(0, close="11"), bar(MINUTE_MS), bar(0, close="9")])

    assert list_times(page) == [0, MINUTE_MS]
    assert read_bars(page)[0][5] == "9"
    assert (page.received, page.duplicates) == (4, 2)


@pytest.mark.parametrize(("direction", "inside"), [("backward", [0, 1]), ("forward", [2, 3])])
def test_rows_outside_the_asked_direction_are_trimmed_and_counted(direction: str, inside: list[int]) -> None:
    page = check_bars([bar(i * MINUTE_MS) for i in range(4)], direction, time_ms=2 * MINUTE_MS)

    assert list_times(page) == [i * MINUTE_MS for i in inside]
    assert (page.received, page.outside) == (4, 2)


def test_a_row_at_the_asked_time_is_outside_backward_and_inside_forward() -> None:
    rows = [bar(0), bar(MINUTE_MS), bar(2 * MINUTE_MS)]

    assert list_times(check_bars(rows, "backward", MINUTE_MS)) == [0]
    assert list_times(check_bars(rows, "forward", MINUTE_MS)) == [MINUTE_MS, 2 * MINUTE_MS]


@pytest.mark.parametrize(("direction", "time_ms"), [("backward", 0), ("forward", 5 * MINUTE_MS)])
@pytest.mark.parametrize(("check", "row"), [(check_bars, bar), (check_rates, rate)])
def test_a_reply_with_no_row_in_the_asked_direction_is_refused(
    check: Any, row: Any, direction: str, time_ms: int
) -> None:
    with pytest.raises(PageRefused, match="none of the 2 rows"):
        check([row(0), row(MINUTE_MS)], direction, time_ms)


def test_a_forming_bar_is_trimmed_and_counted() -> None:
    rows = [bar(0), bar(MINUTE_MS), bar(2 * MINUTE_MS)]

    page = check_bars(rows, now_ms=3 * MINUTE_MS - 1)

    assert list_times(page) == [0, MINUTE_MS]
    assert page.range == Range(0, 2 * MINUTE_MS)
    assert page.forming == 1


def test_a_bar_that_closes_exactly_now_is_closed() -> None:
    page = check_bars([bar(0)], now_ms=MINUTE_MS)

    assert (len(page.rows), page.forming) == (1, 0)


def test_a_reply_of_forming_bars_covers_nothing_but_is_not_empty() -> None:
    page = check_bars([bar(0)], now_ms=MINUTE_MS - 1)

    assert (page.rows, page.range, page.forming) == ([], None, 1)
    assert not page.is_empty


def test_a_bar_whose_time_is_not_over_is_forming_whatever_close_the_vendor_states() -> None:
    page = check_bars([bar(0), bar(MINUTE_MS, closed_ms=MINUTE_MS + 20_000)], now_ms=MINUTE_MS + 30_000)

    assert list_times(page) == [0]
    assert page.forming == 1


@pytest.mark.parametrize("early_ms", [1, 500, 1_000])
def test_a_close_up_to_a_second_early_is_snapped_to_the_end_of_the_bar(early_ms: int) -> None:
    page = check_bars([bar(0, MINUTE_MS - early_ms), bar(MINUTE_MS, 2 * MINUTE_MS - early_ms)])

    assert [row[1] for row in read_bars(page)] == [MINUTE_MS, 2 * MINUTE_MS]
    assert page.range == Range(0, 2 * MINUTE_MS)


def test_a_close_more_than_a_second_early_stays_the_vendors() -> None:
    assert check_bars([bar(0, MINUTE_MS - 1_001)]).range == Range(0, MINUTE_MS - 1_001)


def test_a_snapped_close_decides_whether_a_bar_is_forming() -> None:
    assert check_bars([bar(0, MINUTE_MS - 1)], now_ms=MINUTE_MS - 1).forming == 1
    assert check_bars([bar(0, MINUTE_MS - 1)], now_ms=MINUTE_MS).forming == 0


@pytest.mark.parametrize("closed_ms", [0, -1, 2 * MINUTE_MS + 1, "60000", 59_000.5, True, float("nan"), [MINUTE_MS]])
def test_a_bar_that_closes_at_an_impossible_time_is_refused(closed_ms: Any) -> None:
    with pytest.raises(PageRefused, match="can't close at"):
        check_bars([bar(0, closed_ms)])


def test_a_month_bar_closes_by_the_calendar() -> None:
    february_2024 = 1_706_745_600_000
    page = check_bars([bar(february_2024)], duration=parse_duration("P1M"))

    assert page.range == Range(february_2024, february_2024 + 29 * DAY_MS)


@pytest.mark.parametrize("rows", NOT_LISTS, ids=repr)
@pytest.mark.parametrize("check", [check_bars, check_rates])
def test_a_reply_that_is_not_a_list_is_refused(check: Any, rows: Any) -> None:
    with pytest.raises(PageRefused, match="not a list"):
        check(rows)


@pytest.mark.parametrize(
    "row", [None, {}, "1" * len(BAR_NAMES), 5, (), bar(0)[:-1], (*bar(0), "1"), dict(enumerate(bar(0)))], ids=repr
)
def test_a_bar_of_a_wrong_shape_refuses_the_page(row: Any) -> None:
    with pytest.raises(PageRefused, match=f"list of {len(BAR_NAMES)} values"):
        check_bars([bar(MINUTE_MS), row])


@pytest.mark.parametrize("created_ms", NOT_TIMES, ids=repr)
def test_a_bar_without_a_real_time_refuses_the_page(created_ms: Any) -> None:
    with pytest.raises(PageRefused, match="epoch milliseconds"):
        check_bars([bar(MINUTE_MS), bar(created_ms)])


@pytest.mark.parametrize("value", [*NOT_DECIMALS, None], ids=repr)
def test_a_price_that_is_not_a_decimal_string_refuses_the_page(value: Any) -> None:
    for name in ("open", "high", "low", "close"):
        with pytest.raises(PageRefused) as refused:
            check_bars([bar(0), bar(MINUTE_MS, **{name: value})])
        assert str(MINUTE_MS) in str(refused.value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("value", [*NOT_DECIMALS, "-1", "-0.0001", "-1e-9"], ids=repr)
def test_a_volume_that_is_not_a_decimal_of_zero_or_more_refuses_the_page(value: Any) -> None:
    for name in ("volume", "open_interest"):
        with pytest.raises(PageRefused):
            check_bars([bar(0), bar(MINUTE_MS, **{name: value})])


def test_volume_and_open_interest_may_be_absent_or_zero() -> None:
    page = check_bars([bar(0, volume=None, open_interest="0"), bar(MINUTE_MS, volume="0.000")])

    assert [list(row)[6:8] for row in read_bars(page)] == [[None, "0"], ["0.000", None]]


@pytest.mark.parametrize(
    "prices",
    [
        {"high": "8"},
        {"high": "10.5"},
        {"open": "13"},
        {"low": "10.5"},
        {"close": "8.9"},
        {"open": "-1"},
        {"high": "9", "low": "12"},
        {"high": "1e1", "close": "10.1"},
    ],
    ids=repr,
)
def test_high_and_low_that_do_not_enclose_open_and_close_refuse_the_page(prices: dict[str, str]) -> None:
    with pytest.raises(PageRefused, match=r"high .* and low"):
        check_bars([bar(0, **prices)])


LESS, MORE = "1.00000000000000000001", "1.00000000000000000002"


@pytest.mark.parametrize(
    ("open_", "high", "low", "close"),
    [
        (MORE, LESS, "1", "1"),
        ("1", LESS, "1", MORE),
        (LESS, "2", MORE, "2"),
        ("2", "2", MORE, LESS),
        (LESS, LESS, MORE, MORE),
        (MORE, LESS, MORE, LESS),
        ("1e400", "1e399", "1", "1"),
    ],
    ids=["high < open", "high < close", "low > open", "low > close", "high < low", "high < low again", "overflow"],
)
def test_a_violation_beyond_float_precision_is_seen(open_: str, high: str, low: str, close: str) -> None:
    assert float(LESS) == float(MORE)

    with pytest.raises(PageRefused, match=r"high .* and low"):
        check_bars([bar(0, open=open_, high=high, low=low, close=close)])


@pytest.mark.parametrize(
    ("open_", "high", "low", "close"),
    [(LESS, MORE, LESS, MORE), ("1.0", "1", "1.00", "1e0"), ("-3", "-2", "-4.5", "-2.0"), ("0", "0", "0", "0")],
)
def test_equal_and_negative_prices_in_order_are_accepted(open_: str, high: str, low: str, close: str) -> None:
    page = check_bars([bar(0, open=open_, high=high, low=low, close=close)])

    assert read_bars(page)[0][2:6] == (open_, high, low, close)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_bars_are_judged_as_exact_decimals(digits: list[int], zeros: int) -> None:
    open_, high, low, close = (f"7.{'0' * zeros}{digit}" for digit in digits)
    encloses = (
        Decimal(low) <= min(Decimal(open_), Decimal(close)) <= max(Decimal(open_), Decimal(close)) <= Decimal(high)
    )

    try:
        check_bars([bar(0, open=open_, high=high, low=low, close=close)])
    except PageRefused:
        assert not encloses
    else:
        assert encloses


@pytest.mark.parametrize(
    "price", ["12345678901234567890.123456789012345678", "0.000000000000000000000001", "1.10", "5E-8"]
)
def test_a_price_of_many_digits_stays_the_vendors_text(price: str) -> None:
    page = check_bars([bar(0, open=price, high=price, low=price, close=price, volume=price, open_interest=price)])

    assert list(read_bars(page)[0])[2:8] == [price] * 6


def test_bars_that_overlap_each_other_refuse_the_page() -> None:
    with pytest.raises(PageRefused, match="begins before"):
        check_bars([bar(0), bar(MINUTE_MS // 2)])


def test_bars_of_another_duration_refuse_the_page() -> None:
    with pytest.raises(PageRefused, match="begins before"):
        check_bars([bar(i * MINUTE_MS) for i in range(5)], duration=parse_duration("PT5M"))


def test_a_hole_between_bars_is_the_vendors_word() -> None:
    page = check_bars([bar(0), bar(HOUR_MS)])

    assert page.range == Range(0, HOUR_MS + MINUTE_MS)


@pytest.mark.parametrize("text", ["PT1M", "P1W", "P1M", "P12M"])
def test_a_bar_at_the_end_of_time_is_trimmed_or_refused(text: str) -> None:
    try:
        page = check_bars([bar(LAST_MOMENT_MS)], now_ms=1_700_000_000_000, duration=parse_duration(text))
    except PageRefused:
        return
    assert page.range is None


def test_a_refusal_quotes_a_long_value_only_in_part() -> None:
    with pytest.raises(PageRefused) as refused:
        check_bars(["<html>" * 1_000])

    assert len(str(refused.value)) < 200


BARS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 10**24), st.integers(0, 10**6), st.integers(0, 10**6)),
    max_size=12,
    unique_by=lambda drawn: drawn[0],
)


def shape_bar(drawn: tuple[int, int, int, int]) -> BarRow:
    minute, base, rise, fall = drawn
    low, open_, high = (f"{value}.{value % 10**18:018d}" for value in (base, base + rise, base + rise + fall))
    return make_bar(minute * MINUTE_MS, (minute + 1) * MINUTE_MS, open_, high, low, open_, f"{fall}.0")


@given(BARS, st.integers(0, 8), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_any_valid_bars_shuffled_and_repeated_give_the_sorted_unique_list(
    drawn: list[tuple[int, int, int, int]], repeats: int, random: Random
) -> None:
    bars = [shape_bar(each) for each in drawn]
    sent = [*bars, *(random.choice(bars) for _ in range(repeats if bars else 0))]
    random.shuffle(sent)

    page = check_bars(sent)

    assert page.rows == sorted(bars)
    assert (page.received, page.duplicates) == (len(sent), len(sent) - len(bars))


@given(BARS.filter(bool), st.sampled_from(["backward", "forward"]), st.integers(0, 201), st.integers(0, 201))
@settings(max_examples=100, deadline=None)
def test_every_row_is_kept_or_counted(
    drawn: list[tuple[int, int, int, int]], direction: str, asked: int, closed: int
) -> None:
    bars = [shape_bar(each) for each in drawn]
    inside = {row for row in bars if (row[0] < asked * MINUTE_MS) == (direction == "backward")}
    if not inside:
        with pytest.raises(PageRefused):
            check_bars(bars, direction, asked * MINUTE_MS)
        return

    page = check_bars(bars, direction, asked * MINUTE_MS, closed * MINUTE_MS)

    assert set(page.rows) == {row for row in inside if row[1] <= closed * MINUTE_MS}
    assert len(page.rows) + page.duplicates + page.outside + page.forming == page.received == len(bars)


def test_a_rate_page_covers_first_to_last_created_and_one_millisecond() -> None:
    page = check_rates([rate(8 * HOUR_MS, price="100.5"), rate(0)])

    assert page.rows == [(0, "-0.0001", "0.0001", None), (8 * HOUR_MS, "-0.0001", "0.0001", "100.5")]
    assert page.range == Range(0, 8 * HOUR_MS + 1)


def test_a_single_rate_covers_its_millisecond() -> None:
    assert check_rates([rate(HOUR_MS)]).range == Range(HOUR_MS, HOUR_MS + 1)


def test_repeated_rates_are_counted_and_the_last_one_stands() -> None:
    page = check_rates([rate(0, long="1"), rate(HOUR_MS), rate(0, long="2")])

    rows: Sequence[Sequence[object]] = page.rows
    assert (list_times(page), rows[0][1], page.duplicates) == ([0, HOUR_MS], "2", 1)


@pytest.mark.parametrize(("direction", "hours"), [("backward", [0, 1]), ("forward", [2])])
def test_rates_outside_the_asked_direction_are_trimmed_and_counted(direction: str, hours: list[int]) -> None:
    page = check_rates([rate(i * HOUR_MS) for i in range(3)], direction, 2 * HOUR_MS)

    assert list_times(page) == [hour * HOUR_MS for hour in hours]
    assert page.outside == 3 - len(hours)


def test_a_rate_that_has_not_taken_effect_is_trimmed_and_counted() -> None:
    page = check_rates([rate(0), rate(HOUR_MS), rate(HOUR_MS + 1)], now_ms=HOUR_MS)

    assert (list_times(page), page.forming, page.range) == ([0, HOUR_MS], 1, Range(0, HOUR_MS + 1))


@pytest.mark.parametrize("row", [None, {}, "1234", (), rate(0)[:3], (*rate(0), "1")], ids=repr)
def test_a_rate_of_a_wrong_shape_refuses_the_page(row: Any) -> None:
    with pytest.raises(PageRefused, match="list of 4 values"):
        check_rates([rate(HOUR_MS), row])


@pytest.mark.parametrize("created_ms", NOT_TIMES, ids=repr)
def test_a_rate_without_a_real_time_refuses_the_page(created_ms: Any) -> None:
    with pytest.raises(PageRefused, match="epoch milliseconds"):
        check_rates([rate(HOUR_MS), rate(created_ms)])


@pytest.mark.parametrize("value", NOT_DECIMALS, ids=repr)
def test_a_rate_that_is_not_a_decimal_string_refuses_the_page(value: Any) -> None:
    for name in ("long", "short", "price"):
        with pytest.raises(PageRefused):
            check_rates([rate(0), rate(HOUR_MS, **{name: value})])


@pytest.mark.parametrize("name", ["long", "short"])
def test_a_rate_that_is_absent_refuses_the_page(name: str) -> None:
    with pytest.raises(PageRefused):
        check_rates([rate(0, **{name: None})])


def test_a_rate_of_many_digits_stays_the_vendors_text() -> None:
    page = check_rates([rate(0, "-0.000123456789012345678901", "1.23e-7", "98765432109876543210.5")])

    assert page.rows == [(0, "-0.000123456789012345678901", "1.23e-7", "98765432109876543210.5")]


@given(st.lists(st.integers(0, 50), max_size=20), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_any_rates_shuffled_and_repeated_give_the_sorted_unique_list(hours: list[int], random: Random) -> None:
    sent = [rate(hour * HOUR_MS, f"0.{hour}") for hour in hours]
    random.shuffle(sent)

    page = check_rates(sent)

    assert page.rows == sorted(set(sent))
    assert page.duplicates == len(hours) - len(set(hours))


ODD_VALUES = [
    *("1e3", "-1", "+1", ".5", "1.", "1..2", "", " 1", "1\n", "1\n2", "nan", "٣", "12345678901234567", None, 5),
    *("1.50", "2.250", "2.3", "0.9", "10.5"),
]


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=20),
    st.lists(st.tuples(st.integers(0, 19), st.integers(2, 7), st.sampled_from(ODD_VALUES)), max_size=2),
    st.sampled_from(["backward", "forward"]),
    st.integers(0, 41),
)
def test_a_page_read_by_columns_is_the_page_read_by_rows(
    minutes: list[int], oddities: list[tuple[int, int, Any]], direction: str, at: int
) -> None:
    rows = [list(make_bar(m * MINUTE_MS, None, "1.5", "2.25", "1", "1.75", "10.0")) for m in minutes]
    for row, column, value in oddities:
        rows[row % len(rows)][column] = value
    # A closing time that says nothing new keeps a page from being read by columns.
    slow = [[row[0], row[0] + MINUTE_MS, *row[2:]] for row in rows]

    def read(given_rows: list[list[Any]]) -> Page | str:
        try:
            return check_bars(given_rows, direction, at * MINUTE_MS)
        except PageRefused:
            return "refused"

    assert read(rows) == read(slow)


def test_holes_inside_a_page_are_told() -> None:
    page = check_bars([bar(minute * MINUTE_MS) for minute in (0, 1, 5, 6, 9)])

    assert page.holes == (Range(2 * MINUTE_MS, 5 * MINUTE_MS), Range(7 * MINUTE_MS, 9 * MINUTE_MS))


@pytest.mark.parametrize(
    ("text", "on_grid", "beside"),
    [
        ("PT1M", [0, 7 * MINUTE_MS], [1, 30_000]),
        ("PT1H", [HOUR_MS, DAY_MS], [MINUTE_MS, HOUR_MS - 1]),
        ("PT7M", [7 * MINUTE_MS, DAY_MS + 14 * MINUTE_MS], [MINUTE_MS]),
        ("P1D", [DAY_MS], [8 * HOUR_MS]),
        ("P1W", [3 * DAY_MS, 4 * DAY_MS], [4 * DAY_MS - 8 * HOUR_MS]),
        ("P1M", [0, 31 * DAY_MS], [31 * DAY_MS - 8 * HOUR_MS]),
    ],
)
def test_bars_lie_on_the_grid_of_their_duration_unless_the_vendor_keeps_none(
    text: str, on_grid: list[int], beside: list[int]
) -> None:
    def check(created_ms: int, keeps_grid: bool = True) -> Page:
        duration = parse_duration(text)
        asked = {"direction": "forward", "time_ms": 0, "closed_before_ms": NEVER_FORMING}
        return check_bar_page(OHLC, [bar(created_ms)], duration=duration, on_grid=keeps_grid, **asked)  # type: ignore[arg-type]

    for created_ms in on_grid:
        assert list_times(check(created_ms)) == [created_ms]
    for created_ms in beside:
        with pytest.raises(PageRefused, match=f"beside the grid of {text}"):
            check(created_ms)
        assert check(created_ms, keeps_grid=False).may_lie_across


@pytest.mark.parametrize(
    "rows", [[bar(0), bar(1)], [bar(0), bar(MINUTE_MS + 1)], [bar(0, open_interest="1"), bar(MINUTE_MS + 1)]]
)
def test_one_bar_beside_the_grid_among_others_is_seen(rows: list[Any]) -> None:
    with pytest.raises(PageRefused):
        check_bar_page(
            OHLC, rows, direction="forward", time_ms=0, duration=MINUTE, closed_before_ms=NEVER_FORMING, on_grid=True
        )


def test_rows_from_years_before_the_listing_or_after_the_delisting_are_refused() -> None:
    listed_ms, delisted_ms = 20_000 * DAY_MS, 20_400 * DAY_MS
    life = find_possible_life(listed_ms, delisted_ms)
    # A listing date is a hint: the first rates of BTCUSDT at Binance are from two weeks before it.
    for possible_ms in (listed_ms - 15 * DAY_MS, listed_ms, delisted_ms + DAY_MS):
        page = check_bar_page(
            OHLC,
            [bar(possible_ms)],
            direction="forward",
            time_ms=0,
            duration=MINUTE,
            closed_before_ms=NEVER_FORMING,
            life=life,
        )
        assert list_times(page) == [possible_ms]
    for impossible_ms, side in ((listed_ms // 1000, "before"), (delisted_ms + 400 * DAY_MS, "after")):
        with pytest.raises(PageRefused, match=f"lies long {side} the product's life"):
            check_bar_page(
                OHLC,
                [bar(impossible_ms)],
                direction="forward",
                time_ms=0,
                duration=MINUTE,
                closed_before_ms=NEVER_FORMING,
                life=life,
            )
        with pytest.raises(PageRefused, match=f"lies long {side} the product's life"):
            check_instant_page(
                INTEREST_RATE,
                [rate(impossible_ms)],
                direction="forward",
                time_ms=0,
                closed_before_ms=NEVER_FORMING,
                life=life,
            )


def test_without_a_listing_date_seconds_taken_for_milliseconds_are_still_seen() -> None:
    life = find_possible_life(None, None)
    assert life.start_ms < DAY_MS * 60
    for now_s in (1_300_000_000, 1_800_000_000, 4_000_000_000):
        assert now_s < life.start_ms
    assert find_possible_life(20_000 * DAY_MS, 10_000 * DAY_MS) == life


def test_a_hole_longer_than_a_page_can_span_is_a_break() -> None:
    rows = [bar(0), bar(11 * MINUTE_MS), bar(23 * MINUTE_MS)]
    page = check_bar_page(
        OHLC, rows, direction="forward", time_ms=0, duration=MINUTE, closed_before_ms=NEVER_FORMING, page_rows=10
    )
    assert page.holes == (Range(MINUTE_MS, 11 * MINUTE_MS),)
    assert page.breaks == (Range(12 * MINUTE_MS, 23 * MINUTE_MS),)
    assert page.range == Range(0, 24 * MINUTE_MS)
    assert page.stretches == [Range(0, 12 * MINUTE_MS), Range(23 * MINUTE_MS, 24 * MINUTE_MS)]


@pytest.mark.parametrize(("missing", "others", "is_hole"), [(100, 1, True), (101, 1, False), (150, 150, True)])
def test_without_a_word_on_its_size_a_page_spans_a_hundred_rows_or_as_many_as_it_has(
    missing: int, others: int, is_hole: bool
) -> None:
    bars = [bar(minute * MINUTE_MS) for minute in (*range(others), others + missing)]
    page = check_bars(bars, direction="forward", time_ms=0)
    hole = Range(others * MINUTE_MS, (others + missing) * MINUTE_MS)
    assert (page.holes, page.breaks) == (((hole,), ()) if is_hole else ((), (hole,)))
    # Repeating itself does not make a page longer.
    assert check_bars(bars * 50, direction="forward", time_ms=0).breaks == page.breaks


def test_rates_further_apart_than_a_page_can_span_are_a_break() -> None:
    def check(hours: int, page_rows: int | None) -> Page:
        return check_instant_page(
            INTEREST_RATE,
            [rate(0), rate(HOUR_MS), rate(hours * HOUR_MS)],
            direction="forward",
            time_ms=0,
            closed_before_ms=NEVER_FORMING,
            page_rows=page_rows,
        )

    for page_rows, hours in ((10, 81), (None, 801)):
        assert check(hours, page_rows).breaks == ()
        page = check(hours + 1, page_rows)
        assert page.breaks == (Range(HOUR_MS + 1, (hours + 1) * HOUR_MS),)
        assert page.stretches == [Range(0, HOUR_MS + 1), Range((hours + 1) * HOUR_MS, (hours + 1) * HOUR_MS + 1)]


@pytest.mark.parametrize(
    ("text", "may_lie_across"),
    [("PT1M", False), ("PT8H", False), ("P1D", False), ("PT7M", True), ("PT5H", True), ("P1W", True), ("P1M", True)],
)
def test_where_two_grids_are_allowed_bars_may_lie_across_each_other(text: str, may_lie_across: bool) -> None:
    page = check_bar_page(
        OHLC,
        [bar(0)],
        direction="forward",
        time_ms=0,
        duration=parse_duration(text),
        closed_before_ms=NEVER_FORMING,
        on_grid=True,
    )
    assert page.may_lie_across == may_lie_across


def test_a_reply_longer_than_any_page_is_refused_before_it_is_looked_at() -> None:
    for check in (check_bars, check_rates):
        with pytest.raises(PageRefused, match=f"{MOST_ROWS + 1} rows, and a page may have {MOST_ROWS}"):
            check([None] * (MOST_ROWS + 1))


@pytest.mark.parametrize("position", range(2, 8))
def test_a_value_of_a_subclass_of_str_refuses_the_page(position: int) -> None:
    class Text(str):
        pass

    for rows in ([bar(0)], [bar(0, open_interest="1")]):
        changed = list(rows[0])
        changed[position] = Text("10")
        with pytest.raises(PageRefused):
            check_bars([changed])

"""Durations: what people and vendors write, and where a bar starts and ends in the calendar."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS, parse_duration
from series_pipelines.errors import InvalidDuration

FORMS = ("PT{}M", "PT{}H", "P{}D", "P{}W", "P{}M")
ISO = st.builds(lambda form, count: form.format(count), st.sampled_from(FORMS), st.integers(1, 9999))
USUAL = st.sampled_from(
    ["PT1M", "PT3M", "PT15M", "PT1H", "PT4H", "PT12H", "P1D", "P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P12M"]
)
MOMENTS = st.integers(0, 7_258_118_400_000)


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "length_ms"),
    [
        ("PT1M", MINUTE_MS),
        ("PT5M", 5 * MINUTE_MS),
        ("PT90M", 90 * MINUTE_MS),
        ("PT1H", HOUR_MS),
        ("PT4H", 4 * HOUR_MS),
        ("P1D", DAY_MS),
        ("P1W", WEEK_MS),
        ("P1M", 28 * DAY_MS),
        ("P3M", 84 * DAY_MS),
    ],
)
def test_iso_durations_from_minutes_to_months_are_read(text: str, length_ms: int) -> None:
    duration = parse_duration(text)

    assert (duration.text, duration.nominal_ms) == (text, length_ms)


@pytest.mark.parametrize(
    ("typed", "iso"),
    [
        ("1m", "PT1M"),
        ("15min", "PT15M"),
        ("1h", "PT1H"),
        ("4H", "PT4H"),
        ("1d", "P1D"),
        ("1D", "P1D"),
        ("1w", "P1W"),
        ("2W", "P2W"),
        ("1mo", "P1M"),
        ("1M", "P1M"),
        ("1 m", "PT1M"),
        (" 4h ", "PT4H"),
        ("05m", "PT5M"),
    ],
)
def test_what_people_type_is_normalised(typed: str, iso: str) -> None:
    assert parse_duration(typed) == parse_duration(iso)
    assert parse_duration(typed).text == iso


def test_a_minute_and_a_month_are_told_apart() -> None:
    assert parse_duration("PT1M").months == 0
    assert parse_duration("P1M").months == 1
    assert parse_duration("1m") != parse_duration("1M")


def test_leading_zeros_are_dropped() -> None:
    assert parse_duration("PT0015M").text == "PT15M"


@given(ISO)
@settings(max_examples=100, deadline=None)
def test_reading_is_idempotent(text: str) -> None:
    assert parse_duration(text).text == text
    assert parse_duration(parse_duration(text).text) == parse_duration(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "PT", "P1", "PT0M", "P0D", "PT1S", "1s", "P1Y", "1y", "PT1D", "P1H", "PT1H30M", "P1DT1H", "P-1D"),
        *("-1m", "PT1.5H", "1.5h", "PT10000M", "pt1m", "PT1M\n", "1 fortnight", "PT1M;drop table ohlc_v2", "NaN"),
    ],
)
def test_a_wrong_duration_is_refused_in_one_line_that_names_it(text: str) -> None:
    with pytest.raises(InvalidDuration) as refused:
        parse_duration(text)

    assert repr(text) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_typed_duration_of_zero_is_refused() -> None:
    with pytest.raises(InvalidDuration, match="zero"):
        parse_duration("0m")


def test_the_refusal_says_what_is_expected() -> None:
    with pytest.raises(InvalidDuration, match=r"expected one like PT1M.*1m"):
        parse_duration("soon")


@given(st.text(max_size=8))
@settings(max_examples=100, deadline=None)
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    try:
        duration = parse_duration(text)
    except InvalidDuration:
        return
    assert duration.nominal_ms >= MINUTE_MS
    assert duration.text.isascii()


@pytest.mark.parametrize(
    ("created", "text", "closed"),
    [
        ("2024-01-31", "P1M", "2024-02-29"),
        ("2023-01-31", "P1M", "2023-02-28"),
        ("2024-02-01", "P1M", "2024-03-01"),
        ("2023-02-01", "P1M", "2023-03-01"),
        ("2024-02-29", "P12M", "2025-02-28"),
        ("2024-03-31", "P1M", "2024-04-30"),
        ("2024-12-01", "P1M", "2025-01-01"),
        ("2024-11-01", "P3M", "2025-02-01"),
        ("1999-12-31", "P2M", "2000-02-29"),
        ("2100-01-31", "P1M", "2100-02-28"),
    ],
)
def test_a_month_ends_by_the_calendar(created: str, text: str, closed: str) -> None:
    assert parse_duration(text).end_of_bar(ms(created)) == ms(closed)


def test_a_month_keeps_the_time_of_day() -> None:
    assert parse_duration("P1M").end_of_bar(ms("2024-01-31T16:00:00.123")) == ms("2024-02-29T16:00:00.123")


@pytest.mark.parametrize(
    ("moment", "text", "start"),
    [
        ("2024-02-29T23:59:59.999", "P1M", "2024-02-01"),
        ("2024-03-01", "P1M", "2024-03-01"),
        ("2024-05-17", "P3M", "2024-04-01"),
        ("2024-05-17", "P12M", "2024-01-01"),
        ("2024-05-17T13:47:31", "PT1M", "2024-05-17T13:47"),
        ("2024-05-17T13:47:31", "PT15M", "2024-05-17T13:45"),
        ("2024-05-17T13:47:31", "PT4H", "2024-05-17T12:00"),
        ("2024-05-17T13:47:31", "P1D", "2024-05-17"),
    ],
)
def test_a_bar_starts_on_its_utc_grid(moment: str, text: str, start: str) -> None:
    assert parse_duration(text).start_of_bar(ms(moment)) == ms(start)


@given(MOMENTS)
@settings(max_examples=100, deadline=None)
def test_a_week_starts_on_monday_at_midnight(moment_ms: int) -> None:
    start_ms = parse_duration("P1W").start_of_bar(moment_ms)
    start = datetime.fromtimestamp(start_ms / 1000, UTC)

    assert start.weekday() == 0
    assert start_ms % DAY_MS == 0
    assert 0 <= moment_ms - start_ms < WEEK_MS


@given(USUAL | ISO, MOMENTS)
@settings(max_examples=100, deadline=None)
def test_a_moment_lies_inside_its_bar(text: str, moment_ms: int) -> None:
    duration = parse_duration(text)
    start_ms = duration.start_of_bar(moment_ms)

    assert start_ms <= moment_ms < duration.end_of_bar(start_ms)
    assert duration.start_of_bar(start_ms) == start_ms


@given(USUAL, MOMENTS)
@settings(max_examples=100, deadline=None)
def test_bars_follow_each_other_without_a_hole(text: str, moment_ms: int) -> None:
    duration = parse_duration(text)
    end_ms = duration.end_of_bar(duration.start_of_bar(moment_ms))

    assert duration.start_of_bar(end_ms) == end_ms
    assert duration.start_of_bar(end_ms - 1) == duration.start_of_bar(moment_ms)


@given(USUAL | ISO, MOMENTS)
@settings(max_examples=100, deadline=None)
def test_no_bar_is_shorter_than_its_nominal_length(text: str, moment_ms: int) -> None:
    duration = parse_duration(text)
    start_ms = duration.start_of_bar(moment_ms)

    assert duration.end_of_bar(start_ms) - start_ms >= duration.nominal_ms
    if not duration.months:
        assert duration.end_of_bar(moment_ms) - moment_ms == duration.nominal_ms


@given(st.sampled_from(["P1M", "P2M", "P12M"]), MOMENTS, MOMENTS)
@settings(max_examples=100, deadline=None)
def test_a_bar_that_starts_later_never_ends_earlier(text: str, one_ms: int, other_ms: int) -> None:
    duration = parse_duration(text)
    # Month ends clamp whole days, so order is kept between days.
    earlier_ms, later_ms = sorted((one_ms // DAY_MS * DAY_MS, other_ms // DAY_MS * DAY_MS))

    assert duration.end_of_bar(earlier_ms) <= duration.end_of_bar(later_ms)

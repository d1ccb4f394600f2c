"""Times as people type them: what is read has one meaning, and nothing is read by half."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from series_pipelines.app.settings import Settings
from series_pipelines.core.times import date_to_ms, format_iso, format_time, parse_time
from series_pipelines.errors import InvalidInput

MOMENTS = st.datetimes(datetime(1000, 1, 1), datetime(9998, 1, 1))
ZONES = st.timedeltas(timedelta(hours=-14), timedelta(hours=14)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)


@given(MOMENTS, ZONES, st.sampled_from("T "), st.sampled_from(["auto", "minutes", "seconds", "milliseconds"]))
def test_every_full_iso_time_is_read_with_its_zone_or_as_utc(
    moment: datetime, zone: timezone, separator: str, precision: str
) -> None:
    for known in (moment, moment.replace(tzinfo=zone), moment.replace(tzinfo=UTC)):
        text = known.isoformat(separator, precision)
        assert parse_time(text) == date_to_ms(datetime.fromisoformat(text))
    assert parse_time(f"{moment:%Y-%m-%d}") == parse_time(f"{moment:%Y%m%d}") == date_to_ms(moment.date())
    ours = date_to_ms(moment)
    assert parse_time(format_iso(ours)) == ours
    assert parse_time(format_time(ours)) == ours // 1000 * 1000


@pytest.mark.parametrize(
    "text",
    [
        *("2026", "2026-11", "2026-1101", "202611-01", "2026-W10", "2026-W10-1", "2026-11-1", "26-11-01"),
        *("20261101T20", "20261101T2000", "2026-11-01T20", "2026-11-01x10:00", "2026-11-01T8:00", "2026-11-01T08:00:5"),
        *("2026-11-01T08:00:00,5", "2026-11-01T08:00[UTC]", "2026-11-01 08:00 UTC", "2026-11-01T08:00+1"),
        *("2026-02-31", "2026-11-01T24:00", "2026-11-01T08:60", "2026-11-01T08:00+25:00", "0000-01-01", "2026/11/01"),
        *("", "-", "soon", "1793491200", "1793491200000", "1.5", "\uff12\uff10\uff12\uff16-01-01", "a\nb"),
        pytest.param("9" * 5_000, id="long"),
    ],
)
def test_what_is_no_whole_time_is_refused_in_one_short_line(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not a time: ") as refusal:
        parse_time(text)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 250


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("20261101-20261102", "its start is 20261101, its end is 20261102"),
        ("20261101-", "its start is 20261101"),
        ("-20261102", "its end is 20261102"),
    ],
)
def test_a_range_is_not_read_as_a_time_of_day_but_told_apart(text: str, told: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_time(text)
    assert str(refusal.value) == f"'{text}' is a range, not a time: {told}"


def test_a_time_in_the_environment_is_read_as_strictly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERIES_DEMO_EPOCH", "20261101")
    assert Settings().demo_epoch == datetime(2026, 11, 1, tzinfo=UTC)
    for text in ("1793491200", "20261101-20261102"):
        monkeypatch.setenv("SERIES_DEMO_EPOCH", text)
        with pytest.raises(ValidationError, match="not a time"):
            Settings()

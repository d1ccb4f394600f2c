"""Series ids read back as they were written, and what can't be a partition key is refused."""

import re

import pytest
from dagster._core.definitions.partitions.utils.base import INVALID_PARTITION_SUBSTRINGS
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.series import (
    check_product_id,
)
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.errors import InvalidDuration, InvalidInput, InvalidSeriesId

SEGMENTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Z"), exclude_characters="/"), min_size=1, max_size=8
)
PRODUCT_IDS = st.lists(SEGMENTS, min_size=1, max_size=5).map("/".join).filter(lambda text: "..." not in text)
DURATIONS = st.builds(
    lambda form, count: form.format(count),
    st.sampled_from(["PT{}M", "PT{}H", "P{}D", "P{}W", "P{}M"]),
    st.integers(1, 9999),
)


@given(PRODUCT_IDS, DURATIONS)
@settings(max_examples=100, deadline=None)
def test_an_ohlc_series_id_reads_back_as_it_was_written(product_id: str, duration: str) -> None:
    series_id = OHLC.encode(product_id, duration)

    assert series_id == f"{product_id}/{duration}"
    assert OHLC.decode(series_id) == (product_id, duration)


@given(PRODUCT_IDS)
@settings(max_examples=100, deadline=None)
def test_an_interest_rate_series_id_is_its_product_id(product_id: str) -> None:
    assert INTEREST_RATE.encode(product_id) == product_id
    assert INTEREST_RATE.decode(product_id) == (product_id, None)


@given(st.text(max_size=12), st.text(max_size=6))
@settings(max_examples=100, deadline=None)
def test_any_text_is_either_refused_or_reads_back(product_id: str, duration: str) -> None:
    try:
        series_id = OHLC.encode(product_id, duration)
    except InvalidInput:
        return
    assert OHLC.decode(series_id) == (product_id, parse_duration(duration).text)


def test_a_product_id_keeps_its_slashes_and_the_last_segment_is_the_duration() -> None:
    assert OHLC.decode("OKX/SWAP/BTC-USDT/PT1M") == ("OKX/SWAP/BTC-USDT", "PT1M")
    assert OHLC.decode("A/PT1M/P1D") == ("A/PT1M", "P1D")
    assert OHLC.encode("A/PT1M", "PT1M") == "A/PT1M/PT1M"


@pytest.mark.parametrize(
    ("typed", "iso"), [("1m", "PT1M"), ("15min", "PT15M"), ("4h", "PT4H"), ("1d", "P1D"), ("1w", "P1W"), ("1mo", "P1M")]
)
def test_a_typed_duration_is_written_in_its_iso_form(typed: str, iso: str) -> None:
    assert OHLC.encode("DEMO/SWAP/BTC-USDT", typed) == f"DEMO/SWAP/BTC-USDT/{iso}"


@pytest.mark.parametrize(
    ("series_id", "spelled"), [("A/1m", "'PT1M'"), ("A/PT01M", "'PT1M'"), ("A/1d", "'P1D'"), ("A/P0001W", "'P1W'")]
)
def test_a_stored_id_that_does_not_spell_its_duration_canonically_is_refused(series_id: str, spelled: str) -> None:
    with pytest.raises(InvalidSeriesId, match=spelled):
        OHLC.decode(series_id)


@pytest.mark.parametrize("series_id", ["", "PT1M", "A", "A/", "/PT1M", "A/B", "A/PT1M/", "A//PT1M", "A/PT0M", "A/PT1S"])
def test_an_id_without_a_product_or_a_duration_is_refused_by_name(series_id: str) -> None:
    with pytest.raises(InvalidSeriesId) as refused:
        OHLC.decode(series_id)

    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("duration", ["", "PT1S", "P1Y", "soon"])
def test_a_wrong_duration_is_refused_when_written(duration: str) -> None:
    with pytest.raises(InvalidDuration):
        OHLC.encode("A/B", duration)


@pytest.mark.parametrize("product_id", ["", " ", "/", "A/", "/A", "A//B", "A/ /B", " A", "A ", "\u2003A"])
def test_empty_parts_and_outer_white_space_are_refused(product_id: str) -> None:
    for encode in (INTEREST_RATE.encode, INTEREST_RATE.decode, check_product_id):
        with pytest.raises(InvalidSeriesId):
            encode(product_id)
    with pytest.raises(InvalidSeriesId):
        OHLC.encode(product_id, "PT1M")


def test_every_control_character_is_refused_without_being_printed() -> None:
    for code in [*range(32), *range(127, 160)]:
        with pytest.raises(InvalidSeriesId) as refused:
            check_product_id(f"DEMO/A{chr(code)}B")
        assert chr(code) not in str(refused.value)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidSeriesId, match="surrogate"):
        check_product_id("DEMO/\ud83d")


@pytest.mark.parametrize("forbidden", INVALID_PARTITION_SUBSTRINGS)
def test_what_dagster_forbids_in_a_partition_key_is_refused_here(forbidden: str) -> None:
    for product_id in (f"DEMO/A{forbidden}B", f"DEMO{forbidden}/A", f"{forbidden}A", f"A{forbidden}"):
        with pytest.raises(InvalidSeriesId):
            INTEREST_RATE.encode(product_id)
        with pytest.raises(InvalidSeriesId):
            OHLC.encode(product_id, "PT1M")
        with pytest.raises(InvalidSeriesId):
            OHLC.decode(f"{product_id}/PT1M")


@given(st.text(st.sampled_from("A./ \t…\x00") | st.characters(codec="utf-8"), min_size=1, max_size=10), DURATIONS)
@settings(max_examples=100, deadline=None)
def test_every_id_that_is_accepted_can_be_a_partition_key(product_id: str, duration: str) -> None:
    try:
        series_id = OHLC.encode(product_id, duration)
    except InvalidSeriesId:
        return
    assert not [forbidden for forbidden in INVALID_PARTITION_SUBSTRINGS if forbidden in series_id]


def test_ordinary_and_foreign_product_ids_are_accepted() -> None:
    for product_id in (
        "OKX/SWAP/BTC-USDT-SWAP",
        "DEMO/SPOT/BTC USDT",
        "A..B",
        "交易所/现货/比特币",
        "BINANCE/SPOT/1000SATS%",
    ):
        assert check_product_id(product_id) == product_id


def test_a_refusal_names_the_product_id() -> None:
    with pytest.raises(InvalidSeriesId, match=re.escape("'DEMO/A...B'")):
        check_product_id("DEMO/A...B")

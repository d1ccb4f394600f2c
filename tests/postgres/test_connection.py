"""What is said about a database's address: never a piece of its password, however badly it was written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from series_pipelines.errors import DatabaseUnavailable
from series_pipelines.postgres.connection import UNREADABLE, connect, describe_url


@given(st.text("ab12/@?:#%&[]", max_size=12))
@example("se/cret")
@example("se@cret")
@example("12/34")
@example("@/")
@example("%a1")
def test_no_piece_of_a_password_is_shown_however_it_was_written(password: str) -> None:
    url = f"postgresql://user:{password}@db.example:5432/market"
    assert describe_url(url) in ("db.example:5432/market", UNREADABLE)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://user:sec/ret@db.example:5432/market",
        "postgresql://user:sec@ret@db.example:5432/market",
        "postgresql://user:1/ret@db.example:5432/market",
        "dbname=postgresql://user:sec-ret@db.example/market",
        "postgresql://user:sec%ret@db.example:5432/market",
        "postgresql://user:sec%a1ret@db.example:5432/market",
    ],
)
def test_an_address_that_was_torn_apart_is_refused_before_a_piece_of_it_leaves(address: str) -> None:
    with pytest.raises(DatabaseUnavailable) as refusal:
        connect(address, purpose="test")
    assert str(refusal.value) == f"the database can't be reached: it has {UNREADABLE}"
    assert refusal.value.__cause__ is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://user:sec%2Fret@db.example:5432/market", "db.example:5432/market"),
        ("postgresql://user:sec%40ret@db.example/market?sslmode=require", "db.example:5432/market"),
        ("postgresql://one:1,two:2/market?target_session_attrs=any", "one,two:1,2/market"),
        ("postgresql:///market?host=/run/postgresql", "/run/postgresql:5432/market"),
        ("host=db.example dbname=market password=sec/r@t", "db.example:5432/market"),
    ],
)
def test_an_address_is_described_without_its_password(url: str, shown: str) -> None:
    assert describe_url(url) == shown

"""A short piece of torture with a fresh seed each time; `make torture` is the long one."""

import secrets
import time

import pytest

from .kills import KillsRound
from .lies import LIES
from .oracle import Violation
from .pages import PagesRound

pytestmark = pytest.mark.xdist_group("torture")

LYING_PAGES = 250
KILLS = 5


def show(seed: int, command: str, violations: list[Violation]) -> str:
    found = "\n  ".join(map(str, violations))
    return f"again: python -m tests.torture {command} --seed {seed}\n  {found}"


def test_hundreds_of_lying_pages_hurt_only_their_own_series(database_url: str) -> None:
    seed = secrets.randbelow(10**6)
    print(f"seed {seed}")
    result = PagesRound(database_url, seed, LYING_PAGES, time.time_ns() // 1_000_000, bars=150).run()
    assert not result.violations, show(seed, f"pages --pages {LYING_PAGES} --bars 150", result.violations)
    assert result.lies >= LYING_PAGES


def test_kills_lose_nothing_double_nothing_and_leave_nothing_behind() -> None:
    seed = secrets.randbelow(10**6)
    print(f"seed {seed}")
    result = KillsRound(seed, KILLS, processes=2, bars=100).run()
    command = f"kills --kills {KILLS} --processes 2 --bars 100"
    assert not result.violations, show(seed, command, result.violations)
    assert result.rows > 0


def test_there_are_more_than_sixty_ways_to_lie() -> None:
    assert len(LIES) > 60
    assert {lie.kind for lie in LIES.values()} == {"refused", "pause", "harmless", "omission", "value"}

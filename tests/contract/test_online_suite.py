"""The suite for the real exchanges, which can't be asked here: loopback servers stand in for two of them."""

import os
import re
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.exchanges.catalogue import NAMES
from tests.exchanges.launch import start_exchange
from tests.support.places import PROJECT

STAND_INS = ("okx", "binance")

pytestmark = pytest.mark.xdist_group("contract-online")


def run_online(**environment: str) -> tuple[int, str]:
    """Run the suite as a person does, in an environment of its own; return its exit code and what it said."""
    # The plugin that spreads tests over processes would take this one for its worker.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SERIES_"))}
    command = [sys.executable, "-m", "pytest", "tests/online", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, cwd=PROJECT, env=kept | environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_it_passes_against_servers_that_stand_in_for_the_exchanges() -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(start_exchange(name, age_days=6)) for name in STAND_INS]
        urls = {f"SERIES_TEST_ONLINE_URL_{server.name.upper()}": server.url for server in servers}

        code, said = run_online(SERIES_TEST_ONLINE=",".join(STAND_INS), **urls)

        assert code == 0, said
        for server in servers:
            assert len(re.findall(rf"^PASSED .*\[{server.name}\]", said, re.MULTILINE)) >= 10, said
            assert server.stats()["requests"] > 10
            assert server.stats()["violations"] == 0


def test_nothing_is_asked_of_anyone_unless_someone_wants_it() -> None:
    code, said = run_online()

    assert code == 0, said
    assert "PASSED" not in said
    for name in NAMES:
        assert f"it asks the real {name}: set SERIES_TEST_ONLINE=1, or SERIES_TEST_ONLINE={name}" in said

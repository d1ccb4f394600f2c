"""What `series dev` gives to what it starts: their folder is another one, so every path is whole."""

import os
from pathlib import Path

import pytest

from series_pipelines.app.dev import make_paths_whole


def test_paths_are_meant_from_where_series_dev_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"PYTHONPATH": f".:plugins:{os.sep}else:", "SERIES_VENDORS_FILE": "vendors.toml", "OTHER": "a/b"}
    assert make_paths_whole(given) == {
        "PYTHONPATH": f"{tmp_path}:{tmp_path}/plugins:/else:{tmp_path}",
        "SERIES_VENDORS_FILE": f"{tmp_path}/vendors.toml",
    }


@pytest.mark.parametrize("given", [{}, {"PYTHONPATH": "", "SERIES_VENDORS_FILE": ""}])
def test_what_is_not_set_stays_so(given: dict[str, str]) -> None:
    assert make_paths_whole(given) == {}

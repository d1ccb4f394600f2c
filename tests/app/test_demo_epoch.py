"""The first day of the demo market: several processes agree on it, and a crash while it is noted breaks nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from series_pipelines.app import sources
from series_pipelines.app.settings import Settings
from series_pipelines.app.sources import find_demo_epoch

PRINT_EPOCHS = """
import os
import sys
from pathlib import Path
from series_pipelines.app.settings import Settings
from series_pipelines.app.sources import find_demo_epoch
if sys.argv[1] == "no hard links":
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")
    os.link = refuse
print("ready", flush=True)
for home in sys.stdin.readline().split():
    print(find_demo_epoch(Settings(home=Path(home))), flush=True)
"""


@pytest.fixture(autouse=True)
def _without_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SERIES_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("links", ["hard links", "no hard links"])
@pytest.mark.parametrize("left_by_a_crash", [False, True])
def test_processes_that_come_at_once_agree(tmp_path: Path, left_by_a_crash: bool, links: str) -> None:
    homes = [tmp_path / f"home{number}" for number in range(40)]
    for home in homes if left_by_a_crash else ():
        home.mkdir()
        (home / "demo_epoch").touch()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PRINT_EPOCHS, links], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write(" ".join(map(str, homes)) + "\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60)[0].split() for process in started]
    assert [len(answer) for answer in answers] == [len(homes)] * 3
    assert answers[0] == answers[1] == answers[2]
    assert {tuple(path.name for path in home.iterdir()) for home in homes} == {("demo_epoch",)}


def test_a_crash_while_it_is_noted_leaves_nothing_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    settings = Settings(home=tmp_path)
    with monkeypatch.context() as crashing:
        crashing.setattr(sources, "format_iso", crash)
        with pytest.raises(KeyboardInterrupt):
            find_demo_epoch(settings)
    first = find_demo_epoch(settings)
    assert find_demo_epoch(settings) == first
    assert os.listdir(tmp_path) == ["demo_epoch"]

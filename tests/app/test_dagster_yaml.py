"""`series dev` takes nothing for its own that lies where it was started."""

import tomllib
from pathlib import Path

import pytest

from series_pipelines.app import dev
from tests.support.places import PROJECT


def test_another_projects_configuration_in_the_current_folder_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dagster.yaml").write_text("storage: theirs\n")
    monkeypatch.chdir(tmp_path)
    assert dev._find_dagster_yaml() == PROJECT / "dagster.yaml"


def test_an_installed_package_has_the_configuration_within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["force-include"]["dagster.yaml"] == "series_pipelines/dagster.yaml"
    monkeypatch.setattr(dev, "__file__", str(tmp_path / "series_pipelines" / "app" / "dev.py"))
    (tmp_path / "series_pipelines").mkdir()
    (tmp_path / "series_pipelines" / "dagster.yaml").touch()
    assert dev._find_dagster_yaml() == tmp_path / "series_pipelines" / "dagster.yaml"

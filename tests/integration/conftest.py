"""What tests of the command line share."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from series_pipelines.app.settings import load_settings
from series_pipelines.cli import series

Run = Callable[..., Result]


@pytest.fixture
def run(series_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in this process, on eight demo products that were listed before today."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    monkeypatch.setenv("SERIES_DEMO_EPOCH", today.isoformat())
    monkeypatch.setenv("SERIES_DEMO_PRODUCTS", "8")
    monkeypatch.setenv("SERIES_HOME", str(tmp_path))
    load_settings.cache_clear()

    def invoke(*arguments: str) -> Result:
        result = CliRunner().invoke(series, arguments, prog_name="series")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return invoke

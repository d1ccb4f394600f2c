"""What a command of the command line gave: its output, or the one line that says what is wrong."""

from collections.abc import Callable

from click.testing import Result

Run = Callable[..., Result]
"""Runs a command in this process, on eight demo products that were listed before today."""


def succeed(result: Result) -> str:
    assert result.exit_code == 0, result.stderr
    return result.stdout


def read_error(result: Result, exit_code: int) -> str:
    """Return the one line that says what is wrong."""
    assert result.exit_code == exit_code, result.output
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("series: no series are known yet")]
    assert line.startswith("series: error: ")
    return line

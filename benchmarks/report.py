"""The result as people read it and as scripts do: a table, RESULTS.md and results.json."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.harness import Row

FOLDER: Final = Path(__file__).resolve().parent
HEADER: Final = ("what", "target", "measured", "ok")


def describe_machine(postgres_version: str) -> dict[str, str]:
    """Return where and when this was measured; nothing that names the host."""
    return {
        "cores": str(len(os.sched_getaffinity(0))),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "postgres": postgres_version,
        "commit": _find_commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def format_machine(machine: Mapping[str, str]) -> str:
    """Return the machine as one line."""
    return (
        f"{machine['cores']} cores ({machine['machine']}), Python {machine['python']}, Postgres {machine['postgres']}, "
        f"commit {machine['commit']}, {machine['date']}"
    )


def format_table(rows: Sequence[Row]) -> str:
    """Return the rows as a table for a terminal."""
    lines = [HEADER, *((row.what, row.target, row.measured, _judge(row)) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    texts = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([texts[0], "─" * (sum(widths) + 2 * (len(widths) - 1)), *texts[1:]])


def format_markdown(rows: Sequence[Row], machine: Mapping[str, str]) -> str:
    """Return the rows as a page."""
    lines = [f"| {row.what} | {row.target} | {row.measured} | {_judge(row)} |" for row in rows]
    details = [f"- **{row.what}**: {row.detail}." for row in rows]
    return "\n".join(
        [
            "# Benchmark results",
            "",
            "Made by `make bench`. Ours and the yardstick are timed side by side in one run: trust the ratios.",
            "",
            f"| {' | '.join(HEADER)} |",
            "|---|---|---|---|",
            *lines,
            "",
            format_machine(machine),
            "",
            "## How each was measured",
            "",
            *details,
            "",
        ]
    )


def format_json(rows: Sequence[Row], machine: Mapping[str, str]) -> str:
    """Return the rows for scripts."""
    return json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2, ensure_ascii=False)


def write_files(rows: Sequence[Row], machine: Mapping[str, str]) -> None:
    """Keep the result beside the benchmarks."""
    (FOLDER / "RESULTS.md").write_text(format_markdown(rows, machine), encoding="utf-8")
    (FOLDER / "results.json").write_text(format_json(rows, machine) + "\n", encoding="utf-8")


def _judge(row: Row) -> str:
    return "ok" if row.ok else "MISSED"


def _find_commit() -> str:
    def ask(*arguments: str) -> str:
        command = ["git", "-C", str(FOLDER), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    try:
        commit = ask("rev-parse", "--short=12", "HEAD")
        is_changed = bool(ask("status", "--porcelain", "--untracked-files=no"))
    except OSError:
        return "unknown"
    return (commit or "unknown") + (" with changes" if is_changed else "")

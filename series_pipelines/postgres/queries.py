"""Loads the named SQL blocks of sql/<domain>/queries: `-- name: x`, a line that says what it does, the statement."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


def find_sql_folder() -> Path:
    """Return the folder of SQL files: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "sql"
    return packaged if packaged.is_dir() else package.parent / "sql"


@cache
def load_queries(name: str) -> Mapping[str, LiteralString]:
    """Return the statements of one query file, as `ingest/states` names it, by their names."""
    domain, _, file = name.partition("/")
    text = (find_sql_folder() / domain / "queries" / f"{file}.sql").read_text(encoding="utf-8")
    parts = _NAME.split(text)[1:]
    blocks = dict(zip(parts[::2], parts[1::2], strict=True))
    return MappingProxyType({key: cast(Any, _strip(block)) for key, block in blocks.items()})


def _strip(block: str) -> str:
    lines = [line for line in block.strip().splitlines() if not line.startswith("--")]
    return "\n".join(lines).strip().removesuffix(";")

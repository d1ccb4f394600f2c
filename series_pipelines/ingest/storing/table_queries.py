"""Fills in the query files that serve any table of series: `${table}`, `${columns}` and the like stand for its own."""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, LiteralString, cast

from series_pipelines.core.tables import SeriesTable
from series_pipelines.postgres.queries import load_queries

_BLANK: Final = re.compile(r"\$\{(\w+)\}")


@cache
def load_table_queries(name: str, table: SeriesTable) -> Mapping[str, LiteralString]:
    """Return the statements of one query file by name, for one table of series."""
    words = _list_words(table)
    filled = {key: _BLANK.sub(lambda blank: words[blank[1]], text) for key, text in load_queries(name).items()}
    return MappingProxyType(cast(Any, filled))


def _list_words(table: SeriesTable) -> dict[str, str]:
    later = table.times[1:]
    columns = (*later, *table.values)
    stage_columns = (*(f"{name} timestamptz" for name in later), *(f"{name} text" for name in table.values))
    staged = (*(f"stage.{name}" for name in later), *(f"stage.{name}::numeric" for name in table.values))
    plain_times = [f"(date_part('epoch', {name}) * 1000)::bigint" for name in table.times]
    listed = {
        "columns": columns,
        "values": table.values,
        "stage_columns": stage_columns,
        "staged": staged,
        "stored": [f"stored.{name}" for name in columns],
        "excluded": [f"{name} = excluded.{name}" for name in columns],
        "shown": [f"stored.{name}" for name in table.shown],
        "plain_times": plain_times,
        "named_times": [f"{text} as {name}" for text, name in zip(plain_times, table.times, strict=True)],
        "trimmed": [f"trim_scale({name})" for name in table.values],
    }
    return {"table": table.name, **{word: ", ".join(parts) for word, parts in listed.items()}}

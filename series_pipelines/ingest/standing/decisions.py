"""Decides which capabilities get a lane, and says why the others get none."""

from collections.abc import Collection
from dataclasses import dataclass

from series_pipelines.ingest.planning.due import TAIL_WHILE_HEADS_BELOW
from series_pipelines.ingest.planning.facts import Kind
from series_pipelines.ingest.standing.backlog import Backlog


@dataclass(frozen=True, slots=True)
class LaneDecision:
    """Which capabilities get a lane, and why the others don't."""

    wanted: tuple[str, ...]
    reasons: tuple[str, ...]


def decide_lanes(backlog: Backlog, table_name: str, kind: Kind, busy: Collection[str]) -> LaneDecision:
    """Return the capabilities of a table that have due work of a kind and no lane."""
    if kind == "tail" and backlog.head_backlog >= TAIL_WHILE_HEADS_BELOW:
        return LaneDecision((), (f"{backlog.head_backlog} heads wait, tails go on below {TAIL_WHILE_HEADS_BELOW}",))
    wanted: list[str] = []
    reasons: list[str] = []
    for cap_key, capability in backlog.capabilities.items():
        if capability.state.table_name != table_name:
            continue
        due = capability.due_heads if kind == "head" else capability.due_tails
        if not due:
            reasons.append(f"{cap_key}: no {kind} is due")
        elif capability.is_paused:
            reasons.append(f"{cap_key}: backs off, {capability.state.last_error}")
        elif capability.state.in_flight or cap_key in busy:
            reasons.append(f"{cap_key}: a lane is under way")
        else:
            wanted.append(cap_key)
    return LaneDecision(tuple(wanted), tuple(reasons) or (f"no capability serves {table_name}",))

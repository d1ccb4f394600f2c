"""`plan`: what would be fetched next, in the order lanes would take it, and why; for named series also what is not due.

Lanes of different capabilities work beside each other, so the order counts within a capability.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from series_pipelines.cli.options import MOST_ROWS, with_json, with_kind, with_series, with_table
from series_pipelines.cli.output import print_json, print_table, show_time, to_iso
from series_pipelines.core.plan import (
    TAIL_WHILE_HEADS_BELOW,
    Fetch,
    Kind,
    SeriesFacts,
    find_behind_due,
    find_cadence,
    find_head_due,
    find_tail_due,
    plan_head,
    plan_probe,
    plan_tail,
)
from series_pipelines.core.tables import TABLES

if TYPE_CHECKING:
    from series_pipelines.ingest.backlog import Backlog, CapabilityBacklog
    from series_pipelines.store.connection import Connection

_COLUMNS: Final = (">#", "series", "kind", "for", "asks at", "why", "last tried", "due", "waits because")


@dataclass(frozen=True, slots=True)
class Work:
    """One kind of work of a series: the request that serves it when it is due, else why it is not."""

    facts: SeriesFacts
    table_name: str
    kind: Kind
    due_ms: int | None
    fetch: Fetch | None
    why: str
    held: str | None

    @property
    def attempted_ms(self) -> int | None:
        return self.facts.head_attempted_ms if self.kind == "head" else self.facts.tail_attempted_ms

    @property
    def rank(self) -> tuple[bool, bool, int, str]:
        """The order in which a lane takes work: due first, heads first, then the longest-waiting."""
        waiting = self.due_ms or 0 if self.fetch is None else self.attempted_ms
        return self.fetch is None, self.kind == "tail", -1 if waiting is None else waiting, self.facts.series_id


@click.command("plan", short_help="Show what would be fetched next, and why.")
@with_series(required=False)
@with_kind
@with_table
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, MOST_ROWS), help="Show at most so many.")
@with_json
def plan_command(series: tuple[str, ...], kind: str, table_name: str | None, limit: int, as_json: bool) -> None:
    """Show what would be fetched next and why; for named SERIES also what is not due, and when it will be.

    Example: series plan DEMO/SWAP/BTC-USDT/1m
    """
    from series_pipelines.cli.session import ensure_series, open_database
    from series_pipelines.system_clock import SystemClock

    with open_database("plan") as conn:
        ensure_series(conn)
        works = read_plan(conn, series, table_name, SystemClock().now_ms())
    kinds = ("head", "tail") if kind == "both" else (kind,)
    wanted = [work for work in works if work.kind in kinds and (series or work.fetch is not None)]
    shown = sorted(wanted, key=lambda work: work.rank)[:limit]
    if as_json:
        print_json([_describe(work) for work in shown])
        return
    rows = [(number, *_make_row(work)) for number, work in enumerate(shown, 1)]
    print_table(_COLUMNS, rows, droppable=("last tried", "for", "asks at", "#"))
    due = sum(work.fetch is not None for work in wanted)
    click.echo(f"\n{due} due" + (f", the first {limit} of {len(wanted)} shown" if len(wanted) > limit else ""))


def read_plan(conn: "Connection", typed: Sequence[str], table_name: str | None, now_ms: int) -> list[Work]:
    """Plan the named series, or all, from what all capabilities have to do."""
    from series_pipelines.cli.session import choose_series, refuse_retired
    from series_pipelines.ingest.backlog import Backlog, CapabilityBacklog, count_due
    from series_pipelines.store import capabilities, states

    chosen = choose_series(conn, typed, table_name)
    refuse_retired(chosen)
    wanted = {(known.table_name, known.series_id) for known in chosen}
    backlog = Backlog({state.cap_key: CapabilityBacklog(state, now_ms) for state in capabilities.read(conn)})
    facts_of = {name: states.read_facts(conn, name) for name in TABLES}
    for name, known_facts in facts_of.items():
        count_due(backlog, name, known_facts)
    return [
        work
        for name, known_facts in facts_of.items()
        for facts in known_facts
        if (name, facts.series_id) in wanted
        for work in plan_series(facts, name, backlog, now_ms)
    ]


def plan_series(facts: SeriesFacts, table_name: str, backlog: "Backlog", now_ms: int) -> Iterator[Work]:
    """Yield the head and the tail of a series."""
    capability = backlog.capabilities.get(facts.cap_key)
    if capability is None:
        return
    state = capability.state
    cadence = find_cadence(table_name, facts.series_id, state.grace_ms, facts.interval_ms, state.page_rows)
    direction = capability.state.direction
    due_ms = find_head_due(facts, cadence)
    if due_ms is not None and due_ms <= now_ms:
        fetch = plan_head(facts, cadence, direction, now_ms)
        yield Work(facts, table_name, "head", due_ms, fetch, fetch.why, _find_hold(capability))
    else:
        yield Work(facts, table_name, "head", due_ms, None, _explain_head(facts, due_ms), None)
    due_ms = find_behind_due(facts)
    if due_ms is not None and due_ms <= now_ms:
        is_recheck = find_tail_due(facts) is None
        fetch = plan_probe(facts, cadence, direction) if is_recheck else plan_tail(facts, cadence, direction, now_ms)
        why = f"its {facts.floor_kind} is to be verified again" if is_recheck else fetch.why
        held = _find_hold(capability) or _find_tail_hold(backlog)
        yield Work(facts, table_name, "tail", due_ms, fetch, why, held)
    else:
        yield Work(facts, table_name, "tail", due_ms, None, _explain_tail(facts, due_ms), None)


def _find_hold(capability: "CapabilityBacklog") -> str | None:
    if not capability.is_paused:
        return None
    state = capability.state
    return f"the capability backs off until {show_time(state.next_eligible_ms)}: {state.last_error}"


def _find_tail_hold(backlog: "Backlog") -> str | None:
    heads = backlog.head_backlog
    return (
        f"{heads} heads wait, tails go on below {TAIL_WHILE_HEADS_BELOW}" if heads >= TAIL_WHILE_HEADS_BELOW else None
    )


def _explain_head(facts: SeriesFacts, due_ms: int | None) -> str:
    if due_ms is None:
        return "delisted, and all it had is stored"
    if facts.head_eligible_ms == due_ms:
        return _explain_pause(facts.failures, facts.head_misses)
    return "fresh" if facts.end_ms is not None else "not listed yet"


def _explain_tail(facts: SeriesFacts, due_ms: int | None) -> str:
    if find_tail_due(facts) is not None:
        misses = facts.gap_misses if facts.gap_eligible_ms == due_ms else facts.tail_misses
        return _explain_pause(facts.failures, misses)
    if facts.end_ms is None:
        return "nothing is stored yet, so the head comes first"
    complete = f"complete back to its {facts.floor_kind or 'listing'}"
    return complete if due_ms is None else f"{complete}, which is then verified again"


def _explain_pause(failures: int, misses: int) -> str:
    return f"waits after {failures} failures" if failures else f"waits after {misses} answers that brought nothing new"


def _describe(work: Work) -> dict[str, object]:
    fetch = work.fetch
    return {
        "series_id": work.facts.series_id,
        "table_name": work.table_name,
        "cap_key": work.facts.cap_key,
        "kind": work.kind,
        "is_due": fetch is not None,
        "due_at": to_iso(work.due_ms) if work.due_ms else None,
        "target": fetch and fetch.target,
        "asks_at": fetch and to_iso(fetch.time_ms),
        "why": work.why,
        "last_tried_at": to_iso(work.attempted_ms),
        "waits_because": work.held,
    }


def _make_row(work: Work) -> tuple[object, ...]:
    fetch = work.fetch
    never = "after the head" if work.facts.end_ms is None else "never"
    due = "now" if fetch is not None else show_time(work.due_ms) or never
    return (
        *(work.facts.series_id, work.kind, fetch and fetch.target, fetch and show_time(fetch.time_ms)),
        *(work.why, show_time(work.attempted_ms), due, work.held),
    )

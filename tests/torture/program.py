"""Runs rounds of torture until so many kills were dealt and so many lies told, and says what came of it."""

import shutil
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, TextIO
from urllib.parse import urlsplit

import psycopg

from series_pipelines.postgres.embedded.server import EmbeddedPostgres, start_embedded
from tests.support.databases import make_home, migrate_database, replace_database

from .kills import ALL_BLOWS, AT_THE_SERVER, KillsResult, KillsRound
from .oracle import Violation
from .pages import PagesResult, PagesRound

LIES_A_ROUND = 250
KILLS_A_ROUND = 25
SAY_EVERY_SECONDS = 15.0


@dataclass
class Tally:
    """What all rounds came to."""

    seed: int
    rounds: int = 0
    pages: int = 0
    lies: Counter[str] = field(default_factory=Counter)
    catalogue_lies: Counter[str] = field(default_factory=Counter)
    blows: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    violations: list[tuple[str, Violation]] = field(default_factory=list)
    """Each with the command that tries its round again."""

    def add_pages(self, replay: str, result: PagesResult) -> None:
        """Add a round of lying pages, also one that was broken off."""
        self.rounds += 1
        self.pages += result.pages
        self.lies += result.told
        self.catalogue_lies += result.told_of_catalogue
        self.rows += result.rows
        self.violations += [(replay, violation) for violation in result.violations]

    def add_kills(self, replay: str, result: KillsResult) -> None:
        """Add a round of kills, also one that was broken off."""
        self.rounds += 1
        self.blows += result.blows
        self.lies += result.told
        self.rows += result.rows
        self.violations += [(replay, violation) for violation in result.violations]

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "seed": self.seed,
            "rounds": self.rounds,
            "honest_pages": self.pages,
            "lying_pages": self.lies.total(),
            "lies": dict(sorted(self.lies.items())),
            "catalogue_lies": dict(sorted(self.catalogue_lies.items())),
            "blows": dict(self.blows),
            "rows_checked": self.rows,
            "violations": [
                {"replay": replay, "rule": violation.rule, "where": violation.where, "what": violation.what}
                for replay, violation in self.violations
            ],
        }


class Progress:
    """One line that says how far it is and how long it may take; on a terminal it stays in its place."""

    def __init__(self, stream: TextIO, deadline: float | None) -> None:
        self._stream, self._deadline = stream, deadline
        self._begun = self._said = time.monotonic()

    @property
    def is_over(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def say(self, what: str, done: int, wanted: int, violations: int) -> None:
        """Say it, not too often."""
        now = time.monotonic()
        if now - self._said < (0.2 if self._stream.isatty() else SAY_EVERY_SECONDS) or not done:
            return
        self._said = now
        left = (now - self._begun) / done * max(0, wanted - done)
        text = f"{done} of {wanted} {what}, {violations} violations, about {left / 60:.0f} min left"
        self._stream.write(f"\r\x1b[K{text}" if self._stream.isatty() else f"{text}\n")
        self._stream.flush()

    def begin(self) -> None:
        """Begin to count anew."""
        self._begun = time.monotonic()


def torture_pages(
    tally: Tally,
    wanted: int,
    progress: Progress,
    bars: int,
    only: tuple[str, ...] = (),
    given_epoch_ms: int | None = None,
) -> None:
    """Tell so many lies; each round begins now, or when it is said to."""
    progress.begin()
    told = 0
    with _serve() as make_database:
        while told < wanted and not progress.is_over:
            seed, count = tally.seed + tally.rounds, min(LIES_A_ROUND, wanted - told)
            epoch_ms = time.time_ns() // 1_000_000 if given_epoch_ms is None else given_epoch_ms
            replay = describe_pages(seed, epoch_ms, count, bars, only)
            before = told
            with make_database() as url:
                attack = PagesRound(url, seed, count, epoch_ms, bars, only)
                attack.on_progress = lambda now, before=before: progress.say(  # type: ignore[misc]
                    "lying pages", before + now, wanted, len(tally.violations)
                )
                try:
                    result = attack.run()
                finally:
                    tally.add_pages(replay, attack.sum_up())
            told += max(result.lies, count if result.is_broken_off else 0)
            if not result.lies and not result.is_broken_off:
                break


def torture_processes(
    tally: Tally, wanted: int, progress: Progress, bars: int, processes: int | None, at_the_server: bool = False
) -> None:
    """Deal so many kills."""
    progress.begin()
    done = 0
    while done < wanted and not progress.is_over:
        seed, count = tally.seed + tally.rounds, min(KILLS_A_ROUND, wanted - done)
        at_once = processes or Random(f"processes {seed}").randint(2, 4)
        name = "server" if at_the_server else "kills"
        replay = f"python -m tests.torture {name} --seed {seed} --kills {count} --processes {at_once} --bars {bars}"
        attack = KillsRound(seed, count, at_once, bars, weights=AT_THE_SERVER if at_the_server else ALL_BLOWS)
        before = done
        attack.on_progress = lambda blows, before=before: progress.say(  # type: ignore[misc]
            "kills", before + blows["kill"], wanted, len(tally.violations)
        )
        try:
            result = attack.run()
        finally:
            tally.add_kills(replay, attack.sum_up())
        done += max(result.kills, count if result.is_broken_off else 0)


def describe_pages(seed: int, epoch_ms: int, count: int, bars: int, only: tuple[str, ...] = ()) -> str:
    """Return the command that tries a round of lying pages again."""
    lies = f" --lies {','.join(only)}" if only else ""
    return f"python -m tests.torture pages --seed {seed} --epoch {epoch_ms} --pages {count} --bars {bars}{lies}"


@contextmanager
def _serve() -> Iterator[Callable[[], Any]]:
    """Run a Postgres for rounds that only need a database."""
    home = make_home()
    server = start_embedded(home)
    try:
        yield lambda: _create_database(server)
    finally:
        server.close()
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _create_database(server: EmbeddedPostgres) -> Iterator[str]:
    name = f"torture_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.admin_url, autocommit=True) as admin:
        admin.execute(f"create database {name} owner {urlsplit(server.owner_url).username}")
        url = replace_database(server.url, name)
        try:
            migrate_database(replace_database(server.owner_url, name), url)
            yield url
        finally:
            admin.execute(f"drop database {name} with (force)")


def print_outcome(tally: Tally, stream: TextIO) -> None:
    """Say what was done and what was found, each with the command that tries it again."""
    blows = ", ".join(f"{count} x {name}" for name, count in tally.blows.most_common())
    stream.write(
        f"\n{tally.rounds} rounds: {tally.lies.total()} lying pages of {len(tally.lies)} kinds beside {tally.pages} "
        f"good ones, {tally.catalogue_lies.total()} lies about products and services; {blows or 'no kills'}; "
        f"{tally.rows} rows compared; {len(tally.violations)} violations\n"
    )
    for replay, violation in tally.violations:
        stream.write(f"  {violation}\n    again: {replay}\n")

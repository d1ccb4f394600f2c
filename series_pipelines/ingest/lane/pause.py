"""The pause of a capability whose vendor says no: kept in Postgres for all to see, ended by the first good answer."""

from series_pipelines.errors import VendorBackoff
from series_pipelines.ingest.pages.outcome import grow_backoff
from series_pipelines.ingest.storing import capabilities
from series_pipelines.postgres.connection import Connection


class CapabilityPause:
    """What whoever holds a capability's lock knows and tells of its pause."""

    def __init__(self, control: Connection, cap_key: str) -> None:
        self._control = control
        self._cap_key = cap_key
        self._backoff = capabilities.read_pause(control, cap_key)
        self._since_ms = 0
        self._has_succeeded = False
        self.why = "it said no before"

    @property
    def until_ms(self) -> int | None:
        """When the capability may be asked again, if that was ever in question."""
        return self._backoff.next_eligible_ms

    def is_on(self, now_ms: int) -> bool:
        """Whether it is too early to ask."""
        return self.until_ms is not None and now_ms < self.until_ms

    def begin(self, error: VendorBackoff, asked_ms: int, now_ms: int) -> None:
        """Pause for longer than last time; what was asked before the pause began says nothing new."""
        if asked_ms < self._since_ms:
            return
        backoff_ms = grow_backoff(self._backoff.backoff_ms)
        until_ms = now_ms + max(backoff_ms, error.retry_after_ms or 0)
        self._backoff = capabilities.Pause(backoff_ms, until_ms)
        self._since_ms = now_ms
        self.why = str(error)
        capabilities.write_pause(self._control, self._cap_key, backoff_ms, until_ms, self.why, now_ms)

    def end(self, now_ms: int) -> None:
        """Tell of the first good answer, and of each that ends a pause."""
        if self._backoff.backoff_ms:
            self._backoff = capabilities.Pause(0, None)
            capabilities.clear_pause(self._control, self._cap_key, now_ms)
        elif not self._has_succeeded:
            capabilities.note_success(self._control, self._cap_key, now_ms)
        self._has_succeeded = True

    def drop_error(self) -> None:
        """Tell no longer of what was no reason for a pause and is over, now that all answers are committed."""
        if self._has_succeeded:
            capabilities.drop_error(self._control, self._cap_key)


def pause_unserved(conn: Connection, cap_key: str, reason: str, now_ms: int) -> None:
    """Pause a capability that no vendor serves now, so that its waiting heads do not keep the tails of others back."""
    CapabilityPause(conn, cap_key).begin(VendorBackoff(reason), now_ms, now_ms)

"""Every error a user of the package can meet. The message is one line that says what to do.

SeriesError
├── InvalidInput            something typed or received is not what it must be
│   ├── InvalidSeriesId
│   ├── InvalidDuration
│   ├── InvalidOrder        a run's or a command's wishes contradict each other
│   ├── UnknownSeries
│   ├── UnknownVendor
│   ├── UnknownCapability
│   ├── MalformedService    a vendor's service schema can't be read
│   └── MalformedProduct    a vendor's product can't be taken
├── StoreError
│   ├── DatabaseUnavailable     it can't be reached or stopped answering; on another connection it may
│   ├── DatabaseContended       another transaction was in the way; the same work may succeed again
│   ├── DatabaseExhausted       it has no room: disk or memory; it may have later
│   ├── StatementCancelled      it gave up on a statement that took too long
│   ├── DataRefused             what was to be stored can't be, now or later
│   │   └── AlreadyStored
│   ├── NotMigrated
│   ├── NotPermitted
│   ├── CursorContested     other writers moved the same cursor again and again
│   ├── MigrationRefused
│   └── EmbeddedPostgresError
├── AlreadyRunning          a second `series dev` beside the first
├── CapabilityBusy          another lane holds the capability's lock
└── VendorError
    ├── VendorBackoff       pause the capability: it says no to everything for now
    │   ├── VendorBusy          429
    │   ├── VendorUnavailable   503, refused or broken connections
    │   ├── VendorTimeout
    │   └── ClockApart          our clock or the database's is wrong, so no page can be judged
    ├── VendorRejected      the vendor says that this one request is wrong; fails its series
    ├── VendorBroken        its code or its settings fail, which says nothing of what was asked; fails its series
    └── PageRefused         the reply can't be trusted; fails its series
        └── ClockRefused        the vendor's clock is far from ours and the database's
"""


class SeriesError(Exception):
    """Something in Series Pipelines went wrong."""


class InvalidInput(SeriesError):
    """The input is not valid."""


class InvalidSeriesId(InvalidInput):
    """The series id is not valid."""


class InvalidDuration(InvalidInput):
    """The duration is not valid."""


class InvalidOrder(InvalidInput):
    """The order for a lane is not valid."""


class UnknownSeries(InvalidInput):
    """No such series."""


class UnknownVendor(InvalidInput):
    """No such vendor."""


class UnknownCapability(InvalidInput):
    """No such capability."""


class MalformedService(InvalidInput):
    """A vendor's service can't be read from its schema."""


class MalformedProduct(InvalidInput):
    """A vendor's product can't be taken."""


class StoreError(SeriesError):
    """The database could not do what was asked."""


class DatabaseUnavailable(StoreError):
    """The database can't be reached."""


class DatabaseContended(StoreError):
    """Another transaction was in the way."""


class DatabaseExhausted(StoreError):
    """The database has no room."""


class StatementCancelled(StoreError):
    """The database gave up on a statement."""


class DataRefused(StoreError):
    """What was to be stored can't be."""


class AlreadyStored(DataRefused):
    """What was to be stored once is there already."""


class NotMigrated(StoreError):
    """The database is not migrated."""


class NotPermitted(StoreError):
    """The database does not permit it."""


class CursorContested(StoreError):
    """Other writers moved the same cursor again and again."""


class MigrationRefused(StoreError):
    """A migration can't be applied."""


class EmbeddedPostgresError(StoreError):
    """The embedded Postgres can't be started."""


class AlreadyRunning(SeriesError):
    """Another process already does this."""


class CapabilityBusy(SeriesError):
    """Another lane holds the capability."""


class VendorError(SeriesError):
    """A vendor could not serve a request."""


class VendorBackoff(VendorError):
    """The vendor wants fewer requests for a while."""

    def __init__(self, message: str, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_ms = retry_after_ms


class VendorBusy(VendorBackoff):
    """The vendor answered 429."""


class VendorUnavailable(VendorBackoff):
    """The vendor answered 503 or can't be reached."""


class VendorTimeout(VendorBackoff):
    """The vendor did not answer in time."""


class ClockApart(VendorBackoff):
    """Our clock or the database's stands apart from the others."""


class VendorRejected(VendorError):
    """The vendor says the request itself is wrong."""


class VendorBroken(VendorError):
    """The vendor's code or settings fail."""


class PageRefused(VendorError):
    """The vendor's reply breaks the contract; `digest` is of its rows, if they could be read at all."""

    def __init__(self, message: str = "", digest: str = "") -> None:
        super().__init__(message)
        self.digest = digest


class ClockRefused(PageRefused):
    """The vendor's clock stands apart from ours and the database's."""

"""Everything that can go wrong, as one tree.

::

    ScstoryError
    ├── UsageError            the call cannot be meant so        exit code 2
    │   ├── ConfigError       a setting, flag or parameter
    │   ├── BadQuery          a search that cannot be answered
    │   ├── BadCorrection     a correction that cannot be made
    │   │   └── EditConflict  … because somebody else corrected the same meanwhile
    │   ├── SourceError       a source that is not there or not readable as one
    │   └── NoDatabase        a database that is not there; a StoreError too
    ├── NoArticles            sources that hold nothing usable
    ├── BadItem               one item of a source, reported and skipped
    ├── FetchError            an address that cannot, or may not, be fetched
    ├── ApiError              a service refused a request of the client, or is not there
    ├── EncoderError          weights missing, damaged or of the wrong shape
    ├── ClusterError          Ray is missing, cannot be reached or has no encoder left
    ├── StoreError            a database that cannot be opened, read or written
    │   └── AlreadyClaimed    another process is the writer of the database
    │       └── LeaseLost     … and has taken over from this one
    └── Stopped               the user had enough                exit code 130

A message gives the value, the limit and the way out, on one line.
"""


class ScstoryError(Exception):
    """Root of all errors that scstory raises on purpose."""

    exit_code = 1


class UsageError(ScstoryError):
    """The command or call cannot be meant like this."""

    exit_code = 2


class ConfigError(UsageError):
    """A setting, flag or parameter has a value it cannot have."""


class BadQuery(UsageError):
    """A search that cannot be answered as it is written."""


class BadCorrection(UsageError):
    """A correction that cannot be made as it is asked for; nothing was changed."""


class EditConflict(BadCorrection):
    """Somebody else has corrected the same stories meanwhile; `changes` says how."""

    def __init__(self, changes: list[str]) -> None:
        super().__init__(f"changed meanwhile: {'; '.join(changes)}. Look again, then decide")
        self.changes = changes


class SourceError(UsageError):
    """A source does not exist or cannot be read as what it claims to be."""


class NoArticles(ScstoryError):
    """No source of a run holds an article; nothing was stored."""


class BadItem(ScstoryError):
    """One item of a source is unusable; the reason is the message."""


class FetchError(ScstoryError):
    """A web address cannot be fetched, or may not be.

    `temporary` says that it may go better later; `retry_after` is when, in seconds, if the
    server said so.
    """

    def __init__(
        self, message: str, *, temporary: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.temporary = temporary
        self.retry_after = retry_after


class ApiError(ScstoryError):
    """A service refused a request of the client; `status` is 0 if it could not be reached."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status}: {detail}" if status else detail)
        self.status, self.detail = status, detail


class EncoderError(ScstoryError):
    """A sentence encoder cannot be loaded."""


class ClusterError(ScstoryError):
    """Other machines that should encode cannot: not the fault of an article."""


class StoreError(ScstoryError):
    """A database cannot be opened, read or written."""


class AlreadyClaimed(StoreError):
    """Another process, the `holder`, is the writer of a database."""

    reason = "is its writer; stop it, then run again, or name another database with --db"

    def __init__(self, database: str, holder: str) -> None:
        super().__init__(f"{database}: {holder} {self.reason}")
        self.database, self.holder = database, holder


class LeaseLost(AlreadyClaimed):
    """Another process has become the writer; nothing was committed."""

    reason = (
        "has taken over as its writer, so this was not committed; start again to go on from there"
    )


class NoDatabase(UsageError, StoreError):
    """A database that is to be read does not exist."""


class Stopped(ScstoryError):
    """The work was interrupted."""

    exit_code = 130

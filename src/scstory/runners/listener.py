"""What a run tells the outside while it works."""

from scstory.feeds import Item, Source
from scstory.runners.follow import Poll
from scstory.runners.writer import Step


class Listener:
    """Is called as a run goes on; each method does nothing unless a subclass overrides it."""

    def read(self, source: Source) -> None:
        """Called when an item of a source has been read."""

    def step(self, step: Step) -> None:
        """Called when articles have been decided and committed."""

    def problem(self, item: Item) -> None:
        """Called with an item that could not be used, and the reason."""

    def poll(self, poll: Poll) -> None:
        """Called when a feed has been fetched, or could not be."""

    def notice(self, text: str) -> None:
        """Called with something that the user should know."""

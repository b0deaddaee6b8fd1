"""Lists of threads and sections, and a thread with its stories, as the API returns them."""

from pydantic import Field

from scstory.serve.models import StoryOut, TimelineOut
from scstory.serve.output import Output
from scstory.serve.overview_out import SectionOut, ThreadOut


class ThreadPage(Output):
    """A page of threads, the latest news first, and the cursor of the next page."""

    threads: list[ThreadOut]
    next: str | None


class ThreadDetail(ThreadOut):
    """A thread with its stories, the latest first, and a timeline of all their articles."""

    members: list[StoryOut] = Field(description="Up to 200 of its stories.")
    timeline: TimelineOut


class SectionList(Output):
    """All sections, the one with most active stories first."""

    sections: list[SectionOut]

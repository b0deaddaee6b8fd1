"""Threads, sections and mentions as the API returns them, without what they consist of."""

from datetime import datetime

from pydantic import Field, computed_field

from scstory.serve.output import Output


class ThreadOut(Output):
    """Stories that belong to one longer affair. Its number is that of one of them."""

    id: int
    name: list[str] = Field(description="Keywords that its stories share.")
    title: str = Field(description="The title of its latest story.")
    stories: int
    articles: int
    first_seen: datetime
    last_seen: datetime

    @computed_field(description="The path of the thread's page.")  # type: ignore[prop-decorator]
    @property
    def url(self) -> str:
        """The path of the thread's page."""
        return f"/threads/{self.id}"


class SectionOut(Output):
    """A topic that was found in the stream."""

    id: int
    name: list[str] = Field(description="Keywords that its stories have and others have not.")
    active: int = Field(description="The number of its active stories.")
    stories: int = Field(description="The number of its stories, ended ones included.")

    @computed_field(description="The path of the section's page.")  # type: ignore[prop-decorator]
    @property
    def url(self) -> str:
        """The path of the section's page."""
        return f"/sections/{self.id}"


class AlsoAboutOut(Output):
    """Another story that an article is about."""

    id: int
    title: str
    sentences: list[str] = Field(description="Sentences of the article that say so.")

    @computed_field(description="The path of the story's page.")  # type: ignore[prop-decorator]
    @property
    def url(self) -> str:
        """The path of the story's page."""
        return f"/stories/{self.id}"

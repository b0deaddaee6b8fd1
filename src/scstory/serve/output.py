"""What the models of the API's output have in common."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict

Rounded = Annotated[float, AfterValidator(lambda value: round(value, 6))]


class Output(BaseModel):
    """A model of what the API returns, made of a row."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def from_row(cls, row: Any, **more: Any) -> Self:
        """Return the values of a row, some of them added or replaced."""
        names = cls.model_fields.keys() - more.keys()
        return cls.model_validate({**{name: getattr(row, name) for name in names}, **more})

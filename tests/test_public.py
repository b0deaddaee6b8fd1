"""The few names that users import."""

import pytest

import scstory


def test_public_names():
    assert set(scstory.__all__) == {
        "Article",
        "Assignment",
        "Explanation",
        "ScstoryError",
        "Story",
        "StoryDiscovery",
        "__version__",
    }
    for name in scstory.__all__:
        assert getattr(scstory, name) is not None


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        scstory.nonsense  # noqa: B018


def test_default_encoder_is_where_scripts_expect_it():
    from scstory.vectors import default_encoder

    assert default_encoder().name == "minilm-int8"


def test_a_package_finds_its_names_when_they_are_used():
    from scstory import discovery

    for name in discovery.__all__:
        assert getattr(discovery, name) is not None
    with pytest.raises(AttributeError, match="'scstory.discovery' has no attribute 'nonsense'"):
        discovery.nonsense  # noqa: B018

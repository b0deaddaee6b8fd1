"""The version, read by the build and by ``scstory --version``."""

__version__ = "0.1.0"

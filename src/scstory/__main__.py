"""``python -m scstory`` is the command."""

from scstory.cli import main

main()

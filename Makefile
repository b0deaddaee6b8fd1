# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test lint install bench clean

demo: $(VENV)/installed
	@$(BIN)/scstory demo

test: lint
	@$(BIN)/python -m pytest

lint: $(VENV)/installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

install: $(VENV)/installed

# torch goes first: with it in place nothing else asks for another build of it.
$(VENV)/installed: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, about a minute) …" >&2
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "scstory needs Python 3.11 or later; name one with: make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --constraint constraints.txt torch
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@

# All of it takes a while; single parts: make bench ONLY="encoder startup". Another stream than the
# bundled sample: BENCH_DATA=FILE.
bench: $(VENV)/installed
	@$(BIN)/python -m benchmarks $(ONLY)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache

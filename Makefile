# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test coverage crash fuzz lint browser install bench results wheel docs pictures notebook clean

demo: $(VENV)/installed
	@$(BIN)/scstory demo

# Each worker computes in one thread. Tests wait now and then, for a server or another process, so
# three workers keep two cores busy. Tests that must not run side by side are named in conftest.py.
WORKERS ?= 3
test: lint browser
	@$(BIN)/python -m pytest -n $(WORKERS)

# The same tests take half as long again where every line is counted.
coverage: $(VENV)/installed-dev browser
	@$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=
	@echo "Coverage: $$($(BIN)/coverage report --format=total) % of the lines of src/scstory" \
		"(by file: $(BIN)/coverage report)"

# The process is killed over and over, its database fails, its disk is full: nothing changes.
crash: $(VENV)/installed-dev
	@$(BIN)/python -m tests.crash --kills 100

# Every parser of what comes from outside, on inputs nobody thought of: so many minutes each test.
# Then every other property that is tested, on examples that differ from those of `make test`.
# One of them alone: make fuzz ONLY=tests/fuzz/test_text.py MINUTES=30
MINUTES ?= 2
fuzz: $(VENV)/installed-dev
	@FUZZ_MINUTES=$(MINUTES) $(BIN)/python -m pytest $(or $(ONLY),tests/fuzz)
	@$(if $(ONLY),:,FUZZ_MINUTES=$(MINUTES) $(BIN)/python -m pytest -m hypothesis tests)

# The tests of the pages need a real browser; where it cannot be installed they are skipped.
browser:
	@if ! command -v chromium chromium-browser >/dev/null; then \
		echo "Installing Chromium, for the tests of the pages …" >&2; \
		{ apt-get update -qq && apt-get install -qq -y chromium; } >/dev/null 2>&1 || \
		echo "Chromium is missing, so the browser tests are skipped: apt-get install chromium" >&2; \
	fi

lint: $(VENV)/installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --num-workers 2
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
# bundled sample: BENCH_DATA=FILE. Threads wait as they do in the command.
bench: $(VENV)/installed-dev
	@OMP_WAIT_POLICY=PASSIVE OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks $(ONLY)

# The tables and pictures of the studies that docs/ shows, in one state of the code. Hours of work:
# an interrupted run goes on where it stopped. docs/studies.md says which streams it needs.
OUT ?= studies
results: $(VENV)/installed-dev
	@test -n "$(DATA)" || { echo 'name the labelled streams: make results DATA="FILE …"' >&2; exit 2; }
	@$(BIN)/python tools/study_pages.py $(OUT) $(DATA)

# The package as others install it: dist/scstory-VERSION-py3-none-any.whl and its sdist.
wheel: $(VENV)/installed-dev
	@rm -rf dist
	@$(BIN)/python -m hatchling build

# The documentation site, in build/site; a warning is an error.
docs: $(VENV)/installed-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo "The documentation is in build/site/index.html; its search works on a server:" \
		"python3 -m http.server --directory build/site"

# The README's pictures, of the pages as they are now.
pictures: $(VENV)/installed-dev browser
	@$(BIN)/python docs/pictures/take.py

# What the notebook's cells show, as the code is now.
notebook: $(VENV)/installed-dev
	@$(BIN)/python tools/execute_notebook.py examples/explore_stories.ipynb

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .coverage .coverage.*

# `make dev` and `make test` set everything up by themselves; they need Python >= 3.11, make and git.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed
PIP := $(VENV)/bin/pip --disable-pip-version-check

.PHONY: dev test torture lint format docs schema bench clean

dev: $(STAMP)
	@exec $(VENV)/bin/series dev

test: $(STAMP)
	$(VENV)/bin/python -m pytest -n 3 --dist loadgroup

# An hour or more; a part of it, or one round again: `python -m tests.torture --help`.
torture: $(STAMP)
	$(VENV)/bin/python -m tests.torture all --pages 10000 --kills 1000

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(STAMP)
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

# The pages of docs/, to be read in a browser: site/index.html.
docs: $(STAMP)
	$(VENV)/bin/mkdocs build --strict

# After a migration: the tables as all migrations make them, to be read.
schema: $(STAMP)
	$(VENV)/bin/python -m tests.support.schema

bench: $(STAMP)
	$(VENV)/bin/python -m benchmarks

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --no-deps --no-compile --requirement requirements.lock
	$(PIP) install --quiet --no-deps --editable .
	@# The lock names all that is needed; on another Python than it was made on something may be missing.
	@$(PIP) check >/dev/null || $(PIP) install --quiet --requirement requirements.lock
	@# On all cores, without what is never imported; a package may hold files for another Python.
	-@$(VENV)/bin/python -m compileall -qq -j 0 -x 'ccxt/(async_support|pro|test)/' $(VENV)/lib
	@touch $(STAMP)

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis

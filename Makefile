# `make dev` and `make test` set everything up by themselves; they need Python >= 3.11, make and git.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed

.PHONY: dev test lint format bench clean

dev: $(STAMP)
	@exec $(VENV)/bin/series dev

test: $(STAMP)
	$(VENV)/bin/python -m pytest -n 2 --dist loadgroup

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(STAMP)
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(STAMP)
	$(VENV)/bin/python -m benchmarks

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $(STAMP)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

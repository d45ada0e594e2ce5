# Memoray. `make up` starts it, `make down` stops it, `make test` proves it. All three work from a fresh clone.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
CLIENTS := $(VENV)/clients
STAMPS := $(VENV)/.stamps
# the newest Python we support that is there and can make a virtual environment
PYTHON ?= $(shell for v in 3.13 3.12 3.11; do \
  if python$$v -c 'import venv, ensurepip' 2>/dev/null; then command -v python$$v; break; fi; done)

# without compiled modules every process of Ray compiles all of them again: 8 s instead of 2 s each
unexport PYTHONDONTWRITEBYTECODE
# another environment's modules or Ray must not be found
unexport PYTHONHOME VIRTUAL_ENV RAY_ADDRESS
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help up down test shards search lint extra requirements clean

help: ## Show this list.
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/'

up: $(STAMPS)/installed ## Install what is missing, start Memoray, show a first answer.
	@$(BIN)/memoray up $(ARGS)

down: ## Stop Memoray; no process is left.
	@if [ -x $(BIN)/memoray ]; then $(BIN)/memoray down; else echo "Memoray is not installed here."; fi

test: lint $(STAMPS)/clients ## Everything that must hold: style, types, import contracts, all tests.
	@$(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder $(ARGS)

shards: $(STAMPS)/dev $(STAMPS)/clients ## The tests of the routes once more, with memories in two shards.
	@MEMORAY_TEST_SHARDS=2 $(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder $(or $(ARGS),tests/api)

search: $(STAMPS)/dev ## The property tests once more, on examples nobody has seen yet.
	@$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=new $(ARGS)

lint: $(STAMPS)/dev ## Style, types and import contracts.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

extra: $(STAMPS)/installed ## Install an extra: ARGS=language, ARGS=speech, ARGS=e5 or ARGS=stores.
	$(call packages,$(ARGS))

requirements: $(STAMPS)/dev ## Whether all that is installed can still be had; ARGS=--write takes the newest.
	@$(BIN)/python -m deployments.requirements.resolve $(ARGS)

clean: ## Remove the environment and the caches; the memory in data/ stays.
	@rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist *.egg-info
	@find . -name __pycache__ -type d -not -path './node_modules/*' -prune -exec rm -rf {} +

$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then \
	  echo "Python 3.11, 3.12 or 3.13 with its venv module is needed (Debian, Ubuntu: apt install python3-venv)." >&2; exit 1; fi
	@echo "Making $(VENV) with $(PYTHON)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)

# $(call packages,SET[,ENVIRONMENT]): every package of that set in the version and with the hash that is written there,
# wheels only
define packages
	@if command -v uv >/dev/null; then \
	  uv pip install --python $(or $(2),$(VENV))/bin/python --compile-bytecode --no-deps --only-binary :all: \
	    --require-hashes -r requirements/$(1).txt; \
	else \
	  $(or $(2),$(VENV))/bin/python -m pip install --quiet --no-deps --only-binary :all: --require-hashes \
	    -r requirements/$(1).txt; fi
endef

# ours is laid over them by the setuptools of the set: nothing else is fetched to build it
define ourselves
	@if command -v uv >/dev/null; then \
	  uv pip install --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .; fi
endef

$(STAMPS)/installed: pyproject.toml requirements/base.txt | $(BIN)/python
	@echo "Installing Memoray (once; about 1 GB, some minutes)"
	@mkdir -p $(STAMPS)
	$(call packages,base)
	$(call ourselves)
	@touch $@

$(STAMPS)/dev: $(STAMPS)/installed requirements/dev.txt
	@echo "Installing what the tests need"
	$(call packages,dev)
	@touch $@

$(STAMPS)/clients: requirements/clients.txt | $(BIN)/python
	@echo "Installing the clients that other people use, for the tests"
	@mkdir -p $(STAMPS)
	@$(BIN)/python -m venv --clear $(CLIENTS)
	$(call packages,clients,$(CLIENTS))
	@touch $@

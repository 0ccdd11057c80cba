# One recipe for a person, the pre-commit hook and CI. `pip install -e '.[test]'` first.
PYTHON ?= python

.PHONY: check format-check lint types imports doctest documents format test bench

check: format-check lint types imports doctest documents

format-check:
	$(PYTHON) -m ruff format --check .

lint:
	$(PYTHON) -m ruff check .

types:
	$(PYTHON) -m mypy

imports:
	lint-imports

doctest:
	$(PYTHON) -m pytest -q --doctest-modules --pyargs tallybayes

documents:
	$(PYTHON) -m pytest -q tests/test_documents.py

format:
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

test:
	$(PYTHON) -m pytest

bench:
	$(PYTHON) -m benchmarks naive

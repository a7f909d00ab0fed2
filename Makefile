# Everything goes through packaging/bootstrap.py, which makes .venv from the locked requirements and is quick the second time.
PYTHON ?= python3
PYTEST_ARGS ?=

.PHONY: help run test lint format package check-package lock calibrate licences clean distclean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

run: ## set up and open the app on the demonstration recording, or on FILE=path
	@$(PYTHON) packaging/bootstrap.py run
	@if [ -n "$$FILE" ]; then exec .venv/bin/jaxscope demo --file "$$FILE"; else exec .venv/bin/jaxscope demo; fi

test: ## set up and run the tests (PYTEST_ARGS="-k words" for some of them)
	@$(PYTHON) packaging/bootstrap.py test
	@.venv/bin/python -m pytest $(PYTEST_ARGS)

lint: ## style, types and the arrows between rooms
	@$(PYTHON) packaging/bootstrap.py test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

format: ## put the code in its usual form
	@$(PYTHON) packaging/bootstrap.py test
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

package: ## build the app as a folder and, on Debian, as a .deb (both in dist/)
	@$(PYTHON) packaging/bootstrap.py package
	@build/venv/bin/python packaging/build_app.py

check-package: ## install the .deb in a clean Debian and run its self-test there (needs root and debootstrap)
	@bash packaging/check_deb.sh

lock: ## write the locked requirements anew from pyproject.toml
	@$(PYTHON) packaging/bootstrap.py package
	@build/venv/bin/python packaging/lock.py

calibrate: ## measure the methods on this machine anew, for what ships in resources/methods.json
	@$(PYTHON) packaging/bootstrap.py run
	@.venv/bin/jaxscope bench --calibrate --into resources/methods.json

licences: ## write the list of third-party licences anew from what is installed
	@$(PYTHON) packaging/bootstrap.py run
	@.venv/bin/python packaging/list_licences.py

clean: ## remove what was built
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis jaxscope-demo.png
	find jaxscope tests packaging -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the virtual environment too
	rm -rf .venv

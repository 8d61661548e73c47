# `make help` lists the targets. Paths are relative, so the folder may have any name.
PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
READY := .venv/ready
MUTATION := .mutation/ready
PYTEST := python -m pytest -n 2 --dist worksteal
# tests/workflow comes last: its tests import from its conftest, and pytest keeps that of the last folder named
TORTURE := tests/plan/test_mutations.py tests/test_files.py tests/datasets/test_readers.py tests/fuzz \
	tests/workflow/test_killed_env.py tests/workflow/test_sequences.py tests/workflow/test_torture.py
export PATH := $(CURDIR)/$(BIN):$(PATH)
# the engine of the studies is not installed
export PYTHONPATH := $(CURDIR)/src$(if $(PYTHONPATH),:$(PYTHONPATH))
# some containers set it; every job and test process would compile all modules anew
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help env quickstart test check tests coverage unit test-slurm torture mutants bench docs plan status keep restore audit lock schemas clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@echo "  inside the environment (source .venv/bin/activate): snakemake --cores N rce, snakemake -n rce, ..."

env: $(READY)  ## create .venv from the hash-pinned lock

quickstart: $(READY)  ## set up, re-run a small version of the RCE experiment, make its PDF
	python -m snakemake --cores $(CORES) quickstart

test: check tests docs  ## set up, run every check and test, about 30 CPU minutes

check: $(READY)  ## linters, formatters, types, layers of imports
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile workflow
	python -m snakemake --lint
	lint-imports
	codespell

tests: $(READY)  ## the test suite
	$(PYTEST) -m "not workflow" $(ARGS)
	$(PYTEST) -m workflow tests/workflow $(ARGS)

# apart from the tests, as tracing makes them take half as long again; what the tests of the workflow run is covered by
# those of the stages
coverage: $(READY)  ## the branch coverage of src and studies by all tests but those of the workflow
	$(PYTEST) -m "not workflow" --cov --cov-report=term:skip-covered $(ARGS)

unit: $(READY)  ## the fast tests, in a minute: no workflow, no mirror, nothing marked as long
	$(PYTEST) -m "not workflow and not mirror and not long" $(ARGS)

test-slurm: $(READY)  ## the quickstart through a real Slurm on this machine (installs it: root, apt-get)
	tests/slurm/cluster.sh python -m pytest -v tests/slurm $(ARGS)

torture: $(READY)  ## 200 kills at random, a killed make env, 30 sequences of changes, damaged files, 1,000 ensembles a method
	CONSCLUST_KILLS=200 CONSCLUST_SEQUENCES=30 CONSCLUST_MUTATIONS=2000 CONSCLUST_ENSEMBLES=1000 CONSCLUST_FILES=2000 \
		python -m pytest -v $(TORTURE) $(ARGS)

mutants: $(READY) $(MUTATION)  ## change the code of numerics, scores and verdicts; do its tests notice? (an hour at most on 2 cores)
	.mutation/bin/python benchmarks/mutants.py --python $(BIN)/python --out docs/mutants --page docs/mutation-testing.md $(ARGS)

bench: $(READY)  ## measure kernels, other packages, scale, commands, speed-up; write docs/performance.md (under 50 minutes)
	mkdir -p docs/performance
	python benchmarks/kernels.py --out docs/performance/kernels.csv
	python benchmarks/peers.py --install --limit 30 --runs 2 --out docs/performance/peers.csv
	python benchmarks/scale.py --limit 25 --out docs/performance/scale.csv docs/performance/scale.svg
	python benchmarks/commands.py --out docs/performance/commands.csv
	python benchmarks/speedup.py --runs 1 --data coil20 mnist_4000 digits LS USPS --out docs/performance/speedup.txt
	python benchmarks/report.py docs/performance docs/performance.md

docs: $(READY)  ## build the documentation, offline, and run its examples: docs/_build/html/index.html
	sphinx-build -j 2 -n -W --keep-going -q docs docs/_build/html

plan: $(READY)  ## jobs, CPU hours and duration of each study, estimated for 1, 16 and 256 cores
	python -m consclust_studies.plan.costs $(STUDY)

status: $(READY)  ## what is done, running, failed and left of each run; make status STUDY=rce CONFIG="datasets=yale methods=KC"
	python -m consclust_studies.plan.status $(STUDY) $(if $(CONFIG),--config $(CONFIG))

keep: $(READY)  ## keep the consensus labels of an accepted run that took long: make keep STUDY=ec_cms
	python -m consclust_studies.plan.accepted keep $(STUDY)

restore: $(READY)  ## put them back into results/, so that a run fits only what is left: make restore STUDY=ec_cms
	snakemake --cores $(CORES) --until base_clusterings -- $(STUDY)
	python -m consclust_studies.plan.accepted restore $(STUDY)

audit: $(READY)  ## look for unsafe code, and for known vulnerabilities of the packages in the lock
	bandit -q -r src studies -c pyproject.toml
	python envs/audit.py

# one version of each package for all Pythons, see envs/constraints.txt
lock: $(READY)  ## resolve the packages of pyproject.toml anew, with all extras
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --upgrade \
		--constraints envs/constraints.txt --no-strip-extras --all-extras --group audit --group build \
		pyproject.toml -o envs/requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --upgrade \
		--constraints envs/requirements.lock envs/mutation.in -o envs/mutation.lock
	! grep -nE '://|index-url|find-links' envs/requirements.lock envs/mutation.lock
	{ sed '/^  - pip:$$/q' envs/environment.yaml; sed -nE 's/^([a-z0-9].*==.*) \\$$/      - "\1"/p' envs/requirements.lock; } \
		> envs/environment.new && mv envs/environment.new envs/environment.yaml

schemas: $(READY)  ## write the JSON schemas of the configuration, and its reference config/README.md
	python -m consclust_studies.plan.schemas

clean:  ## remove results, reports and logs; keeps downloads, the environment and accepted results
	rm -rf docs/_build docs/api docs/gallery results/* logs data/prepared $(filter-out reports/accepted,$(wildcard reports/*)) .snakemake
	git checkout -q -- results/README.md

$(READY): envs/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; ok = (3, 11) <= sys.version_info[:2] <= (3, 13); sys.exit(None if ok else \
		"consclust needs Python 3.11 to 3.13, this is " + sys.version.split()[0] + "; try make PYTHON=python3.12 ...")'
	@$(PYTHON) workflow/is_at_work.py || { echo \
		"a run is at work in this folder and needs .venv, which must be made anew; wait for it, or stop it" >&2; exit 1; }
	@test ! -L .venv || { echo ".venv is a link, and making it anew would empty the folder that it leads to, which others may\
 use: remove the link first, or call python -m ... with that environment" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r envs/requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(READY)

# cosmic-ray has an environment of its own: it needs none of the packages of the tests
$(MUTATION): envs/mutation.lock
	$(PYTHON) -m venv --clear .mutation
	.mutation/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r envs/mutation.lock
	@touch $(MUTATION)

# SPDX-License-Identifier: GPL-3.0-or-later
# A thin front of CMake's presets and the scripts in cmake/. `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: deps build sandbox sandbox-update run test test-full soak coverage bench lint format image install bundle clean help asan tsan

PREFIX ?= /usr/local

deps: ## install what is missing of the system's packages (apt-get)
	@cmake/deps.sh build sandbox image page test test-full

build: ## the binary: build/release/lectern
	@cmake/deps.sh --check build
	@. cmake/steps.sh && mkdir -p build && build release
	@build/release/lectern sandbox fetch

sandbox: ## the Python of the sandbox with its libraries, once; MIRROR=URL to ask first
	@cmake/deps.sh --check build
	@. cmake/steps.sh && mkdir -p build && build release --target lectern share_files
	@build/release/lectern sandbox fetch $(if $(MIRROR),--mirror '$(MIRROR)')

sandbox-update: ## image/python.lock with the newest versions of these packages in their Debian release; MIRROR as above
	@/usr/bin/python3 -B cmake/sandbox_update.py

run: ## everything up to the server serving the demo curriculum; HOST, PORT, DATA, DOCKER_HOST
	@cmake/run.sh

test: ## the quick tests; TESTS=REGEX for some, JOBS=N at once (2)
	@cmake/test.sh quick

test-full: ## every test, also those with Docker, Chromium and npm clients; TESTS, JOBS as above
	@cmake/test.sh all

soak: ## the long form of the tests that have one (kills, loads, fuzzing, hostile programs); hours; TESTS, JOBS as above
	@cmake/test.sh soak

coverage: ## the share of lines and branches that the unit tests run, by folder: build/coverage.txt, by file: build/coverage/index.html
	@cmake/coverage.sh

bench: build ## the measurements of tests/bench
	@ctest --test-dir build/release -C bench -L bench --verbose --no-tests=error

asan tsan: ## every test under ASan and UBSan, or under TSan
	@cmake/deps.sh --check build sandbox image page test test-full
	@. cmake/steps.sh && mkdir -p build && build $@
	@TSAN_OPTIONS='suppressions=$(CURDIR)/tests/tsan.supp' ctest --test-dir build/$@ --output-on-failure --no-tests=error $(if $(TESTS),-R '$(TESTS)')

lint: build ## clang-format, habits of the project, clang-tidy, shellcheck
	@cmake/lint.sh

format: ## lay out the C code as .clang-format says
	@cmake/deps.sh --check lint
	@git ls-files '*.c' '*.h' | xargs clang-format -i

image: ## the sandbox image, for the Docker daemon at DOCKER_HOST
	@cmake/deps.sh build image
	@. cmake/steps.sh && mkdir -p build && build release --target lectern runner
	@build/release/lectern image build

install: build ## under PREFIX (/usr/local), DESTDIR honoured
	@cmake --install build/release --prefix '$(PREFIX)'

bundle: build ## an MCP bundle and its description for the registry, in build/bundle/
	@/usr/bin/python3 -B cmake/bundle.py build/release build/bundle

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z ]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | \
	  while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

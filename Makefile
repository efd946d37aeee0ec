# Pliant's front door. `make demo` and `make test` work from a fresh clone of a bare Debian 12.
#   make demo      install what is missing, build, show the main job
#   make view      the same in a browser: pull a squid with the mouse
#   make build     the program at build/bin/pliant, the Python module in build/python
#   make test      all tests
#   make bench     the benchmarks, with the ratios the documentation quotes
#   make fuzz      fuzz every hand-written reader (FUZZ_SECONDS each, default 60)
#   make soak      100,000 steps of random scenes, roughly treated: every number stays finite
#   make pictures  render the pictures of the documentation
#   make format    clang-format every source file
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
WERROR ?= OFF
FUZZ_SECONDS ?= 60
SOAK_STEPS ?= 100000
SOURCES = $(shell git ls-files '*.h' '*.cpp')

.PHONY: help demo view soak pictures build test bench fuzz format check-format asan tsan install clean

help:
	@sed -n 's/^#   //p' Makefile

install:
	@scripts/install_dependencies

build: install
	@scripts/build_viewer
	@cmake --preset release --log-level=WARNING -DPLIANT_WERROR=$(WERROR) > /dev/null
	@cmake --build --preset release -j $(JOBS)

demo: build
	@scripts/demo

view: build
	@build/bin/pliant view

test: build
	@ctest --preset release -j $(JOBS)

bench: build
	@scripts/bench

soak: build
	@build/bin/pliant_soak $(SOAK_STEPS)

pictures: build
	@PYTHONPATH=build/python /usr/bin/python3 scripts/pictures.py docs/images

fuzz: install
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

asan tsan: install
	@cmake --preset $@ --log-level=WARNING -DPLIANT_WERROR=$(WERROR) > /dev/null
	@cmake --build --preset $@ -j $(JOBS)
	@scripts/sanitize $@

format: install
	@clang-format-14 -i $(SOURCES)

check-format: install
	@clang-format-14 --dry-run --Werror $(SOURCES)

clean:
	@rm -rf build build-*

# Verbs of the house. Every verb first runs scripts/setup, which installs what is missing and is quick otherwise.
.DEFAULT_GOAL := help
.PHONY: help setup build demo test gallery test-peers bench compare format lint clean sanitize fuzz soak actors

JOBS ?= $(shell nproc)
BUILD := build
# Ground truth that takes a while (the finite-element limb of the curve layer) is simulated once.
export CUTIS_CACHE := $(abspath $(BUILD)/cache)

help:
	@echo "make demo        build, bake the default demo, say where to look"
	@echo "make test        unit, property, program and page tests"
	@echo "make gallery     bakes every demo and makes its pictures (gallery/, docs/gallery.md)"
	@echo "make test-peers  checks against other programs (glTF validator, three.js, Blender, tinyusdz)"
	@echo "make bench       benchmarks with ratios"
	@echo "make compare     the curve layer beside ground truth (the limb is simulated once, into build/cache)"
	@echo "make sanitize    unit tests under address, undefined-behaviour and thread sanitizers"
	@echo "make soak        ten thousand frames with all layers: nothing drifts, memory stays flat"
	@echo "make actors      makes the files of the folder actors anew (tools/actors)"
	@echo "make fuzz        a brief run of every fuzz target"
	@echo "make setup build format lint clean"

setup:
	@scripts/setup

build: setup
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS) --target cutis_program

demo: build
	@scripts/demo $(BUILD)/cutis

test: build
	@scripts/setup page test
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error

gallery: build
	@scripts/setup page
	@node web/gallery.mjs $(BUILD)/cutis

test-peers: build
	@scripts/setup peers
	@cmake --build $(BUILD) -j $(JOBS) --target peer_moving_uv peer_details
	@npm --prefix tests/peers test

bench: build
	@$(BUILD)/cutis bench

compare: build
	@$(BUILD)/cutis bench curve --compare

format: setup
	@scripts/setup lint
	@git ls-files '*.h' '*.cpp' | xargs -r clang-format -i

lint: build
	@cmake --build $(BUILD) -j $(JOBS)
	@scripts/setup lint
	@git ls-files '*.h' '*.cpp' | xargs -r clang-format --dry-run --Werror
	@scripts/lint $(BUILD)

sanitize: setup
	@scripts/sanitize $(JOBS)

soak: setup
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS) --target soak
	@$(BUILD)/tests/soak

actors: setup
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS) --target make_actors
	@$(BUILD)/tools/actors/make_actors actors

fuzz: setup
	@scripts/setup fuzz
	@scripts/fuzz $(JOBS)

clean:
	@rm -rf build build-* out

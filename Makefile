# Targets. Each first runs scripts/setup, which installs what that target needs and is quick when nothing is missing.
.DEFAULT_GOAL := help
.PHONY: help setup program build fbx demo live live-engine test test-live test-slow test-peers test-portable test-characters test-farm gallery bench bench-peers compare build-time mutate format lint clean sanitize fuzz soak actors

JOBS ?= $(shell nproc)
BUILD := build
# Ground truth that takes a while (the finite-element limb of the curve layer) is simulated once.
export CUTIS_CACHE := $(abspath $(BUILD)/cache)

help:
	@echo "make demo           build the program, bake the default demo, say where to look"
	@echo "make live           the living page: out/live/index.html for any browser, and the program that \`cutis live\` starts"
	@echo "make fbx            build the reader of FBX files as well (fetches ufbx)"
	@echo "make test           unit, property and program tests"
	@echo "make test-slow      long runs: real characters, the page in a browser, a soak in miniature"
	@echo "make test-live      the living page in a real browser, on both engines"
	@echo "make test-peers     checks against other programs (glTF validator, three.js, Babylon.js, Blender, gltfpack, usd-core, tinyusdz)"
	@echo "make test-portable  every file of the core by itself, with clang and with Emscripten; the same bits from g++ and WebAssembly"
	@echo "make test-characters  every shared character, and files as odd as exporters write them, through \`cutis bake FILE\`"
	@echo "make test-farm      many tasks on a real Slurm and on killed processes; plans of 100,000 tasks (as root: network namespaces)"
	@echo "make gallery        bake every demo and make its pictures (gallery/, docs/gallery.md)"
	@echo "make bench          benchmarks with ratios"
	@echo "make bench-peers    folds beside cloth simulated in Blender: a table, pictures in build/peers"
	@echo "make compare        the curve layer beside ground truth (the limb is simulated once, into build/cache)"
	@echo "make build-time     what a clean build costs, by room and file"
	@echo "make mutate         small wrong changes in the kernels: how many the checks notice"
	@echo "make sanitize       unit tests under address, undefined-behaviour and thread sanitizers"
	@echo "make soak           ten thousand frames with all layers: nothing drifts, memory stays flat"
	@echo "make actors         make the files of the folder actors anew (tools/actors)"
	@echo "make fuzz           a brief run of every fuzz target"
	@echo "make setup build format lint clean"

setup:
	@scripts/setup

program: setup
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release
	@cmake --build $(BUILD) -j $(JOBS) --target cutis_program

# The program, cutis-farm, which `cutis farm` starts, and cutis-proofs, which `cutis verify` and `cutis bench` start.
build: program
	@scripts/setup bench
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target cutis_program cutis_farm_program cutis_proofs

# The reader of FBX, which `cutis` starts where it is given such a file.
fbx: program
	@scripts/setup fbx
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target cutis_fbx_program

demo: program
	@scripts/demo $(BUILD)/cutis

# Emscripten finds the acorn of Debian's Node.js there, whichever Node.js runs.
live-engine:
	@scripts/setup live
	@[ -f build-wasm/build.ninja ] || NODE_PATH=/usr/share/nodejs emcmake cmake -G Ninja -S apps/live/wasm -B build-wasm >/dev/null
	@NODE_PATH=/usr/share/nodejs cmake --build build-wasm -j $(JOBS)

live: program
	@scripts/setup live
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target cutis_live_program
	@$(MAKE) --no-print-directory live-engine
	@node web/build-live.mjs out/live/index.html --engine build-wasm
	@echo "Open out/live/index.html, or run $(BUILD)/cutis live"

# Everything `ctest` runs; groups of scripts/setup come as arguments.
define build_tests
	@scripts/setup bench test $(1)
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
endef

test:
	$(call build_tests)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error -LE slow

test-slow:
	$(call build_tests,page)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error -L slow

test-live: live
	@scripts/setup page
	@CUTIS_PROGRAM=$(abspath $(BUILD)/cutis) node --test web/test/live.test.mjs

test-peers: program fbx
	@scripts/setup test peers page
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target cutis_program peer_moving_uv peer_details
	@npm --prefix tests/peers test

test-portable:
	@scripts/setup test portable
	@scripts/compile-core clang++
	@scripts/compile-core em++
	@cmake --preset gcc >/dev/null
	@cmake --build build-gcc -j $(JOBS) --target live_tests
	@ctest --test-dir build-gcc -R SameBits --output-on-failure --no-tests=error
	@$(MAKE) --no-print-directory live-engine
	@node --test web/test/same-bits.test.mjs

test-characters: program
	@scripts/setup test
	@scripts/test-characters $(BUILD)/cutis $(BUILD)/characters
	@scripts/odd-characters $(BUILD)/cutis $(BUILD)/odd

test-farm: program
	@scripts/setup farm
	@cmake --build $(BUILD) -j $(JOBS) --target cutis_farm_program
	@tests/farm/run.sh $(BUILD)/cutis $(BUILD)/test-farm

gallery: program
	@scripts/setup page
	@node web/gallery.mjs $(BUILD)/cutis

bench: build
	@$(BUILD)/cutis bench

bench-peers: program
	@scripts/bench-peers $(BUILD)/cutis

compare: build
	@$(BUILD)/cutis bench curve --compare

build-time: setup
	@scripts/build-time

mutate:
	$(call build_tests)
	@scripts/mutate

format:
	@scripts/setup lint
	@git ls-files '*.h' '*.cpp' | xargs -r clang-format -i

lint:
	@scripts/setup bench test lint
	@git ls-files '*.h' '*.cpp' | xargs -r clang-format --dry-run --Werror
	@cmake --preset lint >/dev/null
	@scripts/lint build-lint $(JOBS)

sanitize:
	@scripts/setup test
	@scripts/sanitize $(JOBS)

soak:
	@scripts/setup test
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target soak
	@$(BUILD)/tests/soak

actors: setup
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target make_actors
	@$(BUILD)/tools/actors/make_actors actors

fuzz:
	@scripts/setup fuzz
	@scripts/fuzz $(JOBS)

clean:
	@rm -rf build build-* out

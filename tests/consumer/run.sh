#!/usr/bin/env bash
# Installs the built library into a scratch folder, then builds and runs the outside project against it.
#   run.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/installed" >/dev/null
cmake -S "$2" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$scratch/installed" >/dev/null
cmake --build "$scratch/build"
"$scratch/build/consumer"
"$scratch/build/own_layer"

#!/usr/bin/env bash
# Public headers compile: `together`, all in one file in either order (no two clash), or `alone`, each by itself.
#   run.sh together|alone COMPILER PROJECT_FOLDER EIGEN_FOLDER
set -euo pipefail
which=$1
compiler=$2
project=$3
eigen=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$project/include"
mapfile -t headers < <(find cutis -name '*.h' | LC_ALL=C sort)
[ "${#headers[@]}" -gt 0 ] || { echo "no public headers below $PWD" >&2; exit 1; }
if [ "$which" = alone ]; then
    for header in "${headers[@]}"; do
        echo "#include \"$header\"" >"$work/alone_${header//\//_}.cpp"
    done
else
    printf '#include "%s"\n' "${headers[@]}" >"$work/all.cpp"
    tac "$work/all.cpp" >"$work/all_reversed.cpp"
fi
export command="$compiler -std=c++20 -fsyntax-only -Wall -Wextra -Wno-psabi -Werror -I$project/include -isystem $eigen"
failed=0
find "$work" -name '*.cpp' | LC_ALL=C sort | xargs -P "$(nproc)" -I{} bash -c '$command {} || { echo "does not compile: $(basename {})" >&2; exit 1; }' || failed=1
[ "$failed" -eq 0 ] || exit 1
echo "${#headers[@]} public headers compile $which"

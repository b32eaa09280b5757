#!/usr/bin/env bash
# Every public header compiles by itself, and all of them together in either order: no two clash.
#   run.sh COMPILER PROJECT_FOLDER EIGEN_FOLDER
set -euo pipefail
compiler=$1
project=$2
eigen=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$project/include"
mapfile -t headers < <(find cutis -name '*.h' | LC_ALL=C sort)
[ "${#headers[@]}" -gt 0 ] || { echo "no public headers below $PWD" >&2; exit 1; }
for header in "${headers[@]}"; do
    echo "#include \"$header\"" >"$work/alone_${header//\//_}.cpp"
done
printf '#include "%s"\n' "${headers[@]}" >"$work/all.cpp"
tac "$work/all.cpp" >"$work/all_reversed.cpp"
export command="$compiler -std=c++20 -fsyntax-only -Wall -Wextra -Wno-psabi -Werror -I$project/include -isystem $eigen"
failed=0
find "$work" -name '*.cpp' | LC_ALL=C sort | xargs -P "$(nproc)" -I{} bash -c '$command {} || { echo "does not compile: $(basename {})" >&2; exit 1; }' || failed=1
[ "$failed" -eq 0 ] || exit 1
echo "${#headers[@]} public headers compile alone and together"

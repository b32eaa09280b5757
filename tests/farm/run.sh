#!/usr/bin/env bash
# The farm beyond unit tests: large plans, killed processes, Python's executors, Slurm. Every wait in it has a limit.
#   run.sh PROGRAM FOLDER     smaller: CUTIS_FARM_TASKS, CUTIS_FARM_FULL_SECONDS, CUTIS_FARM_KILLS, CUTIS_FARM_LARGE
set -euo pipefail
export CUTIS_PROGRAM=$1 PYTHONDONTWRITEBYTECODE=1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "test-farm: hosts of the cluster are network namespaces; run it as root" >&2; exit 1; }
    root=(sudo --preserve-env)
fi
mkdir -p "$folder"
venv=$folder/venv
if ! cmp -s "$here/requirements.txt" "$venv/installed"; then
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    timeout 300 "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/installed"
fi
echo "== plans of any size"
/usr/bin/python3 "$here/scale_test.py" "$folder/scale"
echo "== processes killed at random moments"
/usr/bin/python3 "$here/local_test.py" "$folder/local"
echo "== Python's executors"
"$venv/bin/python" "$here/executors_test.py" "$folder/executors"
echo "== Slurm"
"${root[@]}" /usr/bin/python3 "$here/slurm_test.py" "$folder/slurm"

#!/usr/bin/env bash
# Runs every `build/cutis ...` line of the shell blocks in README.md and docs/, in a scratch folder with a character and the scenes
# those pages show. A command that fails, or a scene that is refused, fails the test.
#   run_examples.sh PROGRAM SOURCE_FOLDER
set -euo pipefail
program=$1
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir build
ln -s "$program" build/cutis
build/cutis convert actor:cylinder character.glb >/dev/null

# block PAGE LANGUAGE: the fenced blocks of that language; a line of dashes ends each.
blocks() { awk -v fence="\`\`\`$2" '$0 == fence { on = 1; next } on && /^```/ { on = 0; print "-----"; next } on' "$1"; }

first_scene() { blocks "$1" toml | sed '/^-----$/,$d'; }
first_scene "$source/README.md" >shot.toml
first_scene "$source/docs/scene.md" >scene.toml
first_scene "$source/docs/stack.md" >stack.toml

count=0
for page in "$source/README.md" "$source"/docs/*.md; do
    while IFS= read -r line; do
        case "$line" in
            build/cutis*)
                echo "$(basename "$page"): $line"
                command=${line%%  #*}
                # `verify` takes a minute a layer and is run by tests of its own (VerifyOf): here only that there is such a verb.
                [[ $command != *" verify "* ]] || command="$command --help"
                bash -c "$command" >log 2>&1 || { cat log; echo "failed: $line"; exit 1; }
                count=$((count + 1)) ;;
        esac
    done < <(blocks "$page" sh)
done
[ "$count" -ge 10 ] || { echo "only $count commands found: are the pages still there?"; exit 1; }
echo "$count commands of the documentation ran"

#!/usr/bin/env bash
# Runs every `build/cutis ...` line of the shell blocks in README.md and docs/, in a scratch folder with a character and the scenes
# those pages show, and bakes the first frames of every whole scene on a built-in character. A command that fails, or a scene that is
# refused, fails the test.
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
scenes=0
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
    # A block that begins with a body and its actor is a whole scene.
    rm -rf scenes && mkdir scenes
    blocks "$page" toml | awk '/^-----$/ { n++; next } { print > ("scenes/" n + 0 ".block") }'
    for block in scenes/*.block; do
        [ -e "$block" ] || continue
        [ "$(head -n 2 "$block" | cut -d= -f1 | tr -d ' \n')" = "[body]actor" ] || continue
        cp "$block" recipe.toml
        build/cutis bake recipe.toml -o out/recipe --frames 1-3 >log 2>&1 || { cat "$block" log; echo "$page: a scene failed"; exit 1; }
        scenes=$((scenes + 1))
    done
done
[ "$count" -ge 10 ] || { echo "only $count commands found: are the pages still there?"; exit 1; }
[ "$scenes" -ge 9 ] || { echo "only $scenes scenes found: are the recipes still there?"; exit 1; }
echo "$count commands and $scenes scenes of the documentation ran"

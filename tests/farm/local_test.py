#!/usr/bin/env python3
"""The farm on processes of one machine, killed again and again: results must be one machine's, byte for byte.
   local_test.py FOLDER      CUTIS_FARM_KILLS: how often (50)"""
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from shots import (PROGRAM, bake_on_one_machine, compare, cutis, farm_processes, fresh_folder, limit_run, number_from, say,
                   plan_shots, status, write_shots)

KILLS = number_from("CUTIS_FARM_KILLS", 50)
limit_run(900)
random.seed(7)
folder = fresh_folder(sys.argv[1])
plan = folder / "plan"


def submit():
    return subprocess.Popen([PROGRAM, "farm", "submit", str(plan), "--jobs", "3", "--checkpoint", "0.05", "--tries", "60",
                             "--stale", "5"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_at_random(kills):
    """Workers, bakes or the engine itself, at moments nobody chose, until there were enough or the plan is over."""
    engine = submit()
    while kills.total() < KILLS:
        time.sleep(random.uniform(0.01, 0.4))
        if engine.poll() is not None:
            if status(plan)["waiting"] == 0:
                return
            engine = submit()
            continue
        found = farm_processes(plan)
        if found:
            process, above, words = random.choice(found)
            try:
                os.kill(process, signal.SIGKILL)
                kills["engine" if words[1] == "submit" else "bake" if above == words else "worker"] += 1
            except OSError:
                pass
    engine.wait(600)


def finish_and_check(tasks):
    """What was killed is tried again; every task then has one result, and all of them are those of one machine."""
    for _ in range(3):
        cutis("farm", "retry", plan)
        cutis("farm", "submit", plan, "--jobs", 2, "--stale", 5, check=False, timeout=600)
    now = status(plan)
    assert now["failed"] == 1 and now["blocked"] == 3 and now["done"] == tasks - 4, now
    assert now["failures"][0]["shot"] == "bad"
    done = [path.parent.name for path in (plan / "done").rglob("report")]
    wanted = {line[:16] for line in next(plan.glob("tasks.*")).read_text().splitlines()}  # some are of the same content
    assert len(done) == len(set(done)) == len(wanted) - 4, f"every task has one result: {len(done)} for {len(wanted)}"
    left = [path for kind in ("work", "claims") for path in (plan / kind).rglob("*") if path.is_file()]
    assert len(left) <= 2 * KILLS, f"{len(left)} files of killed tries are left"
    say(f"{now['done']} done, 1 failed as it must; {len(left)} files of killed tries are left")
    cutis("farm", "collect", plan, "-o", folder / "results", check=False)
    say(f"{compare(folder / 'results', folder / 'one', scenes)} files are those of one machine, byte for byte")


scenes = write_shots(folder / "shots", 120)
bake_on_one_machine(folder / "shots", scenes, folder / "one")
kills = collections.Counter()
while kills.total() < KILLS:  # a fast machine ends a plan before that: another one is planned, and killed as well
    before = kills.total()
    for of_last_round in (plan, folder / "results"):
        shutil.rmtree(of_last_round, ignore_errors=True)
    tasks = plan_shots(folder / "shots", plan)
    kill_at_random(kills)
    say(f"killed {kills['worker']} workers, {kills['bake']} bakes and {kills['engine']} engines; {status(plan)['done']} done")
    assert kills.total() > before, "a whole plan went by without one kill"
    finish_and_check(tasks)

#!/usr/bin/env python3
"""A large plan: what planning, looking and a task cost, and that a task's cost does not grow with the plan.
   scale_test.py FOLDER      CUTIS_FARM_LARGE: tasks of the largest plan (100000)"""
import os
import shutil
import subprocess
import sys

from shots import PROGRAM, fresh_folder, limit_run, number_from, status

LARGE = number_from("CUTIS_FARM_LARGE", 100000)
limit_run(1200)
folder = fresh_folder(sys.argv[1])
SCENE = """[body]
actor = "torus"
clip = "bulge"
[[layer]]
kind = "slide"
damping = {damping}
[output]
formats = ["pc2"]
last_frame = 5
[wedge]
slide.stickiness = [{values}]
"""


def cost(*words, check=True):
    """Processor seconds and peak memory (MB) of one call."""
    process = subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read()
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = code
    assert not check or code == 0, error
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def median(values):
    return sorted(values)[len(values) // 2]


def plan_of(tasks):
    scenes = folder / f"scenes{tasks}"
    scenes.mkdir(parents=True)
    each = min(tasks, 1000)
    values = ", ".join(f"{0.9 * (k + 1) / each:.5f}" for k in range(each))
    for i in range(tasks // each):
        (scenes / f"s{i:04}.toml").write_text(SCENE.format(damping=1.0 + 0.001 * i, values=values))
    plan = folder / f"plan{tasks}"
    seconds, memory = cost("farm", "plan", scenes, "-o", plan)
    return plan, seconds, memory


alone = folder / "alone.toml"
alone.write_text(SCENE.format(damping=1.0, values="0.5").split("[wedge]")[0])
alone.write_text(alone.read_text().replace('["pc2"]', '["pc2", "html"]'))
bake = median([cost("bake", alone, "-o", folder / f"one{i}", "--threads", 1)[0] for i in range(5)])
sizes = sorted({100, min(10000, LARGE), LARGE})
rows = []
for size in sizes:
    plan, seconds, memory = plan_of(size)
    # Plans in which much is done are as quick: the second half is.
    for line in next(plan.glob("tasks.*")).read_text().split("\n")[size // 2:size]:
        task = plan / "done" / line[:2] / line[:16]
        task.mkdir(parents=True)
        (task / "report").write_text("cutis farm task\nseconds: 0.2\n")
    look, look_memory = cost("farm", "status", plan)
    assert status(plan)["done"] == size - size // 2
    tasks = [cost("farm", "run", plan, "--task", int(k * (size - 2) / 16), "--threads", 1)[0] for k in range(9)]
    rows.append((size, seconds, memory, look, look_memory, median(tasks), median(tasks) - bake))
    print("%7d tasks: planned in %.2f s and %.0f MB, status %.2f s and %.0f MB, a task %.3f s, %.3f s more than its bake"
          % rows[-1], flush=True)
    shutil.rmtree(plan)
largest = rows[-1]
assert largest[1] < 10 and largest[2] < 200, "planning"
assert largest[3] < 3, "status"
assert all(row[6] < 0.3 for row in rows), "overhead of a task"
assert max(row[5] for row in rows) < 1.5 * min(row[5] for row in rows) + 0.02, "a task costs the same in any plan"

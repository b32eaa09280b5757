#!/usr/bin/env python3
"""The farm on a real Slurm with everything going wrong: results must be one machine's, byte for byte.
   slurm_test.py FOLDER      CUTIS_FARM_TASKS: how many tasks (200), CUTIS_FARM_FULL_SECONDS: how long the disk is full (60)"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

from cluster import Cluster
from shots import (CHAIN, PROGRAM, bake_on_one_machine, compare, cutis, farm_processes, fresh_folder, limit_run, number_from,
                   plan_shots, say, sh, status, wait_for, write_shots)

TASKS = number_from("CUTIS_FARM_TASKS", 200)
FULL = number_from("CUTIS_FARM_FULL_SECONDS", 60)
WAIT = 60 + 2 * TASKS  # seconds for any step: a task takes a second or two here
folder = pathlib.Path(sys.argv[1]).absolute()
disk = folder / "disk"
plan = disk / "plan"
long_plan = folder / "long-plan"

LONG = CHAIN.format(value=0.5).replace("last_frame = 20", "last_frame = 3000")


def prepare():
    """A disk of its own, small enough to be filled."""
    sh("umount", "-l", disk, check=False)
    fresh_folder(folder)
    disk.mkdir()
    sh("mount", "-t", "tmpfs", "-o", "size=400m", "cutisfarm", disk)


def wait_for_share(share, tasks):
    done = wait_for(lambda: max(0, status(plan)["done"] - share * tasks + 1), WAIT, f"{share:.0%} of the tasks to be done")
    say(f"{done + share * tasks - 1:.0f} of {tasks} tasks done")


def hold_bake(nodes):
    """A bake of Slurm's stands still, as if a device did not answer. Returns its node."""
    hosts = {os.readlink(f"/proc/{node.first}/ns/uts"): node for node in nodes}

    def stop():
        for process, above, words in farm_processes(plan):
            try:
                host = os.readlink(f"/proc/{process}/ns/uts")
                if "--list" in words and above == words and host in hosts:
                    os.kill(process, signal.SIGSTOP)
                    time.sleep(0.05)
                    if pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] in "tT":
                        return hosts[host]
            except OSError:
                pass
        return None
    return wait_for(stop, WAIT, f"a bake on {' or '.join(node.name for node in nodes)}", 0.02)


def kill_node(node):
    hold_bake([node])
    node.die()
    say(f"node {node.name} died at work")


def preempt(farm, node):
    """An urgent job takes a node: what runs there goes back into the queue."""
    before = farm.log().count("Requeuing JobId")
    hold_bake([node])
    farm.command("sbatch", f"--nodelist={node.name}", "--partition=urgent", "--exclusive", "--output=/dev/null", "--wrap",
                 "sleep 3")
    wait_for(lambda: farm.log().count("Requeuing JobId") > before and "DUE TO PREEMPTION" in words_of_logs(plan), WAIT,
             "a job to be preempted")
    say(f"an urgent job preempted what ran on {node.name}")


def fill(file):
    for size in (65536, 1):
        try:
            while True:
                file.write(b"x" * size)
        except OSError:
            pass


def plan_on_a_full_disk():
    small = fresh_folder(folder / "small")
    sh("mount", "-t", "tmpfs", "-o", "size=64k", "cutisfarm", small)
    with open(small / "filler", "wb", buffering=0) as file:
        fill(file)
    refused = cutis("farm", "plan", disk / "shots/chain000.toml", "-o", small / "plan", check=False)
    left = os.listdir(small)
    sh("umount", "-l", small)
    assert refused.returncode == 1 and "No space left on device" in refused.stderr, refused.stderr
    assert left == ["filler"], f"nothing half-written: {left}"


def fill_disk(farm):
    cutis("farm", "plan", disk / "shots/chain000.toml", "-o", disk / "full")
    filler = disk / "filler"
    with open(filler, "wb", buffering=0) as file:
        fill(file)
        say("the disk is full")
        told = folder / "full.log"
        with open(told, "w") as log:
            worker = farm.nodes[0].start(PROGRAM, "farm", "run", disk / "full", "--task", 0, stdout=log, stderr=log)
        time.sleep(FULL)
        wait_for(lambda: "No space left on device); make room there; trying again" in told.read_text(), 30, "a worker that waits for room")
        filler.unlink()
    say("the disk has room again")
    worker.wait(60)
    assert status(disk / "full")["complete"], told.read_text()


def two_workers(nodes, tasks):
    """The same tasks by hand on two nodes at once, beside Slurm."""
    say("two workers take the same tasks beside Slurm")
    return [node.start(PROGRAM, "farm", "run", plan, "--task", f"{tasks[0]}-{tasks[-1]}", "--threads", 1, "--stale", 10,
                       "--hang", 6, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for node in nodes]


def submit(farm, which, *flags):
    done = farm.command(PROGRAM, "farm", "submit", which, "--engine", "slurm", "--stale", 10, "--partition=main", *flags)
    say(done.stdout.strip().replace("\n", "\n           "))


def submit_long(farm):
    """A shot that takes longer than its time limit of a minute: it stands still until Slurm has sent its signal."""
    (folder / "long.toml").write_text(LONG)
    cutis("farm", "plan", folder / "long.toml", "-o", long_plan)
    submit(farm, long_plan, "--minutes", 1, "--checkpoint", 1, "--signal=B:TERM@50")
    bakes = wait_for(lambda: [one for one in farm_processes(long_plan) if one[1] == one[2]], WAIT, "the long shot to begin", 0.02)
    time.sleep(0.5)
    os.kill(bakes[0][0], signal.SIGSTOP)

    def go_on():
        try:
            os.kill(bakes[0][0], signal.SIGCONT)
        except OSError:
            pass
    later = threading.Timer(45, go_on)  # Slurm looks at time limits every half minute
    later.daemon = True
    later.start()


def check_long(farm):
    wait_for(lambda: status(long_plan)["complete"], WAIT, "the shot with a time limit")
    words = words_of_logs(long_plan)
    assert "stopped by a signal" in words, f"its time limit was near: {words}"
    log = next((long_plan / "done").rglob("log")).read_text()
    assert "continues after frame" in log, log
    cutis("farm", "collect", long_plan, "-o", folder / "long")
    cutis("bake", folder / "long.toml", "-o", folder / "long-one", "--threads", 1, timeout=600)
    same = (folder / "long/long/long.pc2").read_bytes() == (folder / "long-one/long.pc2").read_bytes()
    assert same, "what was made in two goes is what was made in one"
    say("a shot whose time limit came near kept a checkpoint and went on from there: the same bytes")


def words_of_logs(which):
    return "".join(path.read_text(errors="replace") for path in (which / "submit").rglob("*.log"))


def finish(farm, tasks):
    def is_over():
        now = status(plan)
        if time.time() - is_over.told > 20:
            is_over.told = time.time()
            say(f"{now['done']} done, {now['running']} running, {now['waiting']} waiting, {now['failed']} failed, "
                f"{now['blocked']} blocked; {len(farm.jobs())} jobs")
        return (now["waiting"] == 0 and now["running"] == 0) or not farm.jobs()
    is_over.told = time.time()
    wait_for(is_over, WAIT, "the end")
    now = status(plan)
    say(f"{now['done']} done, {now['failed']} failed, {now['blocked']} blocked, {now['waiting']} waiting")
    assert now["waiting"] == 0 and now["running"] == 0, f"nothing is lost: {now}"
    assert now["failed"] == 1 and now["blocked"] == 3, f"one scene fails, and only what waits for it: {now}"
    failure = now["failures"][0]
    assert failure["shot"] == "bad" and "nowhere" in failure["message"], failure
    assert now["done"] == tasks - 4, now


def go_wrong(farm, tasks):
    n1, n2, n3 = farm.nodes
    submit_long(farm)
    submit(farm, plan, "--hang", 6, "--comment=proof")
    assert "proof" in farm.command("squeue", "-h", "-o", "%k").stdout, "flags of sbatch are passed on"
    wait_for_share(0.05, tasks)
    twice = two_workers((n1, n3), range(tasks - 12, tasks - 4))
    kill_node(n2)
    wait_for_share(0.1, tasks)
    say(f"a bake on {hold_bake([n1]).name} hangs")
    farm.restart_controller()
    say("the controller was stopped and started again")
    wait_for_share(0.15, tasks)
    preempt(farm, n3)
    # All hosts have the boot time of this machine: a node that came back sooner would not be asked whether its jobs still run.
    wait_for(lambda: farm.is_down(n2), WAIT, "Slurm to notice the dead node")
    farm.revive_node(n2)
    say(f"node {n2.name} is back")
    wait_for_share(0.3, tasks)
    fill_disk(farm)
    for worker in twice:
        worker.wait(WAIT)
    finish(farm, tasks)
    assert "without a new frame" in words_of_logs(plan), "the task that hung was ended"
    missing_character(farm)
    check_long(farm)


def missing_character(farm):
    """A character that one node does not see."""
    shots = fresh_folder(folder / "characters")
    cutis("convert", "actor:cylinder", shots / "hero.glb")
    (folder / "hero.toml").write_text(f'[body]\nfile = "{shots}/hero.glb"\n[output]\nformats = ["pc2"]\nlast_frame = 3\n')
    other = disk / "other"
    cutis("farm", "plan", folder / "hero.toml", "-o", other)
    node = farm.nodes[2]
    node.run("mount", "-t", "tmpfs", "none", shots)
    failed = node.run(PROGRAM, "farm", "run", other, "--task", 0, check=False)
    assert failed.returncode == 75 and "n3: " in failed.stderr and "hero.glb" in failed.stderr, failed.stderr
    assert "mount its folder" in failed.stderr, failed.stderr
    farm.nodes[0].run(PROGRAM, "farm", "run", other, "--task", 0)
    assert status(other)["complete"]
    say("a character missing on one node is named with the node; another node does the task")


def run():
    scenes = write_shots(disk / "shots", TASKS)
    tasks = plan_shots(disk / "shots", plan)
    plan_on_a_full_disk()
    farm = Cluster(folder / "slurm")
    try:
        say(f"Slurm is up: a controller and {len(farm.nodes)} nodes")
        go_wrong(farm, tasks)
    except BaseException:
        print(farm.evidence())
        for path in sorted((plan / "submit").rglob("*.log"), key=lambda p: p.stat().st_mtime)[-6:]:
            print(f"== {path.name}\n{path.read_text(errors='replace')[-1500:]}")
        print(json.dumps(status(plan), indent=1)[:4000], flush=True)
        raise
    finally:
        farm.stop()
    leftovers = [str(p) for p in plan.rglob("*.part*")] + [str(p) for p in (plan / "done").rglob("now.*")]
    assert not leftovers, leftovers
    collected = json.loads(cutis("farm", "collect", plan, "-o", folder / "results", "--json", check=False).stdout)
    assert collected["missing"] == 1, collected
    bake_on_one_machine(disk / "shots", scenes, folder / "one")
    say(f"{compare(folder / 'results', folder / 'one', scenes)} files are those of one machine, byte for byte")


limit_run(600 + 10 * TASKS)
prepare()
try:
    run()
finally:
    sh("umount", "-l", disk, check=False)

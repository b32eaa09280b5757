#!/usr/bin/env python3
"""Tasks from Python: anything with `submit` in the manner of concurrent.futures runs a plan by calling the program.
   executors_test.py FOLDER"""
import concurrent.futures
import sys

from shots import (PROGRAM, bake_on_one_machine, compare, cutis, fresh_folder, limit_run, plan_shots, say, status,
                   write_shots)


def run_task(program, plan, task):
    """What docs/farm.md shows."""
    import subprocess
    return subprocess.run([program, "farm", "run", plan, "--task", str(task), "--threads", "1"], check=True).returncode


def check(name, folder, scenes, run_all):
    plan = folder / name
    tasks = plan_shots(folder / "shots", plan)
    run_all(plan, tasks)
    assert status(plan)["complete"], status(plan)
    cutis("farm", "collect", plan, "-o", folder / f"{name}-results")
    say(f"{name}: {tasks} tasks, {compare(folder / f'{name}-results', folder / 'one', scenes)} files as of one machine")


def with_futures(plan, tasks):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert not any(pool.map(lambda task: run_task(PROGRAM, str(plan), task), range(tasks)))


def with_dask(plan, tasks):
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        futures = client.map(lambda task: run_task(PROGRAM, str(plan), task), range(tasks), pure=False)
        assert not any(client.gather(futures))


def with_submitit(plan, tasks):
    import submitit
    executor = submitit.AutoExecutor(folder=str(plan) + "-submitit", cluster="local")
    executor.update_parameters(timeout_min=10)
    shots = range(tasks)
    jobs = [executor.submit(run_task, PROGRAM, str(plan), task) for task in shots]
    assert not any(job.result() for job in jobs)


def main():
    limit_run(600)
    folder = fresh_folder(sys.argv[1])
    scenes = write_shots(folder / "shots", 12, has_bad=False)
    bake_on_one_machine(folder / "shots", scenes, folder / "one")
    for name, run_all in (("futures", with_futures), ("dask", with_dask), ("submitit", with_submitit)):
        check(name, folder, scenes, run_all)


if __name__ == "__main__":
    main()

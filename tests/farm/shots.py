"""What the farm's tests share: scenes of every kind a plan knows, what one machine makes of them, waits with a limit."""
import filecmp
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = str(pathlib.Path(os.environ.get("CUTIS_PROGRAM", "build/cutis")).absolute())
BEGIN = time.time()

CHAIN = """[body]
actor = "torus"
clip = "bulge"
[[layer]]
kind = "slide"
stickiness = {value}
[output]
formats = ["pc2"]
last_frame = 20
"""
WEDGE = CHAIN.replace("last_frame = 20", "last_frame = 5\n[output.html]\ntimes = false") + """[wedge]
slide.damping = [{list}]
"""
STATELESS = """[body]
actor = "cylinder"
[output]
formats = ["npz"]
first_frame = 2
last_frame = {last}
"""
BAD = CHAIN.replace('kind = "slide"', 'kind = "slide"\nregion = "nowhere"')


def say(text):
    print(f"[{time.time() - BEGIN:6.1f} s] {text}", flush=True)


def number_from(name, usual):
    """A number that the environment may choose."""
    return int(os.environ.get(name) or usual)


def fresh_folder(path):
    folder = pathlib.Path(path).absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def limit_run(seconds):
    """Whatever happens, the test ends: by an error that says where it stood."""
    def late(*_):
        raise RuntimeError(f"not over after {seconds} s")
    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))



def wait_for(condition, seconds, what, pause=0.25):
    """What the condition gives as soon as that is true; an error when the time is over."""
    end = time.time() + seconds
    while time.time() < end:
        found = condition()
        if found:
            return found
        time.sleep(pause)
    raise RuntimeError(f"waited {seconds} s for {what}")


def sh(*words, check=True, timeout=120, **options):
    """Its words go to files, not pipes: those it leaves behind would hold a pipe open for ever."""
    words = [str(word) for word in words]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True, **options)
        try:
            process.wait(timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
            raise
        for file in (out, err):
            file.seek(0)
        done = subprocess.CompletedProcess(words, process.returncode, out.read(), err.read())
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.returncode} {done.stderr}{done.stdout}")
    return done


def cutis(*words, **options):
    return sh(PROGRAM, *words, **options)


def plan_shots(shots, plan):
    report = json.loads(cutis("farm", "plan", shots, "-o", plan, "--chunk", 5, "--json").stdout)
    say(f"{report['tasks']} tasks of {report['shots']} shots planned")
    return report["tasks"]


def farm_processes(plan):
    """(process, its parent's command, own command) of all at work on a plan, those that bake for them among them."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if str(plan) not in words or not words[0].endswith("/cutis-farm"):
                    continue
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                above = pathlib.Path(f"/proc/{parent}/cmdline").read_bytes().decode(errors="replace").split("\0")
            except (OSError, IndexError):
                continue
            found.append((int(entry.name), above, words))
    return found


def status(plan):
    return json.loads(cutis("farm", "status", plan, "--json").stdout)


def write_shots(folder, tasks, has_bad=True):
    """About `tasks` tasks when planned with --chunk 5: chains of four, combinations of wedges, parts with a join."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    scenes = []

    def add(name, text):
        (folder / f"{name}.toml").write_text(text)
        scenes.append(name)

    chains = max(1, tasks * 2 // 5 // 4)
    for i in range(chains):
        add(f"chain{i:03}", CHAIN.format(value=round(0.1 + 0.8 * i / chains, 4)))
    stateless = max(1, tasks // 5 // 5)
    for i in range(stateless):
        add(f"still{i:03}", STATELESS.format(last=21 - i % 3))
    rest = tasks - 4 * chains - 5 * stateless - (4 if has_bad else 0)
    number = 0
    while rest > 0:
        count = min(10, rest)
        values = ", ".join(f"{1.0 + 0.1 * k + 0.001 * number:.4f}" for k in range(count))
        add(f"wedge{number:03}", WEDGE.format(value=0.5, list=values))
        rest -= count
        number += 1
    if has_bad:
        add("bad", BAD.format(value=0.5))
    return scenes


def bake_on_one_machine(shots, scenes, out):
    for name in scenes:
        if name != "bad":
            cutis("bake", pathlib.Path(shots) / f"{name}.toml", "-o", pathlib.Path(out) / name, "--threads", 1)


def compare(collected, out, scenes):
    """Every file of one machine's bake, byte for byte. Returns how many."""
    count = 0
    for name in scenes:
        if name == "bad":
            continue
        base = pathlib.Path(out) / name
        for path in sorted(base.rglob("*")):
            if path.is_file():
                other = pathlib.Path(collected) / name / path.relative_to(base)
                assert other.exists(), f"{other} is missing"
                assert filecmp.cmp(path, other, shallow=False), f"{other} differs from one machine's"
                count += 1
    assert count > 0
    return count

"""A Slurm cluster on one machine: a controller and nodes, each a host of its own (network, name, processes, mounts)."""
import os
import pathlib
import signal
import subprocess
import time

from shots import fresh_folder, sh, wait_for

BRIDGE = "cutisfarm0"
FIRST = "import signal, time; signal.signal(signal.SIGCHLD, signal.SIG_IGN); time.sleep(100000)"


class Host:
    """One machine: its first process holds its namespaces; when that is killed, everything on it dies."""

    def __init__(self, name, number):
        self.name, self.address = name, f"10.207.0.{number}"
        self.netns = f"cutisfarm-{name}"
        self.veth = f"cfarm{number}"
        sh("ip", "netns", "add", self.netns)
        sh("ip", "link", "add", self.veth, "type", "veth", "peer", "name", "eth0", "netns", self.netns)
        sh("ip", "link", "set", self.veth, "master", BRIDGE, "up")
        for words in (["addr", "add", f"{self.address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                      ["link", "set", "lo", "up"]):
            sh("ip", "netns", "exec", self.netns, "ip", *words)
        self.boot()

    def boot(self):
        # The first process takes in what others leave behind: it ignores their end, so that the kernel buries them.
        self.outer = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{self.netns}", "unshare", "--uts", "--mount", "--pid", "--fork", "--kill-child",
             "--mount-proc", "--propagation", "private", "sh", "-c", f"hostname {self.name}; exec /usr/bin/python3 -c '{FIRST}'"], stderr=subprocess.DEVNULL)

        def first_process():
            found = sh("ps", "-o", "pid=,args=", "--ppid", self.outer.pid, check=False).stdout.split("\n")
            return [int(line.split()[0]) for line in found if line.strip().endswith(FIRST)]

        self.first = wait_for(first_process, 20, f"the host {self.name} to start", 0.05)[0]

    def words(self, *words):
        return ["nsenter", "--target", str(self.first), "--uts", "--mount", "--pid", "--net", *map(str, words)]

    def run(self, *words, **options):
        return sh(*self.words(*words), **options)

    def start(self, *words, **options):
        return subprocess.Popen(self.words(*words), stdin=subprocess.DEVNULL, **options)

    def die(self):
        os.kill(self.first, signal.SIGKILL)
        self.outer.wait(20)

    def remove(self):
        if self.outer.poll() is None:
            self.die()
        sh("ip", "netns", "del", self.netns, check=False)
        sh("ip", "link", "del", self.veth, check=False)


class Cluster:
    """`folder` is seen by all hosts."""

    def __init__(self, folder, nodes=3, cpus=2):
        self.folder = pathlib.Path(folder).absolute()
        self.cpus = cpus
        self.hosts = []
        self.sweep()
        fresh_folder(self.folder)
        try:
            sh("ip", "link", "add", BRIDGE, "type", "bridge")
            sh("ip", "link", "set", BRIDGE, "up")
            self.start_munge()
            self.controller = self.add(Host("ctl", 10))
            self.nodes = [self.add(Host(f"n{i}", 10 + i)) for i in range(1, nodes + 1)]
            self.write_configuration()
            self.start_controller()
            for node in self.nodes:
                self.start_node(node)
            wait_for(lambda: self.idle() == len(self.nodes), 60, "nodes to come up")
        except BaseException:
            print(self.evidence(), flush=True)
            self.stop()
            raise

    def add(self, host):
        self.hosts.append(host)
        return host

    def sweep(self):
        """What a killed test left behind."""
        self.stop_munge()
        for line in sh("ip", "netns", "list", check=False).stdout.split("\n"):
            if line.startswith("cutisfarm-"):
                name = line.split()[0]
                for process in sh("ip", "netns", "pids", name, check=False).stdout.split():
                    try:
                        os.kill(int(process), signal.SIGKILL)
                    except OSError:
                        pass
                sh("ip", "netns", "del", name, check=False)
        for number in range(10, 20):
            sh("ip", "link", "del", f"cfarm{number}", check=False)
        sh("ip", "link", "del", BRIDGE, check=False)

    def start_munge(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.socket = self.folder / "munge.socket"
        sh("/usr/sbin/munged", "--force", f"--key-file={key}", f"--socket={self.socket}",
           f"--pid-file={self.folder / 'munge.pid'}", f"--log-file={self.folder / 'munge.log'}",
           f"--seed-file={self.folder / 'munge.seed'}")

    def stop_munge(self):
        try:
            process = int((self.folder / "munge.pid").read_text())
            if "munged" in pathlib.Path(f"/proc/{process}/cmdline").read_text():
                os.kill(process, signal.SIGTERM)
        except (OSError, ValueError):
            pass

    def write_configuration(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        names = ",".join(n.name for n in self.nodes)
        lines = [
            "ClusterName=cutisfarm", f"SlurmctldHost=ctl({self.controller.address})", "AuthType=auth/munge",
            # How long a job that was put back has to wait: two minutes, unless credentials end sooner.
            f"AuthInfo=socket={self.socket},cred_expire=5", "CryptoType=crypto/munge", "SlurmUser=root", "SlurmdUser=root",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "JobAcctGatherType=jobacct_gather/none",
            "AccountingStorageType=accounting_storage/none", "JobCompType=jobcomp/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core_Memory", "SwitchType=switch/none",
            "MpiDefault=none", "ReturnToService=2", "SlurmdTimeout=10", "SlurmctldTimeout=30", "KillWait=5",
            "BatchStartTimeout=10", "CompleteWait=0", "MessageTimeout=10", "MinJobAge=10", "UnkillableStepTimeout=20",
            "PreemptType=preempt/partition_prio", "PreemptMode=REQUEUE", "SlurmdParameters=config_overrides",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1",
            f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/spool/%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid", f"SlurmdPidFile={self.folder}/slurmd-%n.pid",
            f"SlurmctldLogFile={self.folder}/slurmctld.log", f"SlurmdLogFile={self.folder}/slurmd-%n.log",
        ]
        for node in self.nodes:
            lines.append(f"NodeName={node.name} NodeAddr={node.address} CPUs={self.cpus} RealMemory=8000 State=UNKNOWN")
        lines.append(f"PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP PriorityTier=1 "
                     "PreemptMode=REQUEUE GraceTime=0")
        lines.append(f"PartitionName=urgent Nodes={names} MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF")
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text("\n".join(lines) + "\n")
        self.environment = dict(os.environ, SLURM_CONF=str(self.configuration))

    def start_controller(self):
        self.daemon = self.controller.start("slurmctld", "-D", "-f", self.configuration, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL, env=self.environment)
        wait_for(lambda: "UP" in self.command("scontrol", "ping", check=False).stdout, 30, "the controller")

    def restart_controller(self):
        process = (self.folder / "slurmctld.pid").read_text().strip()
        self.controller.run("kill", process)
        try:
            self.daemon.wait(20)
        except subprocess.TimeoutExpired:  # it waits for nodes that do not answer
            self.controller.run("kill", "-KILL", process, check=False)
            self.daemon.wait(20)
        time.sleep(2)
        self.start_controller()

    def start_node(self, node):
        (self.folder / "spool" / node.name).mkdir(exist_ok=True)
        node.start("slurmd", "-D", "-N", node.name, "-f", self.configuration, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=self.environment)

    def revive_node(self, node):
        node.boot()
        self.start_node(node)

    def command(self, *words, **options):
        """On the controller, as a user would."""
        return self.controller.run(*words, env=self.environment, **options)

    def idle(self):
        done = self.command("sinfo", "-h", "-N", "-p", "main", "-o", "%T", check=False)
        return done.stdout.split().count("idle")

    def is_down(self, node):
        return "State=DOWN" in self.command("scontrol", "show", "node", node.name, check=False).stdout

    def jobs(self):
        """Number, state, node, name and reason of each."""
        text = self.command("squeue", "-h", "-r", "-o", "%i|%t|%N|%j|%r", check=False).stdout
        return [line.split("|") for line in text.split("\n") if line]

    def log(self):
        return (self.folder / "slurmctld.log").read_text(errors="replace")

    def evidence(self):
        """What somebody needs who was not there."""
        text = ""
        for words in (["squeue", "-r"], ["sinfo", "-N", "-l"], ["sinfo", "-R"]):
            try:
                done = self.command(*words, check=False, timeout=20)
                text += f"== {' '.join(words)}\n{done.stdout[-4000:]}{done.stderr[-1000:]}"
            except Exception as error:  # of a cluster that does not answer
                text += f"== {' '.join(words)}: {error}\n"
        for path in sorted(self.folder.glob("*.log")):
            lines = path.read_text(errors="replace").split("\n")
            text += f"== {path.name}, last lines\n" + "\n".join(lines[-25:]) + "\n"
        return text

    def stop(self):
        for host in reversed(self.hosts):
            host.remove()
        self.stop_munge()
        sh("ip", "link", "del", BRIDGE, check=False)

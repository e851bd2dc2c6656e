"""A machine with containers, made of network namespaces: see `Lab` for the plan.

It must itself run in namespaces of its own (run.sh sees to that): this network is the host's, nobody else's, and what
is made here goes away with the last process.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
OWNER = 1000
CONFIG = """
[vault]
path = "/run/lab/home/Notes"

[privacy]
folders = ["Journal", "People/Confidential"]
tags = ["private"]
frontmatter_flag = "private"

[embeddings]
backend = "none"
"""
# What Docker gives a container by default, less what the Compose files drop.
FIREWALL_CAPABILITIES = "-all,+net_admin,+setuid,+setgid,+setpcap"


class Lab:
    """The host is this namespace. Its bridges and what hangs on them:

    agents0    172.30.77.1, fd30:77::1      `box`, an agent, and `spares` like it; `neighbour`, another container
    obsearch0  172.30.90.1                  `inner`, an agent without a way out; `relay`
    outer0     198.51.100.1, 2001:db8:100::1   `world`: the model API at .7, others at .8, a resolver at .53

    `alone` has no interface but its loopback. The host forwards, so that without a firewall everything is open.
    """

    work = Path("/run/lab")
    spares = ("spare1", "spare2", "spare3")

    def __init__(self, binary: Path, project: Path):
        self._started: list[subprocess.Popen] = []
        python = Path(sys.base_prefix)
        self._python = f"{python}/bin/python3"
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
        for folder in ("bin", "python", "home", "socket"):
            (self.work / folder).mkdir(parents=True)
        (self.work / "bin/obsearch").touch()
        run("mount", "--bind", str(binary), str(self.work / "bin/obsearch"))
        run("mount", "--bind", str(python), str(self.work / "python"))
        for file in [HERE / "probe.py", HERE / "listen.py", project / "examples/tier1-sandbox/firewall.sh"]:
            shutil.copy(file, self.work)
        self._networks()
        self._owner(project)

    def _networks(self) -> None:
        run("ip", "link", "set", "lo", "up")
        run("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
        bridge("agents0", "172.30.77.1/24", "fd30:77::1/64")
        bridge("obsearch0", "172.30.90.1/24")
        bridge("outer0", "198.51.100.1/24", "2001:db8:100::1/64")
        for name in ("box", *self.spares, "neighbour", "inner", "relay", "world", "alone"):
            namespace(name)
        plug("box", "agents0", ["172.30.77.2/24", "fd30:77::2/64"], ["172.30.77.1", "fd30:77::1"])
        for last, name in enumerate(self.spares, start=3):
            plug(name, "agents0", [f"172.30.77.{last}/24", f"fd30:77::{last}/64"], ["172.30.77.1", "fd30:77::1"])
        plug("neighbour", "agents0", ["172.30.77.9/24", "fd30:77::9/64"], ["172.30.77.1", "fd30:77::1"])
        plug("inner", "obsearch0", ["172.30.90.2/24"], [])
        plug("relay", "obsearch0", ["172.30.90.3/24"], [])
        plug("relay", "outer0", ["198.51.100.3/24"], ["198.51.100.1"])
        addresses = [f"198.51.100.{last}/24" for last in (7, 8, 53)] + [f"2001:db8:100::{last}/64" for last in (7, 53)]
        plug("world", "outer0", addresses, ["198.51.100.1", "2001:db8:100::1"])

    def _owner(self, project: Path) -> None:
        """The owner's home: a vault, a configuration, an index, none of which a container sees."""
        home = self.work / "home"
        shutil.copytree(project / "examples/vault", home / "Notes")
        config = home / ".config/obsearch/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(CONFIG)
        config.chmod(0o600)
        run("chown", "-R", f"{OWNER}:{OWNER}", str(home), str(self.work / "socket"))
        for folder in (home, home / ".config", config.parent, self.work / "socket"):
            folder.chmod(0o700)
        self.obsearch("index", "--profile", "public", "--quiet")
        self.token = self.obsearch("token", "new", "sandbox").strip()

    def owner(self, home: Path | None = None) -> list[str]:
        """The start of a command that runs as the owner, outside of all containers."""
        home = home or self.work / "home"
        user = ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups"]
        return [*user, "env", "-i", f"PATH={os.environ['PATH']}", f"HOME={home}"]

    def obsearch(self, *arguments: str) -> str:
        return run(*self.owner(), str(self.work / "bin/obsearch"), *arguments)

    def serve(self, *arguments: str) -> str:
        """Starts a server of the owner's; gives the line in which it says who can reach it."""
        command = [*self.owner(), str(self.work / "bin/obsearch"), "serve", *arguments]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._started.append(server)
        return server.stderr.readline()

    def start(self, name: str | None, *command: str) -> None:
        """Starts something that runs until the end, in a namespace or on the host."""
        self._started.append(subprocess.Popen([*inside(name), *command], stdout=subprocess.DEVNULL))

    def listen(self, name: str | None, *places: str) -> None:
        command = [*inside(name), self._python, str(self.work / "listen.py"), *places]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._started.append(server)
        if server.stdout.readline() != "ready\n":
            raise RuntimeError(f"cannot listen on {places}")

    def container(self, name: str, command: list[str], **how) -> subprocess.CompletedProcess:
        """Runs a command as Docker would run a container in this namespace.

        `hosts` and `resolver` are what Docker writes into /etc; `user` None means root with what the firewall's
        entrypoint gets, a number that user with nothing; `mounts` maps places to what is seen there, to be read
        only; `options` are what Docker sets besides; `env` is all of the environment besides PATH.
        """
        script = self._container_script(name, how.get("mounts", {}))
        for file, text in (("hosts", how.get("hosts", "")), ("resolv.conf", how.get("resolver", ""))):
            (self.work / f"{name}.{file}").write_text(text)
        user = how.get("user")
        limits = ["--inh-caps=-all", "--clear-groups", *how.get("options", ["--no-new-privs"])]
        if user is None:
            limits += [f"--bounding-set={FIREWALL_CAPABILITIES}"]
        else:
            limits += [f"--reuid={user}", f"--regid={user}", "--bounding-set=-all"]
        env = {"PATH": how.get("path", os.environ["PATH"]), "HOME": "/tmp"} | how.get("env", {})
        isolated = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-euc", script, "sh"]
        clean = ["env", "-i", *(f"{key}={value}" for key, value in env.items())]
        full = [*inside(name), *isolated, "setpriv", *limits, "--", *clean, *command]
        return subprocess.run(full, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def _container_script(self, name: str, mounts: dict[str, str]) -> str:
        """Gives the container files of its own: no home, no vault, a root that is read only."""
        python, lines = str(Path(sys.base_prefix)), []
        work = str(self.work)
        lines += [f"mount --bind {work}/{name}.{file} /etc/{file}" for file in ("hosts", "resolv.conf")]
        lines += ["mount -t tmpfs -o mode=755 tmpfs /mnt"]
        for place, source in mounts.items():
            lines += [f"mkdir -p {place}", f"mount --bind {source} {place}", f"mount -o remount,bind,ro {place}"]
        home = str(Path.home())
        if python.startswith(home + "/"):
            lines += [f"mount -t tmpfs -o mode=755 tmpfs {home}", f"mkdir -p {python}", f"mount --bind {work}/python {python}"]
        lines += [f"mount -t tmpfs tmpfs {work}/home", f"mount -t tmpfs tmpfs {work}/socket"]
        lines += ["mount -o remount,bind,ro /", 'exec "$@"']
        return "\n".join(lines)

    def agent(self, *probes: list) -> list[str]:
        """The command of an agent that makes these probes."""
        return [self._python, str(self.work / "probe.py"), json.dumps(probes)]

    def close(self) -> None:
        for process in self._started:
            process.kill()
        for process in self._started:
            process.wait()


def outcomes(done: subprocess.CompletedProcess) -> list:
    """What an agent's probes gave; fails if there was no agent."""
    if done.returncode != 0:
        raise RuntimeError(f"the agent did not run: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def inside(name: str | None) -> list[str]:
    return ["ip", "netns", "exec", name] if name else []


def namespace(name: str) -> None:
    run("ip", "netns", "add", name)
    run("ip", "-n", name, "link", "set", "lo", "up")
    # As in a container: everybody may ask for an echo.
    run(*inside(name), "sysctl", "-qw", "net.ipv4.ping_group_range=0 2147483647")


def bridge(name: str, *addresses: str) -> None:
    run("ip", "link", "add", "name", name, "type", "bridge")
    for address in addresses:
        run("ip", "address", "add", address, "dev", name, *nodad(address))
    run("ip", "link", "set", name, "up")


def plug(name: str, into: str, addresses: list[str], gateways: list[str]) -> None:
    """Connects a namespace to a bridge, with addresses and default routes."""
    inner, outer = f"to{into}"[:15], f"{into[:6]}-{name}"[:15]
    run("ip", "link", "add", "name", outer, "type", "veth", "peer", "name", inner, "netns", name)
    run("ip", "link", "set", outer, "master", into, "up")
    run("ip", "-n", name, "link", "set", inner, "up")
    for address in addresses:
        run("ip", "-n", name, "address", "add", address, "dev", inner, *nodad(address))
    for gateway in gateways:
        run("ip", "-n", name, "route", "add", "default", "via", gateway)


def nodad(address: str) -> list[str]:
    """An address that is there at once, without asking whether somebody else has it."""
    return ["nodad"] if ":" in address else []


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def until(condition, what: str) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited for {what}")
        time.sleep(0.05)

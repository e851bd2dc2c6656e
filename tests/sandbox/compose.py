"""Reads the Compose files of the sandbox and refuses whatever would open it; needs no Docker.

    python3 compose.py examples/tier1-sandbox

The rules are a closed list: a key that they do not know is refused, so that a new one is thought about. Each rule
is then shown a file that breaks it.
"""

import copy
import re
import sys
from pathlib import Path

import yaml

from report import Report

# What `.env` holds after setup.sh.
SETTINGS = {
    "OBSEARCH_TOKEN": "obsearch_" + "0" * 64,
    "MODEL_ADDRESS": "198.51.100.7",
    "AGENT_UID": "1000",
    "AGENT_GID": "1000",
    "OBSEARCH_SOCKET_FOLDER": "/home/owner/.local/state/obsearch-sandbox",
}
SERVICE_KEYS = {
    "build", "cap_add", "cap_drop", "command", "cpus", "depends_on", "entrypoint", "environment", "extra_hosts",
    "mem_limit", "memswap_limit", "network_mode", "networks", "pids_limit", "read_only", "restart", "security_opt",
    "stdin_open", "sysctls", "tmpfs", "tty", "user", "volumes",
}  # fmt: skip
NETWORK_KEYS = {"driver", "driver_opts", "internal", "ipam"}
# What the entrypoint needs to close the network and to throw everything away; see compose.yaml.
ENTRYPOINT_CAPABILITIES = {"NET_ADMIN", "SETUID", "SETGID", "SETPCAP"}
FIREWALL = "/usr/local/sbin/firewall.sh"
PLACEHOLDER = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def resolved(text: str, settings: dict[str, str]) -> str:
    """Puts settings into `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as Compose does."""

    def value(match: re.Match) -> str:
        name, kind, rest = match.groups()
        if settings.get(name):
            return settings[name]
        if kind == "-":
            return rest
        raise KeyError(name)

    return PLACEHOLDER.sub(value, text)


def values(node, settings: dict[str, str]):
    if isinstance(node, str):
        return resolved(node, settings)
    if isinstance(node, list):
        return [values(item, settings) for item in node]
    if isinstance(node, dict):
        return {key: values(item, settings) for key, item in node.items()}
    return node


def problems(document: dict) -> list[str]:
    """Everything that is wrong with a Compose file."""
    found = [f"top: {key}" for key in sorted(set(document) - {"name", "services", "networks", "volumes"})]
    networks = document.get("networks") or {}
    for name, network in networks.items():
        found += [f"network {name}: {key}" for key in sorted(set(network or {}) - NETWORK_KEYS)]
        found += [f"network {name}: not a bridge"] * ((network or {}).get("driver") != "bridge")
    found += [f"volume {name}: options" for name, volume in (document.get("volumes") or {}).items() if volume]
    services = document.get("services") or {}
    if "agent" not in services:
        found.append("no agent")
    for name, service in services.items():
        found += [f"{name}: {problem}" for problem in service_problems(name, service, networks)]
    return found


def service_problems(name: str, service: dict, networks: dict) -> list[str]:
    found = [f"key {key}" for key in sorted(set(service) - SERVICE_KEYS)]
    checks = {
        "capabilities are not dropped": service.get("cap_drop") == ["ALL"],
        "new privileges": service.get("security_opt") == ["no-new-privileges:true"],
        "the root is writable": service.get("read_only") is True,
        "no limit of processes": 0 < service.get("pids_limit", 0) <= 1024,
        "no limit of memory": size(service.get("mem_limit")) > 0,
        "swap beyond the limit of memory": service.get("memswap_limit") == service.get("mem_limit"),
        "network mode": service.get("network_mode", "none") == "none",
        "mounts": all(is_harmless(volume) for volume in service.get("volumes", [])),
        "temporary folders": all(is_small(place) for place in service.get("tmpfs", [])),
        "sysctls": set(service.get("sysctls", {})) <= {"net.ipv4.ip_unprivileged_port_start"},
    }
    found += [problem for problem, holds in checks.items() if not holds]
    return found + privilege_problems(service) + network_problems(name, service, networks)


def privilege_problems(service: dict) -> list[str]:
    """A user of its own and no capability; or root with four, for the firewall and nothing else."""
    user, capabilities = service.get("user", ""), set(service.get("cap_add", []))
    if service.get("entrypoint") == [FIREWALL]:
        agent = [str(service.get("environment", {}).get(name, "")) for name in ("AGENT_UID", "AGENT_GID")]
        is_right = user == "0:0" and capabilities <= ENTRYPOINT_CAPABILITIES
        return [] if is_right and all(is_not_root(number) for number in agent) else ["privileges of the firewall"]
    numbers = str(user).split(":")
    is_own = len(numbers) == 2 and all(is_not_root(number) for number in numbers)
    return ["root"] * (not is_own) + ["capabilities"] * bool(capabilities)


def network_problems(name: str, service: dict, networks: dict) -> list[str]:
    """The agent either has its firewall or is on networks without a way out, alone."""
    joined = list(service.get("networks") or [])
    if service.get("network_mode") == "none":
        return []
    if not joined:
        return ["the default network"]
    if name == "agent" and service.get("entrypoint") != [FIREWALL]:
        return ["a way out"] * any((networks.get(network) or {}).get("internal") is not True for network in joined)
    return []


def is_not_root(number: str) -> bool:
    return number.isdigit() and int(number) > 0


def size(limit: object) -> int:
    match = re.fullmatch(r"(\d+)([mg])", str(limit))
    return int(match[1]) if match else 0


def is_small(place: str) -> bool:
    return place.startswith(("/tmp:", "/home/agent:")) and "size=" in place


def is_harmless(volume: object) -> bool:
    """A volume of Docker's own at /workspace, or the folder of the socket, to be read only."""
    if isinstance(volume, str):
        return re.fullmatch(r"[a-z]+:/workspace", volume) is not None
    return volume == {
        "type": "bind",
        "source": SETTINGS["OBSEARCH_SOCKET_FOLDER"],
        "target": "/run/obsearch",
        "read_only": True,
        "bind": {"create_host_path": False},
    }


# Changes to a good agent, each of which must be found.
OPENINGS = [
    {"volumes": ["/home/owner/Notes:/vault:ro"]},
    {"volumes": ["~/Documents/MyVault:/workspace"]},
    {"volumes": ["${HOME}:/workspace"]},
    {"volumes": ["../..:/workspace"]},
    {"volumes": ["/var/run/docker.sock:/var/run/docker.sock"]},
    {"volumes": ["workspace:/home/agent"]},
    {"volumes": [{"type": "bind", "source": "/home/owner", "target": "/run/obsearch", "read_only": True}]},
    {"cap_drop": []},
    {"cap_drop": ["NET_RAW"]},
    {"cap_add": ["SYS_ADMIN"]},
    {"cap_add": ["NET_ADMIN", "NET_RAW", "SETUID", "SETGID", "SETPCAP"]},
    {"read_only": False},
    {"security_opt": []},
    {"security_opt": ["no-new-privileges:true", "seccomp:unconfined"]},
    {"user": "0:0", "entrypoint": ["tini", "--"]},
    {"user": "root"},
    {"user": None},
    {"pids_limit": -1},
    {"mem_limit": "0"},
    {"memswap_limit": "-1"},
    {"network_mode": "host"},
    {"network_mode": "service:other"},
    {"networks": None},
    {"networks": ["outside"], "entrypoint": ["tini", "--"], "user": "1000:1000", "cap_add": []},
    {"tmpfs": ["/tmp"]},
    {"tmpfs": ["/etc:size=1m"]},
    {"sysctls": {"net.ipv4.ip_forward": 1}},
    {"privileged": True},
    {"ports": ["9000:9000"]},
    {"expose": ["9000"]},
    {"pid": "host"},
    {"ipc": "host"},
    {"userns_mode": "host"},
    {"devices": ["/dev/fuse"]},
    {"env_file": [".env"]},
    {"volumes_from": ["other"]},
    {"group_add": ["docker"]},
    {"dns": ["192.0.2.53"]},
    {"extends": {"file": "other.yaml", "service": "agent"}},
]


def changed(document: dict, service: str, change: dict) -> dict:
    bad = copy.deepcopy(document)
    bad["services"][service].update(change)
    bad["services"][service] = {key: value for key, value in bad["services"][service].items() if value is not None}
    return bad


def check_file(path: Path, report: Report) -> None:
    raw = yaml.safe_load(path.read_text())
    document = values(raw, SETTINGS)
    report.equal(problems(document), [], path.name)
    for change in OPENINGS:
        bad = changed(document, "agent", values(change, {"HOME": "/home/owner"}))
        if bad != document:
            report.check(problems(bad), f"{path.name}: {change} is found")
    for root in ("0", ""):
        bad = values(raw, SETTINGS | {"AGENT_UID": root}) if root else changed(document, "agent", {"user": ""})
        report.check(problems(bad), f"{path.name}: a root agent is found")
    for name in required(path.read_text()):
        try:
            values(raw, {key: value for key, value in SETTINGS.items() if key != name})
            report.check(False, f"{path.name}: {name} is needed")
        except KeyError:
            report.check(True, name)


def required(text: str) -> set[str]:
    return set(re.findall(r"\$\{(\w+):\?", text))


def check_image(folder: Path, report: Report) -> None:
    """What the image is made of: files that are there, and nothing of the owner's."""
    dockerfile = (folder / "Dockerfile").read_text()
    report.check("sudo" not in dockerfile and "USER root" not in dockerfile, "the image has no way back to root")
    ignore = [line for line in (folder / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] != "#"]
    report.equal(ignore[0], "*", "nothing is sent to Docker by default")
    for line in ignore[1:]:
        path = folder.parent.parent / line.removeprefix("!")
        report.check(line.startswith("!") and path.exists(), f"{line} is there")
        report.check("vault" not in line and ".env" not in line, f"{line} is nobody's notes")
    targets = set(re.findall(r"^FROM \S+ AS (\w+)$", dockerfile, re.MULTILINE))
    for path in files(folder):
        for name, service in yaml.safe_load(path.read_text())["services"].items():
            report.check(service["build"]["target"] in targets, f"{path.name}: {name} is built", targets)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("compose*.yaml"))


def main() -> int:
    folder, report = Path(sys.argv[1]), Report()
    report.equal(len(files(folder)), 3, "Compose files")
    for path in files(folder):
        check_file(path, report)
    check_image(folder, report)
    print("Compose files: ", end="")
    return report.code()


if __name__ == "__main__":
    sys.exit(main())

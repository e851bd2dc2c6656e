"""What an agent would try: runs inside the container, as the agent, and prints what came of it as JSON.

    python3 probe.py '[["tcp", "198.51.100.7", 443], ["run", ["nft", "flush", "ruleset"]], ["privileges"]]'

Each probe gives true if it got an answer (or the command succeeded), else false; `privileges` gives them, `mcp` the
status and the body of an answer.
"""

import http.client
import json
import os
import socket
import struct
import subprocess
import sys

SECONDS = 1.0


def connected(kind: int, address: str, port: int, protocol: int = 0) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    client = socket.socket(family, kind, protocol)
    client.settimeout(SECONDS)
    client.connect((address, port))
    return client


def tcp(address: str, port: int) -> bool:
    with connected(socket.SOCK_STREAM, address, port):
        return True


def udp(address: str, port: int) -> bool:
    with connected(socket.SOCK_DGRAM, address, port) as client:
        client.send(b"probe")
        return client.recv(16) == b"ok"


def icmp(address: str) -> bool:
    """An echo request through a socket that needs no privilege, where the system allows one."""
    is_six = ":" in address
    protocol = socket.IPPROTO_ICMPV6 if is_six else socket.IPPROTO_ICMP
    with connected(socket.SOCK_DGRAM, address, 0, protocol) as client:
        client.send(struct.pack("!BBHHH", 128 if is_six else 8, 0, 0, 0, 1))
        return len(client.recv(64)) > 0


def raw(family: str) -> bool:
    """A socket that makes packets of its own, past everything that a protocol would do."""
    kinds = {
        "inet": (socket.AF_INET, socket.IPPROTO_UDP),
        "inet6": (socket.AF_INET6, socket.IPPROTO_UDP),
        "packet": (socket.AF_PACKET, socket.htons(3)),
    }
    socket.socket(kinds[family][0], socket.SOCK_RAW, kinds[family][1]).close()
    return True


def resolve(name: str) -> bool:
    return bool(socket.getaddrinfo(name, 443))


def run(command: list[str]) -> bool:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    return done.returncode == 0


def write(path: str, text: str) -> bool:
    with open(path, "w") as file:
        file.write(text)
    return True


def exists(path: str) -> bool:
    return os.path.exists(path)


def mcp(url: str, token: str | None, message: dict) -> list:
    """An MCP request over HTTP; gives the status and the body."""
    place, _, route = url.removeprefix("http://").partition("/")
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    client = http.client.HTTPConnection(place, timeout=20)
    client.request("POST", "/" + route, json.dumps(message), headers)
    answer = client.getresponse()
    return [answer.status, answer.read().decode()]


def bridge(command: list[str], messages: list[dict]) -> list[str]:
    """The lines that a program with MCP on standard input and output answers."""
    text = "".join(json.dumps(message) + "\n" for message in messages)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=30)
    return done.stdout.splitlines()


def privileges() -> dict[str, str]:
    with open("/proc/self/status") as file:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {key: fields[key].strip() for key in ("Uid", "Gid", "Groups", "NoNewPrivs", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}


PROBES = {probe.__name__: probe for probe in (tcp, udp, icmp, raw, resolve, run, write, exists, mcp, bridge, privileges)}


def outcome(probe: list):
    try:
        return PROBES[probe[0]](*probe[1:])
    except (OSError, subprocess.SubprocessError, http.client.HTTPException):
        return False


if __name__ == "__main__":
    print(json.dumps([outcome(probe) for probe in json.loads(sys.argv[1])]))

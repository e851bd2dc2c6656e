"""The start must fail whenever anything on the way does: each command of the script is broken in turn, rules are
left out or added behind its back, and settings are wrong."""

import queue
import shutil
from concurrent.futures import ThreadPoolExecutor

from firewall import HOSTS, RESOLV_CONF, settings, started
from lab import Lab
from report import Report

MARK = "the agent runs"
AGENT = ["/bin/echo", MARK]
# All that the script may use: with this folder as its whole PATH it finds nothing else.
TOOLS = ["nft", "setpriv", "timeout", "bash", "curl", "ip", "tini"]

# Stands before a tool, counts the calls of all of them, and breaks one call.
SHIM = """#!/bin/sh
echo {tool} >>"$LOG"
[ "$(/usr/bin/wc -l <"$LOG")" != "$BREAK_AT" ] || exit "$BREAK_WITH"
exec {real} "$@"
"""
# Stands before nft and changes the rules on their way.
EDITOR = """#!/bin/sh
[ "$1" = --file ] || exec {real} "$@"
/usr/bin/sed "$EDIT" | {real} "$@"
"""

# Changes of the rules that open something, or close too much: sed scripts. The proof must find every one.
EDITS = {
    "everything is open": "s/policy drop/policy accept/; /reject/d; /counter name refused$/d",
    "outgoing is open, counted all the same": "s/reject.*/accept/",
    "a port of the host": "s/^.*counter name refused$/tcp dport 22 accept\\n&/",
    "all of the host": "s/^.*counter name refused$/ip daddr 172.30.77.1 accept\\n&/",
    "all ports of the model API": "s/^.*counter name refused$/ip daddr 198.51.100.7 accept\\n&/",
    "all TCP": "s/^.*counter name refused$/meta l4proto tcp accept\\n&/",
    "all UDP": "s/^.*counter name refused$/meta l4proto udp accept\\n&/",
    "the web": "s/^.*counter name refused$/tcp dport 443 accept\\n&/",
    "names over UDP": "s/^.*counter name refused$/udp dport 53 accept\\n&/",
    "names over TCP": "s/^.*counter name refused$/tcp dport 53 accept\\n&/",
    "Docker's resolver": "s/oif lo ip daddr 127.0.0.1 accept/oif lo accept/",
    "IPv6": "s/^.*counter name refused$/meta nfproto ipv6 accept\\n&/",
    "TCP over IPv6": "s/^.*counter name refused$/meta nfproto ipv6 meta l4proto tcp accept\\n&/",
    "UDP over IPv6": "s/^.*counter name refused$/meta nfproto ipv6 meta l4proto udp accept\\n&/",
    "IPv6 has no rules": "s/table inet/table ip/; /ip6/d; s/reject with icmpx type admin-prohibited/reject/",
    "the server's rule is missing": "/tcp dport 9000/d",
    "the model API's rule is missing": "/tcp dport 443/d",
    "answers do not come in": "/^ *ct state/d",
}  # fmt: skip

BAD_SETTINGS = [
    {"OBSEARCH_TOKEN": ""},
    {"OBSEARCH_TOKEN": "short"},
    {"OBSEARCH_TOKEN": "obsearch_" + "0" * 64},
    {"OBSEARCH_TOKEN": 'x"\nurl = "http://198.51.100.8/' + "0" * 32},
    {"OBSEARCH_PORT": "0"},
    {"OBSEARCH_PORT": "65536"},
    {"OBSEARCH_PORT": "http"},
    {"OBSEARCH_PORT": "9000 accept; accept"},
    {"OBSEARCH_PORT": "9000-9999"},
    {"OBSEARCH_PORT": "9001"},
    {"OBSEARCH_HOST": "elsewhere.example"},
    {"OBSEARCH_HOST": "model.example"},
    {"AGENT_UID": "0"},
    {"AGENT_UID": "00"},
    {"AGENT_UID": "root"},
    {"AGENT_UID": "4294967296"},
    {"AGENT_GID": "0"},
    {"AGENT_GID": "-1"},
    {"MODEL_HOSTS": "unpinned.example:443"},
    {"MODEL_HOSTS": "model.example"},
    {"MODEL_HOSTS": "model.example:0"},
    {"MODEL_HOSTS": "model.example:443,80"},
    {"MODEL_HOSTS": "model.example:444"},
    {"MODEL_HOSTS": "model.example:443 unpinned.example:443"},
]
BAD_HOSTS = [
    "",
    "127.0.0.1 localhost\n",
    HOSTS.replace("172.30.77.1", "0.0.0.0/0"),
    HOSTS.replace("172.30.77.1", "172.30.77.1;accept"),
    HOSTS.replace("172.30.77.1", "999.1.1.1"),
    HOSTS.replace("172.30.77.1", "172.30.77.9"),
    HOSTS.replace("172.30.77.1", "198.51.100.99"),
    HOSTS.replace("host.docker.internal", "host.docker.internal.example"),
    HOSTS.replace("172.30.77.1\t", "# 172.30.77.1 "),
]


# Whatever resolver Docker names, it is out of reach, and the start does not depend on one.
RESOLVERS = [
    "",
    "nameserver 127.0.0.1",
    "nameserver 198.51.100.53\n",
    "nameserver 2001:db8:100::53\n",
    "search example\n" + RESOLV_CONF * 2,
]


def shims(lab: Lab, name: str, template: str, tools: list[str]) -> str:
    """A folder of shims, the whole PATH of a container."""
    folder = lab.work / name
    folder.mkdir()
    for tool in TOOLS:
        text = template if tool in tools else '#!/bin/sh\nexec {real} "$@"\n'
        file = folder / tool
        file.write_text(text.format(tool=tool, real=shutil.which(tool)))
        file.chmod(0o755)
    return str(folder)


def starts(lab: Lab, cases: list[dict]) -> list:
    """Starts a container for each case (what `started` takes), a few at a time, each in a network of its own."""
    free = queue.SimpleQueue()
    for name in lab.spares:
        free.put(name)

    def start(case: dict):
        name = free.get()
        log = lab.work / f"{name}.calls"
        log.write_text("")
        log.chmod(0o666)
        try:
            env = settings(lab, LOG=str(log), **case.get("env", {}))
            how = {"command": AGENT} | case | {"env": env}
            return started(lab, box=name, **how), log.read_text().split()
        finally:
            free.put(name)

    with ThreadPoolExecutor(len(lab.spares)) as pool:
        return list(pool.map(start, cases))


def check_commands(lab: Lab, report: Report) -> None:
    """Records the calls of a good start, then breaks each of them: by failing, and by doing nothing and saying 0."""
    path = shims(lab, "shims", SHIM, TOOLS)
    [(good, calls)] = starts(lab, [broken_at(path, 0, 1)])
    report.check(MARK in good.stdout, "a start with shims that break nothing", good.stderr)
    report.equal(sorted(set(calls)), sorted(TOOLS), "the tools that the script uses")
    breaks = [(at, code) for at in range(1, len(calls) + 1) for code in (1, 0)]
    for (at, code), (done, _) in zip(breaks, starts(lab, [broken_at(path, *one) for one in breaks]), strict=True):
        what = f"call {at}, {calls[at - 1]}, broken with {code}"
        report.check(MARK not in done.stdout, f"{what}: no agent")
        # The last two calls become the agent: whoever does nothing there and says 0 is the agent that does nothing.
        report.check(done.returncode != 0 or (code == 0 and at > len(calls) - 2), f"{what}: the start fails")


def broken_at(path: str, at: int, code: int) -> dict:
    return {"path": path, "env": {"BREAK_AT": str(at), "BREAK_WITH": str(code)}}


def check_rules(lab: Lab, report: Report) -> None:
    path = shims(lab, "editors", EDITOR, ["nft"])
    cases = [{"path": path, "env": {"EDIT": edit}} for edit in ("", *EDITS.values())]
    (good, _), *changed = starts(lab, cases)
    report.check(MARK in good.stdout, "a start with rules that are left alone", good.stderr)
    for what, (done, _) in zip(EDITS, changed, strict=True):
        refuse(report, done, f"changed rules: {what}")


def check_settings(lab: Lab, report: Report) -> None:
    """Settings, pinned names and users with which nothing may start; and all resolvers, with which it must."""
    wrong = [{"env": settings} for settings in BAD_SETTINGS] + [{"hosts": hosts} for hosts in BAD_HOSTS]
    wrong += [{"command": []}, {"user": 1000}]
    for case, (done, _) in zip(wrong, starts(lab, wrong), strict=True):
        refuse(report, done, str(case))
    right = [{"resolver": resolver} for resolver in RESOLVERS]
    for case, (done, _) in zip(right, starts(lab, right), strict=True):
        report.check(MARK in done.stdout, f"a start with {case}", done.stderr)


def refuse(report: Report, done, what: str) -> None:
    report.check(done.returncode != 0 and MARK not in done.stdout, f"{what}: the start fails", done.stdout)
    report.check("sandbox: " in done.stderr, f"{what}: a reason is given", done.stderr)

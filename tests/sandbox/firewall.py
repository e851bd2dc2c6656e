"""The agent behind its own firewall: what it reaches without, what it reaches with it, and what it cannot change."""

import re

from lab import Lab, inside, namespace, outcomes, run, until
from report import Report

HOST, HOST6 = "172.30.77.1", "fd30:77::1"
NEIGHBOUR, NEIGHBOUR6 = "172.30.77.9", "fd30:77::9"
MODEL, OTHER, RESOLVER = "198.51.100.7", "198.51.100.8", "198.51.100.53"
MODEL6, RESOLVER6 = "2001:db8:100::7", "2001:db8:100::53"
# Docker's resolver, which asks the outside world for the container.
EMBEDDED = "127.0.0.11"

HOSTS = f"127.0.0.1 localhost\n::1 localhost\n{HOST}\thost.docker.internal\n{MODEL}\tmodel.example # pinned\n"
RESOLV_CONF = f"nameserver {EMBEDDED}\noptions ndots:0\n"

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_vault", "arguments": {"query": "tide"}}}
PRIVATE = CALL | {"params": {"name": "read_note", "arguments": {"path": "Will and Papers"}}}
URL = "http://host.docker.internal:9000/mcp"

# What stays open. obsearch has a probe of its own.
ALLOWED = [
    ["tcp", HOST, 9000],
    ["tcp", MODEL, 443],
    ["tcp", "127.0.0.1", 8000],
    ["tcp", "::1", 8000],
]
# What somebody answers without the firewall, and nobody with it.
FORBIDDEN = [
    *(["tcp", HOST, port] for port in (22, 53, 80, 9001)),
    *(["tcp", HOST6, port] for port in (22, 53, 9000, 9001)),
    *(["tcp", NEIGHBOUR, port] for port in (22, 443, 9000)),
    ["tcp", NEIGHBOUR6, 9000],
    *(["tcp", MODEL, port] for port in (22, 53, 80, 9000)),
    *(["tcp", OTHER, port] for port in (22, 53, 80, 443, 9000)),
    *(["tcp", MODEL6, port] for port in (53, 443, 9000)),
    *(["udp", address, 53] for address in (HOST, HOST6, NEIGHBOUR, MODEL, OTHER, RESOLVER, MODEL6, RESOLVER6, EMBEDDED)),
    *(["tcp", address, 53] for address in (RESOLVER, RESOLVER6, EMBEDDED)),
    ["udp", HOST, 9000],
    ["udp", MODEL, 443],
    ["udp", MODEL6, 443],
    *(["icmp", address] for address in (HOST, HOST6, NEIGHBOUR, NEIGHBOUR6, MODEL, OTHER, MODEL6, RESOLVER6)),
]  # fmt: skip

# Every way to change the network that an agent might think of.
TAMPERING = [
    ["nft", "flush", "ruleset"],
    ["nft", "delete", "table", "inet", "sandbox"],
    ["nft", "insert", "rule", "inet", "sandbox", "output", "accept"],
    ["nft", "add", "table", "inet", "mine"],
    ["iptables", "-F"],
    ["iptables", "-P", "OUTPUT", "ACCEPT"],
    ["iptables", "-I", "OUTPUT", "-j", "ACCEPT"],
    ["ip6tables", "-F"],
    ["ip", "link", "set", "lo", "down"],
    ["ip", "link", "add", "name", "mine", "type", "veth"],
    ["ip", "address", "add", "192.0.2.77/32", "dev", "lo"],
    ["ip", "route", "add", "192.0.2.0/24", "dev", "lo"],
    ["ip", "-6", "route", "add", "2001:db8:7::/64", "dev", "lo"],
    ["ip", "rule", "add", "from", "all", "lookup", "main", "priority", "7"],
    ["ip", "neighbour", "add", "192.0.2.1", "lladdr", "02:00:00:00:00:01", "dev", "lo"],
    ["ip", "netns", "add", "mine"],
]
# The same, and worse, by detours that root itself need not be able to go here.
DETOURS = [
    ["run", ["unshare", "--user", "--map-root-user", "nft", "flush", "ruleset"]],
    ["run", ["unshare", "--net", "true"]],
    ["run", ["nsenter", "--target", "1", "--net", "nft", "flush", "ruleset"]],
    ["run", ["setpriv", "--reuid=0", "--clear-groups", "true"]],
    ["run", ["setpriv", "--inh-caps=+net_admin", "--ambient-caps=+net_admin", "true"]],
    ["run", ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]],
    ["raw", "inet"],
    ["raw", "inet6"],
    ["raw", "packet"],
    ["write", "/etc/hosts", "198.51.100.8 model.example"],
    ["write", "/etc/resolv.conf", "nameserver 198.51.100.53"],
    ["write", "/proc/sys/net/ipv4/ip_forward", "1"],
]  # fmt: skip


def populate(lab: Lab) -> None:
    """Somebody listens wherever the agent might go."""
    host = [f"tcp/{address}/{port}" for address in (HOST, HOST6) for port in (22, 53, 80, 9001)]
    lab.listen(None, *host, f"tcp/{HOST6}/9000", f"udp/{HOST}/53", f"udp/{HOST6}/53", f"udp/{HOST}/9000")
    near = [f"tcp/{address}/{port}" for address in (NEIGHBOUR, NEIGHBOUR6) for port in (22, 443, 9000)]
    lab.listen("neighbour", *near, f"udp/{NEIGHBOUR}/53")
    far = [f"tcp/{address}/{port}" for address in (MODEL, OTHER, MODEL6) for port in (22, 53, 80, 443, 9000)]
    resolvers = [f"{kind}/{address}/53" for kind in ("tcp", "udp") for address in (RESOLVER, RESOLVER6)]
    datagrams = [f"udp/{address}/{port}" for address in (MODEL, OTHER, MODEL6) for port in (53, 443)]
    lab.listen("world", *far, *resolvers, *datagrams)
    lab.listen("box", "tcp/127.0.0.1/8000", "tcp/::1/8000", f"tcp/{EMBEDDED}/53", f"udp/{EMBEDDED}/53")
    lab.serve("--transport", "http", "--host", HOST)
    # Interfaces take a second or two until they speak IPv6.
    until(lambda: all(outcomes(lab.container("box", lab.agent(*ALLOWED, *FORBIDDEN), user=1000))), "the network")


def settings(lab: Lab, **more: str) -> dict[str, str]:
    return {"OBSEARCH_TOKEN": lab.token, "MODEL_HOSTS": "model.example:443"} | more


def started(lab: Lab, command: list[str], box: str = "box", **how):
    """The firewall's entrypoint with a command, in a network without rules, as after the container's start."""
    run(*inside(box), "nft", "flush", "ruleset")
    how = {"hosts": HOSTS, "resolver": RESOLV_CONF, "env": settings(lab)} | how
    return lab.container(box, ["/run/lab/firewall.sh", *command], **how)


def check_open(lab: Lab, report: Report) -> None:
    """Without the firewall everything answers, so that silence behind it means something."""
    probes = [*ALLOWED, *FORBIDDEN]
    run(*inside("box"), "nft", "flush", "ruleset")
    done = lab.container("box", lab.agent(*probes), user=1000)
    for probe, answered in zip(probes, outcomes(done), strict=True):
        report.check(answered is True, f"without the firewall {probe} is answered")


def check_closed(lab: Lab, report: Report) -> None:
    calls = [["mcp", URL, token, call] for token, call in ((lab.token, CALL), (lab.token, PRIVATE), (None, CALL))]
    absent = [["exists", f"/run/lab/home/{place}"] for place in ("Notes", ".config")] + [["exists", "/run/lab/socket/socket"]]
    probes = [*ALLOWED, *FORBIDDEN, ["resolve", "example.com"], *absent]
    # Without Docker's own `no-new-privileges`, for the script must not depend on it.
    done = started(lab, lab.agent(["privileges"], *calls, *probes), options=[])
    privileges, found, private, stranger, *answers = outcomes(done)
    report.equal(privileges.pop("NoNewPrivs"), "1", "no new privileges")
    numbers = [privileges.pop(key).split() for key in ("Uid", "Gid", "Groups")]
    report.equal(numbers, [["1000"] * 4, ["1000"] * 4, []], "the agent's numbers")
    for kind, capabilities in privileges.items():
        report.equal(int(capabilities, 16), 0, f"the agent's {kind}")
    report.check(found[0] == 200 and "Tide Logger" in found[1], "a search through the firewall", found)
    report.check(private[0] == 200 and "note not found" in private[1], "a private note through the firewall", private)
    report.equal(stranger[0], 401, "a search without the token")
    for probe, answered in zip(probes, answers, strict=True):
        report.equal(answered, probe in ALLOWED, f"behind the firewall: {probe}")
    # Nobody comes in either.
    back = lab.container("neighbour", lab.agent(["tcp", "172.30.77.2", 8001], ["icmp", "172.30.77.2"]), user=1000)
    report.equal(outcomes(back), [False, False], "a neighbour reaches the agent")


def check_tampering(lab: Lab, report: Report) -> None:
    """Root can do all of it, in a network of its own; the agent none of it."""
    namespace("spare")
    for command in TAMPERING:
        run("ip", "-n", "spare", "link", "set", "lo", "up")
        run(*inside("spare"), "nft", "add table inet sandbox; add chain inet sandbox output")
        run(*inside("spare"), *command)
        report.check(True, "root can")
    before_after = []
    for probes in ([["privileges"]], [["run", command] for command in TAMPERING] + DETOURS + FORBIDDEN):
        done = started(lab, lab.agent(*probes))
        before_after.append(rules())
    for probe, done_it in zip(probes, outcomes(done), strict=True):
        report.equal(done_it, False, f"as the agent: {probe}")
    report.equal(before_after[1], before_after[0], "the rules afterwards")


def rules() -> str:
    """The rules without what they have counted."""
    return re.sub(r"packets \d+ bytes \d+", "", run(*inside("box"), "nft", "list", "ruleset"))


def check_families(lab: Lab, report: Report) -> None:
    """The server at an address of IPv6; a network without IPv6; two addresses of which one is let through."""
    lab.serve("--transport", "http", "--host", HOST6, "--port", "9006")
    six = HOSTS.replace(HOST, HOST6)
    done = started(
        lab,
        lab.agent(["mcp", URL.replace("9000", "9006"), lab.token, CALL], *FORBIDDEN),
        hosts=six,
        env=settings(lab, OBSEARCH_PORT="9006"),
    )
    found, *answers = outcomes(done)
    report.check(found[0] == 200 and "Tide Logger" in found[1], "a search over IPv6", found)
    report.check(not any(answers), "nothing else, with the server at an address of IPv6", answers)
    both = f"{HOST6} host.docker.internal\n{HOSTS}"
    report.equal(outcomes(started(lab, lab.agent(*FORBIDDEN), hosts=both)), [False] * len(FORBIDDEN), "two addresses")
    run(*inside("box"), "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
    probes = [probe for probe in FORBIDDEN if ":" not in probe[1]]
    report.check(not any(outcomes(started(lab, lab.agent(*probes)))), "a network without IPv6")
    run(*inside("box"), "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=0")
    run("ip", "-n", "box", "address", "add", "fd30:77::2/64", "dev", "toagents0", "nodad")
    run("ip", "-n", "box", "route", "add", "default", "via", HOST6)

"""The other two ways, without rules inside the container: a network that leads nowhere, and a socket."""

import json
import shutil
from pathlib import Path

from firewall import CALL, FORBIDDEN, MODEL, OTHER, PRIVATE, RESOLVER, URL
from lab import OWNER, Lab, outcomes, run, until
from report import Report

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/tier1-sandbox"
GATEWAY, RELAY = "172.30.90.1", "172.30.90.3"
HOSTS = f"127.0.0.1 localhost\n{GATEWAY} host.docker.internal\n{RELAY} model.example\n"
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "0"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def check_setup(lab: Lab, report: Report) -> None:
    """setup.sh as the owner runs it: a token, an address, a file for the owner alone; and once more, which keeps it."""
    folder, home = lab.work / "setup", lab.work / "setup-home"
    for place in (folder, home):
        place.mkdir()
        run("chown", f"{OWNER}:{OWNER}", str(place))
    shutil.copy(EXAMPLE / "setup.sh", folder)
    command = [*lab.owner(home), "MODEL_HOST=localhost", f"OBSEARCH={lab.work}/bin/obsearch", "sh", f"{folder}/setup.sh"]
    run(*command)
    first = (folder / ".env").read_text()
    run(*command, "OBSEARCH_PORT=9007")
    values = dict(line.split("=", 1) for line in first.splitlines())
    report.equal((folder / ".env").read_text(), first, "a second run keeps the settings")
    report.equal((folder / ".env").stat().st_mode & 0o777, 0o600, "the mode of .env")
    report.check(values.pop("OBSEARCH_TOKEN").startswith("obsearch_"), "a token")
    expected = {"MODEL_HOST": "localhost", "MODEL_ADDRESS": "127.0.0.1", "AGENT_UID": "1000", "AGENT_GID": "1000"}
    report.equal(values, expected | {"OBSEARCH_SOCKET_FOLDER": f"{home}/.local/state/obsearch-sandbox"}, ".env")
    refused = lab.container("alone", ["sh", f"{folder}/setup.sh"])
    report.check(refused.returncode != 0 and "root" in refused.stderr, "setup.sh does not run as root", refused.stderr)


def check_internal(lab: Lab, report: Report) -> None:
    said = lab.serve("--transport", "http", "--host", GATEWAY)
    report.check("A token is needed" in said and "bridge" in said, "the server says who can reach it", said)
    lab.listen(None, *(f"tcp/{GATEWAY}/{port}" for port in (22, 9001)), f"udp/{GATEWAY}/53")
    relay = ["socat", f"TCP4-LISTEN:443,bind={RELAY},reuseaddr,fork,max-children=64", f"TCP:{MODEL}:443,connect-timeout=10"]
    lab.start("relay", *relay)
    outside = [probe for probe in FORBIDDEN if not probe[1].startswith("127.")]
    # Without host-guard.nft, whatever listens on all addresses of the host is reachable at the bridge's: a control.
    host = [["tcp", GATEWAY, 22], ["tcp", GATEWAY, 9001], ["udp", GATEWAY, 53], ["icmp", GATEWAY]]
    relayed = ["tcp", RELAY, 443]
    until(lambda: all(ask(lab, relayed)), "the relay")
    report.equal(ask(lab, *host), [True] * 4, "an internal network leads to the host")
    check_inner(lab, report, outside)
    run("nft", "--file", str(EXAMPLE / "host-guard.nft"))
    report.equal(ask(lab, *host), [False] * 4, "the guard closes the rest of the host")
    check_inner(lab, report, outside)
    run("nft", "delete", "table", "inet", "obsearch_guard")


def check_inner(lab: Lab, report: Report, outside: list) -> None:
    """obsearch with the token, the model API through the relay, nothing else: there is no route."""
    routes = [["run", ["ip", "route", "add", "default", "via", address]] for address in (GATEWAY, RELAY)]
    others = [["tcp", RELAY, port] for port in (22, 80)] + [["tcp", OTHER, 443], ["udp", RESOLVER, 53], *routes]
    calls = [["mcp", URL, token, call] for token, call in ((lab.token, CALL), (lab.token, PRIVATE), (None, CALL))]
    found, private, stranger, model, *answers = ask(lab, *calls, ["tcp", RELAY, 443], *outside, *others)
    report.check(found[0] == 200 and "Tide Logger" in found[1], "a search over the bridge", found)
    report.check(private[0] == 200 and "note not found" in private[1], "a private note over the bridge", private)
    report.equal(stranger[0], 401, "a search over the bridge without the token")
    report.equal(model, True, "the relay to the model API")
    for probe, answered in zip([*outside, *others], answers, strict=True):
        report.equal(answered, False, f"on the internal network: {probe}")


def ask(lab: Lab, *probes: list) -> list:
    return outcomes(lab.container("inner", lab.agent(*probes), user=1000, hosts=HOSTS))


def check_socket(lab: Lab, report: Report) -> None:
    """An agent in a network without any interface; the folder of the socket is all it sees of the owner."""
    lab.serve("--socket", "/run/lab/socket/socket")
    how = {"mounts": {"/run/obsearch": "/run/lab/socket"}, "env": {"OBSEARCH_TOKEN": lab.token}}
    bridge = ["bridge", ["/run/lab/bin/obsearch", "connect", "--socket", "/run/obsearch/socket"], [HELLO, READY, CALL, PRIVATE | {"id": 2}]]
    nothing = [*FORBIDDEN, ["tcp", GATEWAY, 9000], ["tcp", "172.30.77.1", 9000], ["resolve", "example.com"]]
    hidden = [["exists", "/run/lab/home/Notes"], ["write", "/run/obsearch/mine", "x"], ["run", ["ip", "link", "add", "name", "mine", "type", "veth"]]]
    seen = ["run", ["test", "-S", "/run/obsearch/socket"]]
    lines, sees, *answers = outcomes(lab.container("alone", lab.agent(bridge, seen, *nothing, *hidden), user=OWNER, **how))
    report.equal(sees, True, "the socket is there")
    told = {message["id"]: json.dumps(message) for message in map(json.loads, lines)}
    report.equal(sorted(told), [0, 1, 2], "the answers through the socket")
    report.check("Tide Logger" in told.get(1, ""), "a search through the socket", told)
    report.check("note not found" in told.get(2, ""), "a private note through the socket", told)
    for probe, answered in zip([*nothing, *hidden], answers, strict=True):
        report.equal(answered, False, f"without an interface: {probe}")
    # Somebody else's container, and one without the token, get nothing.
    for who, more in (("another user", {"user": OWNER + 1}), ("no token", {"user": OWNER, "env": {}})):
        (lines,) = outcomes(lab.container("alone", lab.agent(bridge), **(how | more)))
        report.check("Tide Logger" not in "".join(lines), f"{who}: no answer", lines)

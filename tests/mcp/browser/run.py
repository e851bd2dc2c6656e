"""A web page in the owner's browser gets nothing from the server, and makes it do nothing.

    python3 tests/mcp/browser/run.py --binary target/debug/obsearch --vault examples/vault

Headless Chromium opens a page on another port, under this machine's names and under a foreign name that points
here, and a page that the foreign name served on the server's own port before it pointed here (DNS rebinding).
Each tries everything in `attack.js`. The control is the same page against a server that guards nothing: there it
must read every answer that a browser lets it read, and its calls must run.

Then the owner's own page, `obsearch console`, is walked through by keys alone (`console.py`); `--pictures FOLDER` keeps
pictures of it.

Without Chromium it installs Debian's if it runs as root in CI, and is left out with a message elsewhere.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "suites")]

import chromium
import console
import wrong
from home import Home
from report import Report
from servers import listening

PATHS = [
    "/mcp",
    "/health",
    "/",
    "/.well-known/oauth-protected-resource",
    "/openapi.json",
    "/search",
    "/list_notes",
    "/get_full_note?path=Home.md",
]
# The control guards no path, so these are enough there.
CONTROL_PATHS = PATHS[:2]
# Names that the resolver rules of the browser let point at this machine.
FOREIGN = ["rebound.test", "localhost.rebound.test"]
# Under which name a page was opened, and under which it asks.
FROM_TO = [
    ("127.0.0.1", "127.0.0.1"),
    ("localhost", "127.0.0.1"),
    (FOREIGN[0], "127.0.0.1"),
    (FOREIGN[0], "localhost"),
]
PAGE = f'<!doctype html><meta charset="utf-8"><title>a page</title><body><script>{(HERE / "attack.js").read_text()}</script>'
# What a page may read that shares its origin with the server, as a rebound name does: that it is refused.
REFUSED = {
    '{"error":"this host or origin is not allowed"}',
    # The same, taken for a script.
    "Uncaught SyntaxError: Unexpected token ':'",
}
CALLED = re.compile(r"\bcall tool=")


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def pages():
    """A server of the page on a free port, as its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def attack(browser: chromium.Chromium, page: str, base: str, paths: list[str]) -> list[dict]:
    browser.open(page)
    return browser.evaluate(f"attack({json.dumps(base)}, {json.dumps(paths)})")


def attack_from_other_ports(browser: chromium.Chromium, page_port: int, port: int, paths: list[str]) -> list[dict]:
    rows = []
    for name, target in FROM_TO:
        rows += attack(browser, f"http://{name}:{page_port}/", f"http://{target}:{port}", paths)
    return rows


def attack_after_rebinding(browser: chromium.Chromium, port: int, paths: list[str]) -> list[dict]:
    """The name served the page when it pointed elsewhere; all that comes after it goes to the server."""
    rows = []
    for name in FOREIGN:
        base = f"http://{name}:{port}"
        browser.fake(f"{base}/page", PAGE)
        rows += attack(browser, f"{base}/page", base, paths)
    return rows


def check_server(browser: chromium.Chromium, page_port: int, home: Home, report: Report) -> None:
    log = home.root / "server.log"
    with listening(home, log) as url:
        port = urlsplit(url).port
        browser.statuses.clear()
        elsewhere = attack_from_other_ports(browser, page_port, port, PATHS)
        for row in elsewhere:
            report.equal(row["read"], None, f"{row['how']} at {row['url']} reads nothing")
        statuses = counted_statuses(browser, port)
        rebound = attack_after_rebinding(browser, port, PATHS)
        for row in rebound:
            nothing = row["read"] is None or row["read"] in REFUSED or row["read"].startswith("sizes ")
            report.check(nothing, f"{row['how']} at {row['url']} reads nothing but that it is refused", row["read"])
        check_statuses(browser, port, report)
        calls = calls_in(log)
        report.equal(calls, 0, "tool calls that ran")
        # That count can only be believed if a call that may run shows up in it.
        call_as_a_program(url)
        report.equal(calls_in(log), calls + 1, "tool calls that ran, after one that may")
    print(f"server: {len(elsewhere)} attempts from other ports, {len(rebound)} after rebinding")
    print(f"        its answers to the first: {statuses}")


def calls_in(log: Path) -> int:
    return len(CALLED.findall(log.read_text()))


def counted_statuses(browser: chromium.Chromium, port: int) -> dict[int, int]:
    return dict(sorted(Counter(status for _, url, status in browser.statuses if urlsplit(url).port == port).items()))


def check_statuses(browser: chromium.Chromium, port: int, report: Report) -> None:
    """The attempts did arrive, and every one was refused: also a GET without an Origin, as of an image."""
    answers = [answer for answer in browser.statuses if urlsplit(answer[1]).port == port]
    report.check(len(answers) > 500, "attempts arrive", len(answers))
    for (method, url, status), count in Counter(answers).items():
        report.equal(status, 403, f"{method} {url.split('sizes=')[0]}, {count} times")


def check_control(browser: chromium.Chromium, page_port: int, report: Report) -> None:
    with wrong.listening() as server:
        rows = attack_from_other_ports(browser, page_port, server.server_port, CONTROL_PATHS)
        rows += attack_after_rebinding(browser, server.server_port, CONTROL_PATHS)
        for row in rows:
            if row["reads"]:
                report.check(row["read"], f"control: {row['how']} at {row['url']} reads", row)
        calls = sum(row["calls"] for row in rows)
        report.equal(server.calls, calls, "control: tool calls that ran")
    print(f"control: {len(rows)} attempts, {sum(row['read'] is not None for row in rows)} read, {server.calls} calls ran")


def call_as_a_program(url: str) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_tags", "arguments": {}}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    with urlopen(Request(url, json.dumps(call).encode(), headers), timeout=30) as answer:
        answer.read()


def browser_or_none() -> str | None:
    program = chromium.found()
    if program or os.environ.get("CI") != "true":
        return program
    if os.geteuid() != 0:
        raise SystemExit("Chromium is needed in CI")
    quiet = {"env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, "check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["apt-get", "update", "-qq"], **quiet)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], **quiet)
    return chromium.found()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--vault", type=Path, required=True)
    parser.add_argument("--pictures", type=Path)
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    program = browser_or_none()
    if program is None:
        print("skipped: there is no Chromium")
        return 0
    report = Report()
    resolver = ", ".join(f"MAP {name} 127.0.0.1" for name in FOREIGN)
    with Home(arguments.binary, arguments.vault, "none") as home:
        home.index()
        with chromium.Chromium(program, resolver) as browser, pages() as page_port:
            print(browser.version)
            check_control(browser, page_port, report)
            check_server(browser, page_port, home, report)
        # In one that has nothing to complain of yet.
        with chromium.Chromium(program, "") as browser:
            console.check(browser, home, report, arguments.pictures)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

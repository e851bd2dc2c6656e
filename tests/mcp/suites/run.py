"""Runs suites and clients of others against `obsearch serve`, over pipes and over HTTP, and prints what came of it.

    python3 tests/mcp/suites/run.py --binary target/debug/obsearch --fixture target/debug/conformance-fixture \\
        --vault examples/vault --work target/mcp-suites

The fixture is `cargo build --features fixture --bin conformance-fixture`. The vault must be the example vault. The work folder gets the suites, in the versions of the lists beside this file.
The controls run the same clients against a server that does everything wrong: they must notice.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import conformance
import wrong
from clients import Clients, Outcome
from home import Home
from servers import TOKEN, Way, listening, started
from tools import Tools


class Table:
    """Runs one thing after the other; a row each."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        print(f"{'suite':<26}{'transport':<26}{'era':<12}{'checks':>6}  {'outcome':<9}{'seconds':>7}")

    def row(self, suite: str, way: str, era: str, work: Callable[[], Outcome]) -> None:
        """Good if something was checked and nothing found."""
        checks, problems, seconds = timed(work)
        problems = problems or ([] if checks else ["nothing was checked"])
        self._print(suite, way, era, checks, problems, seconds)

    def control(self, suite: str, era: str, word: str, work: Callable[[], Outcome]) -> None:
        """Good if a problem with this word in it was found."""
        _, problems, seconds = timed(work)
        missed = [] if any(word in problem for problem in problems) else [f"did not find {word!r}", *problems]
        self._print(suite, "control", era, len(problems), missed, seconds)

    def _print(self, suite: str, way: str, era: str, checks: int, problems: list[str], seconds: float) -> None:
        outcome = "DIFFERS" if problems else "ok"
        print(f"{suite:<26}{way:<26}{era:<12}{checks:>6}  {outcome:<9}{seconds:>7.1f}", flush=True)
        for problem in problems:
            print(f"    {problem}")
        self.failed += bool(problems)
        self.passed += not problems


def timed(work: Callable[[], Outcome]) -> tuple[int, list[str], float]:
    start = time.monotonic()
    try:
        checks, problems = work()
    except Exception as error:
        checks, problems = 0, [f"broken: {error!r}"]
    return checks, problems, time.monotonic() - start


def run_suites(table: Table, tools: Tools, clients: Clients, env: dict[str, str], ways: dict[str, Way]) -> None:
    http, token = ways["http"], ways["token"]
    for era in conformance.ERAS:
        found = tools.work / f"conformance-{era}"
        target = conformance.product(http.url)
        table.row(
            "conformance", http.name, era, lambda e=era, f=found: conformance.run(tools, target, e, env, f)
        )
    for way in (http, token):
        table.row("mcpcheck", way.name, "2026-07-28", lambda way=way: clients.mcpcheck(way))
    for way in ways.values():
        table.row("inspector --strict", way.name, "2025-11-25", lambda way=way: clients.inspect(way, "legacy"))
        table.row("inspector --strict", way.name, "2026-07-28", lambda way=way: clients.inspect(way, "modern"))
    for way in (ways["stdio"], http):
        table.row("inspector --load", way.name, "2025-11-25", lambda way=way: clients.load(way))
    for way in [*ways.values(), clients.remote(http), clients.remote(token)]:
        table.row("TypeScript SDK 1", way.name, "2025-11-25", lambda way=way: clients.typescript(way, "1"))
        table.row("TypeScript SDK 2", way.name, "2026-07-28", lambda way=way: clients.typescript(way, "2"))
    for way in ways.values():
        table.row("fastmcp", way.name, "2026-07-28", lambda way=way: clients.fastmcp(way))


def run_fixture(table: Table, tools: Tools, env: dict[str, str], url: str) -> None:
    target = conformance.fixture(url)
    for era in conformance.ERAS:
        found = tools.work / f"conformance-fixture-{era}"
        work = lambda e=era, f=found: conformance.run(tools, target, e, env, f)  # noqa: E731
        table.row("conformance, fixtures", "http", era, work)


def run_controls(table: Table, tools: Tools, clients: Clients, env: dict[str, str]) -> None:
    table.row("conformance", "control", "", lambda: (8, [f"not noticed: {what}" for what in conformance.control()]))
    with wrong.listening() as server:
        way = Way("control", url=server.url)
        for era in conformance.ERAS:
            found = tools.work / f"control-{era}"
            work = lambda e=era, f=found: conformance.run(tools, conformance.product(way.url), e, env, f)  # noqa: E731
            table.control("conformance", era, "dns-rebinding-protection/", work)
        table.control("mcpcheck", "2026-07-28", "origin: fail", lambda: clients.mcpcheck(way))
        table.control("inspector --strict", "2025-11-25", "ended with 6", lambda: clients.inspect(way, "legacy"))
        table.control("inspector --load", "2025-11-25", "'errors': 500", lambda: clients.load(way))
        table.control("TypeScript SDK 1", "2025-11-25", "output schema", lambda: clients.typescript(way, "1"))
        table.control("TypeScript SDK 2", "2026-07-28", "output schema", lambda: clients.typescript(way, "2"))
        remote = clients.remote(way)
        table.control("mcp-remote", "2025-11-25", "output schema", lambda: clients.typescript(remote, "1"))
        table.control("fastmcp", "2026-07-28", "note is not read", lambda: clients.fastmcp(way))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--fixture", type=Path, required=True, help="the server of the suite's own fixtures")
    parser.add_argument("--vault", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="a folder for what is installed and what is found")
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    tools = Tools(arguments.work)
    with Home(arguments.binary, arguments.vault, None) as home:
        home.index()
        clients = Clients(tools, home.env, home.root)
        with (
            listening(home, home.root / "open.log") as url,
            listening(home, home.root / "token.log", TOKEN) as token_url,
        ):
            program = str(home.binary)
            ways = {
                "stdio": Way("stdio", command=[program, "serve"]),
                "http": Way("http", url=url),
                "token": Way("http, token", url=token_url, token=TOKEN),
                "connect": Way(
                    "connect, http, token", command=[program, "connect", "--url", token_url], env={"OBSEARCH_TOKEN": TOKEN}
                ),
            }
            table = Table()
            run_suites(table, tools, clients, home.env, ways)
            with started([str(arguments.fixture.resolve())], home.env, home.root / "fixture.log") as fixture_url:
                run_fixture(table, tools, home.env, fixture_url)
            run_controls(table, tools, clients, home.env)
    print(f"{table.passed} passed, {table.failed} failed")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How soon a saved note is found: saves notes into a vault that `obsearch serve` watches, and asks for a word of
each until it is there.

    python3 evals/freshness.py --vault COPY [--binary target/release/obsearch] [--notes 9]

Writes into the vault and deletes what it wrote: give it a copy. Reads the index of the calling user (or of
XDG_DATA_HOME); run `obsearch --vault COPY index` first. Needs nothing but Python.
"""

import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path

# The first run of a server is over by then, and it listens.
STARTED_SECONDS = 8
BETWEEN_ASKS_SECONDS = 0.005
BETWEEN_NOTES_SECONDS = 1.5


class Server:
    """A server on the other end of a pipe."""

    def __init__(self, command: list[str]):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.asked = 0
        client = {"name": "freshness", "version": "1"}
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})

    def call(self, method: str, params: dict) -> dict:
        self.asked += 1
        request = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.asked:
                return answer["result"]

    def finds(self, word: str) -> bool:
        call = {"name": "search_vault", "arguments": {"query": word, "mode": "keyword"}}
        return bool(self.call("tools/call", call)["structuredContent"]["passages"])


def seconds_until_found(server: Server, vault: Path, number: int) -> float:
    # A word that no note holds.
    word = "zq" + "".join(chr(ord("a") + (number * 7 + place * 3) % 26) for place in range(9))
    note = vault / f"freshness {number}.md"
    note.write_text(f"# Note {number}\n\nThe word {word}.\n")
    saved = time.monotonic()
    while not server.finds(word):
        time.sleep(BETWEEN_ASKS_SECONDS)
    took = time.monotonic() - saved
    note.unlink()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vault", type=Path, required=True)
    parser.add_argument("--binary", default="target/release/obsearch")
    parser.add_argument("--notes", type=int, default=9)
    arguments = parser.parse_args()
    server = Server([arguments.binary, "--vault", str(arguments.vault), "serve"])
    time.sleep(STARTED_SECONDS)
    times = []
    for number in range(arguments.notes):
        times.append(seconds_until_found(server, arguments.vault, number))
        time.sleep(BETWEEN_NOTES_SECONDS)
    print(f"saved to found  median {statistics.median(times):.2f} s, worst {max(times):.2f} s")
    server.process.stdin.close()
    server.process.wait()


if __name__ == "__main__":
    main()

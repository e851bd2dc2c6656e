#!/usr/bin/env python3
"""What vaults of several sizes cost: index, idle run, one change, server, searches. By words, or with --vectors by
words and meaning: a stand-in for a model then makes the vectors, which takes hardly any time.

    cargo build --release && cargo bench --no-run
    python3 evals/scale.py VAULT... [--floor target/release/deps/floor-HASH] [--evals VAULT.evals.jsonl]

Every vault gets a home of its own in a temporary folder; nothing is written into the vaults but one note that is added
and removed again. `--floor` is the executable of benches/floor.rs, which reads, hashes and parses the same notes on
one thread; it and `find -newer` run in turns with obsearch. Prints a Markdown table, or with --json all figures.
Needs nothing but Python.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from latency import QUESTIONS, Server

TURNS = 5
DIMENSIONS = 384


def made_up_vectors(count):
    dice = random.Random(1)
    return [json.dumps([round(dice.gauss(0, 0.05), 4) for _ in range(DIMENSIONS)]) for _ in range(count)]


class StandIn(BaseHTTPRequestHandler):
    """Speaks the protocol of OpenAI's embeddings; equal texts get equal vectors, of a few thousand that there are."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet

    vectors = made_up_vectors(4096)

    def do_POST(self):
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        chosen = [self.vectors[zlib.crc32(text.encode()) % len(self.vectors)] for text in texts]
        rows = ",".join(f'{{"index":{number},"embedding":{vector}}}' for number, vector in enumerate(chosen))
        body = f'{{"data":[{rows}]}}'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def stand_in():
    """The address of a server that runs as long as this program."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


class Home:
    """A configuration, and where its index lies."""

    def __init__(self, binary, vault, folder, embeddings):
        self.binary, self.vault, self.folder = binary, Path(vault).resolve(), Path(folder)
        config = self.folder / "config/obsearch/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[vault]\npath = "{self.vault}"\n[embeddings]\n{embeddings}\n')
        config.chmod(0o600)
        self.environment = {
            **os.environ, "HOME": folder, "XDG_CONFIG_HOME": f"{folder}/config", "XDG_DATA_HOME": f"{folder}/data",
        }

    def run(self, *arguments):
        """Runs to the end: seconds, MB at most, processor seconds, and what it printed."""
        command = [self.binary, *arguments]
        began = time.perf_counter()
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, command
        seconds = time.perf_counter() - began
        return seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, output

    def index(self, *more):
        seconds, peak, processor, output = self.run("index", "--profile", "public", "--json", "--quiet", *more)
        return seconds, peak, processor, json.loads(output)["trees"][0]

    def file_megabytes(self):
        files = [file for file in self.folder.rglob("*") if file.is_file() and ".db" in file.name]
        return sum(file.stat().st_size for file in files) / 1e6


def seconds_of(command, **more):
    began = time.perf_counter()
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, **more).stdout
    return time.perf_counter() - began, output


def fresh(home, floor, figures):
    """A fresh index, and the least that it has to do, in turns; the last index stays."""
    ours, floors = [], []
    for turn in range(TURNS if floor else 1):
        ours.append(home.index(*(["--rebuild"] if turn else [])))
        if floor:
            floors.append(json.loads(seconds_of([floor, str(home.vault)])[1])["seconds"])
    seconds, peak, processor, tree = min(ours, key=lambda run: run[0])
    figures |= {"notes": tree["notes"], "passages": tree["chunks"], "index s": seconds, "index processor s": processor}
    figures |= {"index peak MB": peak, "file MB": home.file_megabytes()}
    if floors:
        figures["index / floor"] = statistics.median(run[0] / least for run, least in zip(ours, floors))


def idle(home, figures):
    """Runs that find nothing new, in turns with `find -newer`; then runs after one new note and its removal."""
    marker = home.folder / "marker"
    marker.touch()
    ours, finds = [], []
    for _ in range(TURNS):
        ours.append(home.index()[0])
        finds.append(seconds_of(["find", str(home.vault), "-newer", str(marker), "-name", "*.md"])[0])
    figures["idle s"] = statistics.median(ours)
    figures["idle / find"] = statistics.median(one / other for one, other in zip(ours, finds))
    note = home.vault / "one more note of scale.md"
    changes = []
    for _ in range(3):
        note.write_text("# One more\n\nA note about a capstan.\n")
        changes.append(home.index()[0])
        note.unlink()
        changes.append(home.index()[0])
    figures["one change s"] = statistics.median(changes)


def memory_megabytes(process):
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def starts(command, home, figures):
    answers, lists = [], []
    for number in range(9):
        os.environ.update(home.environment)
        server = Server(command)
        server.call("tools/list", {})
        lists.append(server.milliseconds())
        server.search(QUESTIONS[number % len(QUESTIONS)], "keyword")
        answers.append(server.milliseconds())
        server.stop()
    figures["spawn to tools/list ms"] = statistics.median(lists)
    figures["spawn to first answer ms"] = statistics.median(answers)


def warm(command, questions, mode, figures):
    server = Server(command)
    server.search(QUESTIONS[0], mode)
    time.sleep(3)  # the background run is over
    times, first, answerable = [], 0, 0
    for question in questions:
        began = time.perf_counter()
        answer = server.search(question["query"], mode)
        times.append((time.perf_counter() - began) * 1000)
        expected = question.get("expectedSources")
        if expected:
            answerable += 1
            found = answer["structuredContent"]["passages"]
            first += bool(found) and found[0]["path"] in expected
    figures["server MB"] = memory_megabytes(server.process)
    server.stop()
    times.sort()
    figures["warm p50 ms"], figures["warm p95 ms"] = statistics.median(times), times[int(len(times) * 0.95)]
    if answerable:
        figures["hit@1"] = first / answerable


def questions_of(file):
    if not file:
        return [{"query": query} for query in QUESTIONS * 10]
    return [json.loads(line) for line in Path(file).read_text().splitlines()][:400]


def measure(arguments, vault):
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        home = Home(arguments.binary, vault, folder, arguments.embeddings)
        fresh(home, arguments.floor, figures)
        idle(home, figures)
        command = [home.binary, "serve"]
        starts(command, home, figures)
        mode = "hybrid" if arguments.vectors else "keyword"
        warm(command, questions_of(arguments.evals), mode, figures)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vaults", nargs="+")
    parser.add_argument("--binary", default="target/release/obsearch", type=os.path.abspath)
    parser.add_argument("--floor", type=os.path.abspath)
    parser.add_argument("--evals")
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.embeddings = f'backend = "openai"\nmodel = "stand-in"\nbase_url = "{stand_in()}"' if arguments.vectors else 'backend = "none"'
    columns = {Path(vault).name: measure(arguments, vault) for vault in arguments.vaults}
    if arguments.json:
        print(json.dumps(columns, indent=1))
        return
    print("| |", " | ".join(columns), "|\n|", " --- |" * (len(columns) + 1))
    for row in next(iter(columns.values())):
        cells = [f"{figures[row]:.3g}" if isinstance(figures.get(row), float) else f"{figures.get(row):,}" for figures in columns.values()]
        print(f"| {row} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()

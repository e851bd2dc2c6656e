#!/usr/bin/env python3
"""obsearch beside its peers over the same notes, words only, in turns.

    python3 evals/peers.py --work FOLDER --vault VAULT [--vault …] [--sets SETS --set NAME …] [--ripgrep rg]
                           [--binary target/release/obsearch] [--python python3.13] [--only NAME …] [--json FILE]

Peers are installed into FOLDER from PyPI and npm unless they are there; ripgrep is the one given. Each program gets
a copy of the vault and an empty home. Every measure alternates, obsearch, peer, obsearch, peer, since the speed of a
machine that others use as well changes by the minute: a figure is the median, and the number behind × the median
ratio to the turn of obsearch just before. A step that has taken more than a minute is not repeated, one
that is not done after --limit seconds is given up. What cannot be installed or fails is a row with the reason.

What is asked of a --vault are sentences of its own notes, and the first note should be one that holds the sentence;
of a --set, its first questions that have an answer. Needs nothing but Python 3.11, and 3.13 for two of the peers.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, suppress
from pathlib import Path

from programs import (
    MEGABYTE,
    BasicMemory,
    Command,
    Failed,
    FirstObsearch,
    Obsearch,
    Program,
    Qmd,
    Ripgrep,
    Server,
    family,
    last_line,
    peak_bytes,
)
from sets import PROJECT, Set

WARMING_QUESTIONS = 5
# A server is asked only once its first run over the notes is over.
SETTLE_SECONDS = 3
UNREPEATED_SECONDS = 60
WATCH_SECONDS = 0.01
WORDS_OF_A_SENTENCE = 7, 16
# Measures and how they are printed.
COLUMNS = {
    "index s": ".2f",
    "index CPU s": ".2f",
    "index peak MB": ".0f",
    "index MB": ".1f",
    "sync s": ".2f",
    "first answer ms": ".0f",
    "warm answer ms": ".1f",
    "server MB": ".0f",
    "command ms": ".0f",
}


def run(program: Program, step: str, command: list) -> dict:
    """Wall and processor seconds of a command and what it started, and the peak memory of the largest process."""
    log = program.folder / "log"
    command = [str(part) for part in command]
    with log.open("w") as written:
        began = time.perf_counter()
        places = {"env": program.environment(), "cwd": program.home, "stdin": subprocess.DEVNULL}
        process = subprocess.Popen(command, stdout=written, stderr=written, start_new_session=True, **places)
        with Watch(process.pid) as watch:
            usage = wait(process, program.arguments.limit)
        seconds = time.perf_counter() - began
    if usage is None:
        raise Failed(f"{step}: not done after {program.arguments.limit} s")
    if process.returncode != 0:
        raise Failed(f"{step}: {last_line(log.read_text('utf-8', 'replace'))}")
    return {"s": seconds, "CPU s": usage.ru_utime + usage.ru_stime, "peak MB": watch.most_bytes / MEGABYTE}


class Watch(threading.Thread):
    """The most memory that any one process of a family held. What the system counts itself starts with the memory of
    the process that started it, which is this one."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self.pid, self.most_bytes, self.over = pid, 0, threading.Event()

    def run(self) -> None:
        while not self.over.wait(WATCH_SECONDS):
            # Processes end between two looks.
            with suppress(OSError):
                self.most_bytes = max(self.most_bytes, *map(peak_bytes, family(self.pid)))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self.over.set()
        self.join()


def wait(process: subprocess.Popen, limit: float) -> resource.struct_rusage | None:
    """None if it had to be ended."""
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, limit)
    _, status, usage = os.wait4(process.pid, 0)
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage if left > 0 else None


def index(program: Program, vault: Path) -> dict:
    program.empty_home()
    if program.writes_notes or not program.vault.exists():
        program.copy(vault)
    measured = run(program, "index", program.index_command())
    files = [file for file in (program.home / program.index_files).rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files if file.suffix != ".log")
    return {f"index {name}": value for name, value in measured.items()} | {"index MB": size / MEGABYTE}


def sync(program: Program) -> dict:
    return {"sync s": run(program, "sync", program.sync_command())["s"]}


def first_answer(program: Program, question: str) -> dict:
    began = time.perf_counter()
    with Server(program) as server:
        server.ask(question)
        milliseconds = (time.perf_counter() - began) * 1000
    return {"first answer ms": milliseconds}


def by_command(program: Program, question: str) -> dict:
    return {"command ms": run(program, "command", program.ask_command(question))["s"] * 1000}


class Figures:
    """What was measured, of every program, and the ratios of the turns."""

    def __init__(self):
        self.values = defaultdict(lambda: defaultdict(list))
        self.ratios = defaultdict(lambda: defaultdict(list))

    def add(self, program: Program, measured: dict, before: dict | None = None) -> None:
        for measure, value in measured.items():
            self.values[program.name][measure].append(value)
            if before and before.get(measure):
                self.ratios[program.name][measure].append(value / before[measure])

    def cell(self, name: str, measure: str) -> str:
        values, ratios = self.values[name][measure], self.ratios[name][measure]
        if not values:
            return "–"
        text = format(statistics.median(values), COLUMNS[measure])
        return f"{text} ×{round_ratio(statistics.median(ratios))}" if ratios else text

    def first_right(self, name: str) -> str:
        hits = self.values[name]["hit@1"]
        return f"{statistics.fmean(hits):.2f}".removeprefix("0") if hits else "–"


def round_ratio(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def in_turns(figures: Figures, pair: list[Program], turns: int, measure) -> None:
    """`measure(program, turn)` of obsearch, then of its peer."""
    began = time.monotonic()
    for turn in range(turns):
        before = None
        for program in pair:
            measured = measure(program, turn)
            figures.add(program, measured, before)
            before = measured
        if time.monotonic() - began > UNREPEATED_SECONDS:
            return


def warm(figures: Figures, pair: list[Program], questions: list[dict]) -> None:
    """Every question once of each, after some that do not count."""
    with ExitStack() as stack:
        kinds = {program: Server if program.serve_command() else Command for program in pair}
        answering = {program: stack.enter_context(kind(program)) for program, kind in kinds.items()}
        for question in questions[-WARMING_QUESTIONS:]:
            for each in answering.values():
                each.ask(question["query"])
        time.sleep(SETTLE_SECONDS)
        in_turns(figures, pair, len(questions), lambda program, turn: ask(answering[program], questions[turn]))
        in_turns(figures, pair, 1, lambda program, _: answering[program].memory())


def ask(answering: Server | Command, question: dict) -> dict:
    began = time.perf_counter()
    answer = answering.ask(question["query"])
    milliseconds = (time.perf_counter() - began) * 1000
    paths = answering.program.paths(answer, question["query"])
    return {"warm answer ms": milliseconds, "hit@1": hit(paths, question)}


def hit(paths: list[str], question: dict) -> float:
    """Programs spell paths in ways of their own."""
    right = {plain(path) for path in question["expectedSources"]}
    return float(bool(paths) and plain(paths[0]) in right)


def plain(path: str) -> str:
    return re.sub(r"[\W_]+", "-", path.casefold()).strip("-")


def sentences(vault: Path, count: int) -> list[dict]:
    """A sentence of each of some notes, evenly spread; every note that holds it is right."""
    least, most = WORDS_OF_A_SENTENCE
    notes = [note for note in sorted(vault.rglob("*.md")) if not any(part[0] == "." for part in note.parts[1:])]
    texts = {str(note.relative_to(vault)): note.read_text("utf-8", "replace") for note in notes}
    found = {}
    for path, text in texts.items():
        lines = re.findall(r"^[A-Z][\w ,']+\.$", "\n".join(re.split(r"(?<=\.) |\n", text)), re.MULTILINE)
        fitting = [line for line in lines if least <= len(line.split()) <= most]
        if fitting:
            found[path] = fitting[len(fitting) // 2]
    chosen = list(dict.fromkeys(found.values()))[:: max(1, len(found) // count)][:count]
    holding = {sentence: [path for path, text in texts.items() if sentence in text] for sentence in chosen}
    return [{"query": sentence, "expectedSources": paths} for sentence, paths in holding.items()]


def compare(figures: Figures, pair: list[Program], vault: Path, questions: list[dict], turns: int) -> None:
    """Everything both of the pair can do."""
    asked = [question["query"] for question in questions]
    for program in pair:
        program.copy(vault)
    if pair[1].index_command():
        in_turns(figures, pair, turns, lambda program, _: index(program, vault))
        in_turns(figures, pair, turns, lambda program, _: sync(program))
    else:
        figures.add(pair[0], index(pair[0], vault))
    warm(figures, pair, questions)
    if pair[1].serve_command():
        in_turns(figures, pair, 2 * turns + 1, lambda program, turn: first_answer(program, asked[turn]))
    if pair[1].ask_command(""):
        in_turns(figures, pair, 2 * turns + 1, lambda program, turn: by_command(program, asked[turn]))


def measure_all(programs: list[Program], vault: Path, questions: list[dict], turns: int) -> tuple[Figures, dict]:
    """Figures, and for some programs the reason why there are no more of them."""
    figures, reasons = Figures(), {}
    own, *peers = programs
    for peer in peers:
        print(f"{vault}: {peer.name}", file=sys.stderr, flush=True)
        try:
            if peer.reason:
                raise Failed(peer.reason)
            compare(figures, [own, peer], vault, questions, turns)
        except Failed as failure:
            reasons[peer.name] = str(failure)
    return figures, reasons


def print_vault(title: str, programs: list[Program], figures: Figures, reasons: dict) -> None:
    print(f"\n{title}\n\n| program | {' | '.join(COLUMNS)} | hit@1 | |")
    print(f"| --- |{' --- |' * (len(COLUMNS) + 2)}")
    for program in programs:
        cells = [figures.cell(program.name, measure) for measure in COLUMNS]
        cells += [figures.first_right(program.name), reasons.get(program.name, "")]
        print(f"| {program.name} | {' | '.join(cells)} |", flush=True)


def print_sets(programs: list[Program], results: dict) -> None:
    print(f"\n| hit@1 | {' | '.join(results)} |\n| --- |{' --- |' * len(results)}")
    for program in programs:
        cells = [why.get(program.name) or figures.first_right(program.name) for figures, why in results.values()]
        print(f"| {program.name} | {' | '.join(cells)} |")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--vault", type=Path, action="append", default=[])
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME")
    parser.add_argument("--binary", type=Path, default=PROJECT / "target/release/obsearch")
    parser.add_argument("--python", default="python3.13")
    parser.add_argument("--ripgrep", metavar="PROGRAM")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    peers = [peer(arguments) for peer in (FirstObsearch, Qmd, BasicMemory, Ripgrep)]
    peers = [peer for peer in peers if not arguments.only or peer.name.split()[0] in arguments.only]
    programs = [Obsearch(arguments), *peers]
    for program in programs:
        try:
            program.install()
        except Failed as failure:
            program.reason = str(failure)
    raw = {}
    for vault in arguments.vault:
        questions = sentences(vault, arguments.questions)
        figures, reasons = raw[str(vault.name)] = measure_all(programs, vault, questions, arguments.turns)
        print_vault(f"{vault.name}, {len(questions)} sentences", programs, figures, reasons)
    results = {}
    for name in arguments.set:
        each = Set(name, arguments.sets / name / "vault", arguments.sets / name / "evals.jsonl")
        questions = each.questions(10 * arguments.questions)[: arguments.questions]
        results[name] = raw[name] = measure_all(programs, each.vault, questions, 1)
    if results:
        print_sets(programs, results)
    if arguments.json:
        kept = {name: {"values": figures.values, "reasons": reasons} for name, (figures, reasons) in raw.items()}
        arguments.json.write_text(json.dumps(kept, indent=1), "utf-8")


if __name__ == "__main__":
    main()
